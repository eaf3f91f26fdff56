//! Experiments: variants with weights in percent, drawn once for a visit.

use crate::fields::MapReader;
use crate::site::is_under;
use crate::source::Node;
use engine_statechart::Problem;
use sha2::{Digest, Sha256};

#[derive(Debug)]
pub struct Experiment {
    name: String,
    /// Addresses below which a page needs the variant before anything is written.
    under: Vec<String>,
    /// Percents, 100 in all.
    variants: Vec<(String, u64)>,
}

impl Experiment {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a page of this address shows it.
    pub fn is_shown(&self, path: &str) -> bool {
        self.under.iter().any(|under| is_under(path, under))
    }

    pub(super) fn first(&self) -> Option<&str> {
        self.variants.first().map(|(name, _)| name.as_str())
    }

    /// The experiment's variants as rules name them: `experiment/variant`.
    pub(crate) fn paths(&self) -> impl Iterator<Item = String> {
        self.variants.iter().map(|(variant, _)| format!("{}/{variant}", self.name))
    }

    /// The variant of a draw: always the same one, and over many draws as often as the weights say.
    pub(super) fn draw_variant(&self, draw: &str) -> Option<&str> {
        let hash = Sha256::digest(format!("{} {draw}", self.name));
        let number = hash.iter().take(7).fold(0, |number: u64, byte| number << 8 | u64::from(*byte)) % 100;
        let mut below = 0;
        let chosen = self.variants.iter().find(|(_, weight)| {
            below += weight;
            number < below
        });
        chosen.map(|(name, _)| name.as_str())
    }

    pub(super) fn read(name: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Experiment> {
        let mut fields = MapReader::open(node, "an experiment", &["title", "under", "variants"], problems)?;
        fields.text("title");
        let under = fields.texts("under");
        let mut variants = Vec::new();
        for (key, weight) in fields.entries("variants") {
            match weight.as_int().and_then(|weight| u64::try_from(weight).ok()).filter(|weight| *weight <= 100) {
                Some(weight) => variants.push((key.name.clone(), weight)),
                None => fields.problems.push(Problem::error("value", &weight.span, "a weight is 0 to 100, in percent")),
            }
        }
        let sum: u64 = variants.iter().map(|(_, weight)| weight).sum();
        if sum != 100 {
            let at = fields.get("variants").unwrap_or(node);
            let message = format!("the weights of all variants are 100 together, not {sum}");
            fields.problems.push(Problem::error("value", &at.span, message));
        }
        Some(Experiment { name: name.to_owned(), under, variants })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R9-63: percents of many draws, and the same variant for the same draw.
    #[test]
    fn weights_are_percents() {
        let of = |weights: &[(&str, u64)]| Experiment {
            name: "words".into(),
            under: Vec::new(),
            variants: weights.iter().map(|(name, weight)| ((*name).to_owned(), *weight)).collect(),
        };
        let share =
            |one: &Experiment| (0..20_000).filter(|draw| one.draw_variant(&draw.to_string()) == Some("a")).count();
        assert!((13_700..=14_300).contains(&share(&of(&[("a", 70), ("b", 30)]))));
        assert_eq!((share(&of(&[("a", 100), ("b", 0)])), share(&of(&[("a", 0), ("b", 100)]))), (20_000, 0));
        assert_eq!(of(&[("a", 70), ("b", 30)]).draw_variant("x"), of(&[("a", 70), ("b", 30)]).draw_variant("x"));
    }
}
