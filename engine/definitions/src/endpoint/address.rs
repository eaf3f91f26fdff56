//! The address of an endpoint: fixed parts, and parts that the caller fills in.

use crate::source::Node;
use engine_statechart::Problem;
use serde_json::{Map, Value};

/// Address of an endpoint: `/api/v1/leads/{lead}`, `/api/v1/{kind:letter|parcel}/offers`.
#[derive(Clone, Debug, Default)]
pub struct Address {
    parts: Vec<AddressPart>,
}

#[derive(Clone, Debug)]
enum AddressPart {
    Fixed(String),
    /// A part for a word; without `words` it may be anything that an id is made of.
    Open {
        name: String,
        words: Vec<String>,
    },
}

impl AddressPart {
    fn takes(&self, text: &str) -> bool {
        match self {
            AddressPart::Fixed(own) => own == text,
            AddressPart::Open { words, .. } if words.is_empty() => is_plain(text),
            AddressPart::Open { words, .. } => words.iter().any(|word| word == text),
        }
    }

    fn meets(&self, other: &AddressPart) -> bool {
        match (self, other) {
            (AddressPart::Fixed(own), other) | (other, AddressPart::Fixed(own)) => other.takes(own),
            (AddressPart::Open { words, .. }, other) if words.is_empty() => {
                !matches!(other, AddressPart::Fixed(own) if !is_plain(own))
            }
            (AddressPart::Open { words, .. }, other) => words.iter().any(|word| other.takes(word)),
        }
    }
}

impl Address {
    pub(super) fn read(text: &str, at: &Node, problems: &mut Vec<Problem>) -> Address {
        let mut parts = Vec::new();
        for part in text.split('/') {
            let inside = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
            let part = match inside {
                None => AddressPart::Fixed(part.to_owned()),
                Some(inside) => {
                    let (name, words) = inside.split_once(':').unwrap_or((inside, ""));
                    let words = words.split('|').filter(|word| !word.is_empty()).map(str::to_owned).collect();
                    AddressPart::Open { name: name.to_owned(), words }
                }
            };
            let is_sound = match &part {
                AddressPart::Fixed(text) => !text.contains(['{', '}']),
                AddressPart::Open { name, words } => is_name(name) && words.iter().all(|word| is_plain(word)),
            };
            if !is_sound {
                let problem = Problem::error("value", &at.span, "a part that the caller fills in is a name in braces");
                problems.push(problem.hint("/api/v1/leads/{lead_id}, or of few words: {kind:letter|parcel}"));
            }
            parts.push(part);
        }
        Address { parts }
    }

    /// The parts that are filled in, as this address has them; `None`: it is another.
    pub fn fits(&self, path: &str) -> Option<Map<String, Value>> {
        let mut given = path.split('/');
        let mut filled = Map::new();
        for part in &self.parts {
            let text = given.next().filter(|text| part.takes(text))?;
            if let AddressPart::Open { name, .. } = part {
                filled.insert(name.clone(), text.into());
            }
        }
        given.next().is_none().then_some(filled)
    }

    pub fn is_fixed(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, AddressPart::Fixed(_)))
    }

    /// Whether one path fits both.
    pub(crate) fn meets(&self, other: &Address) -> bool {
        self.parts.len() == other.parts.len() && self.parts.iter().zip(&other.parts).all(|(one, two)| one.meets(two))
    }

    /// The parts that are filled in, each with its words.
    pub fn open(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.parts.iter().filter_map(|part| match part {
            AddressPart::Fixed(_) => None,
            AddressPart::Open { name, words } => Some((name.as_str(), words.as_slice())),
        })
    }

    /// Template of the address as descriptions of APIs write it.
    pub fn template(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            AddressPart::Fixed(text) => text.clone(),
            AddressPart::Open { name, .. } => format!("{{{name}}}"),
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a text has nothing that an address would write in another way.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Value as Source;
    use engine_statechart::source::Span;

    fn address(text: &str) -> Address {
        let mut problems = Vec::new();
        let address = Address::read(text, &Node::new(Span::unknown(), Source::Null), &mut problems);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        address
    }

    #[test]
    fn parts_that_a_caller_fills_in_are_told_by_name() {
        let one = address("/api/v1/{kind:letter|parcel}/offers/{lead_id}");
        assert_eq!(
            one.fits("/api/v1/parcel/offers/a1").map(Value::from),
            Some(serde_json::json!({"kind": "parcel", "lead_id": "a1"}))
        );
        for other in [
            "/api/v1/boat/offers/a1",
            "/api/v1/letter/offers",
            "/api/v1/letter/offers/",
            "/api/v1/letter/offers/a/b",
            "/api/v1/letter/offers/a%2Fb",
        ] {
            assert_eq!(one.fits(other), None, "{other}");
        }
        assert_eq!(one.template(), "/api/v1/{kind}/offers/{lead_id}");
        assert!(one.meets(&address("/api/v1/{kind}/offers/all")) && !one.meets(&address("/api/v1/boat/offers/{id}")));
    }
}
