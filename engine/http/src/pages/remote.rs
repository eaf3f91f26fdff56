//! Frames that others give: on some hosts the header and the footer are what a call answers (R2.2-11, R7.2-15). Of its
//! markup only the words and where they lead reach a page, as items of our own menu; nothing of it is written as it
//! came.

use crate::app::App;
use crate::pages::html::safe_url;
use engine_definitions::{Catalog, Group, MenuItem};
use engine_partners::CallOutcome;
use html5gum::{DefaultEmitter, Token, Tokenizer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How long an answer stands; one that failed as long, with what stood before.
const KEPT_MS: i64 = 60_000;
const MARKUP_BYTES_MAX: usize = 64 * 1024;
const ITEMS_MAX: usize = 40;
const WORDS_CHARS_MAX: usize = 60;
/// A link that leads nowhere.
const NOWHERE: &str = "#";
/// What stands in these is not read by people.
const UNSEEN: [&[u8]; 4] = [b"script", b"style", b"template", b"noscript"];

/// Header and footer of a host.
#[derive(Debug, Default)]
pub struct Remote {
    pub menu: Vec<MenuItem>,
    pub footer: Vec<Group>,
}

/// Headers and footers that this process keeps, by the operation that was asked.
#[derive(Default)]
pub struct Remotes(Mutex<BTreeMap<String, Kept>>);

/// What stands until when.
type Kept = (i64, Option<Arc<Remote>>);

/// What stands around pages of this host, where others say it; `None`: our own header and footer.
pub async fn of(app: &App, catalog: &Catalog, host: &str) -> Option<Arc<Remote>> {
    let call = catalog.site("").remote(host)?;
    let now_ms = app.runtime.now_ms();
    let kept = app.remotes.0.lock().unwrap_or_else(PoisonError::into_inner).get(call).cloned();
    let (until_ms, before) = kept.unwrap_or_default();
    if now_ms < until_ms {
        return before;
    }
    let found = match app.ask(catalog, catalog.operation_named(call)?, &json!({"host": host})).await {
        CallOutcome::Done { output, .. } => Some(Arc::new(Remote::read(&output))),
        CallOutcome::Failed(_) | CallOutcome::NotBegun => before,
    };
    let mut all = app.remotes.0.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert(call.to_owned(), (now_ms + KEPT_MS, found.clone()));
    found
}

impl Remote {
    fn read(output: &Value) -> Remote {
        let items = |name: &str| {
            let words = words(output[name].as_str().unwrap_or_default());
            words.into_iter().map(|(text, link)| MenuItem::leading(text, &link)).collect::<Vec<_>>()
        };
        let footer = items("footer");
        let footer = if footer.is_empty() { Vec::new() } else { vec![Group::of(footer)] };
        Remote { menu: items("header"), footer }
    }
}

/// The words of some markup, each with the address that it leads to; `#`: to none.
fn words(markup: &str) -> Vec<(String, String)> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let markup = &markup[..markup.floor_char_boundary(MARKUP_BYTES_MAX)];
    let (mut found, mut link, mut is_unseen) = (Vec::new(), NOWHERE.to_owned(), false);
    for token in Tokenizer::new_with_emitter(markup, emitter).flatten() {
        match token {
            Token::StartTag(tag) if *tag.name == *b"a" => {
                let to = tag.attributes.get(&b"href"[..]).map(|href| String::from_utf8_lossy(href).into_owned());
                link = to.as_deref().and_then(safe_url).unwrap_or(NOWHERE).to_owned();
            }
            Token::EndTag(tag) if *tag.name == *b"a" => NOWHERE.clone_into(&mut link),
            Token::StartTag(tag) => is_unseen |= UNSEEN.contains(&&**tag.name),
            Token::EndTag(tag) => is_unseen &= !UNSEEN.contains(&&**tag.name),
            Token::String(text) if !is_unseen => {
                let said = String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ");
                if said.contains(char::is_alphanumeric) {
                    found.push((said.chars().take(WORDS_CHARS_MAX).collect(), link.clone()));
                }
            }
            _ => {}
        }
        if found.len() == ITEMS_MAX {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_markup_only_words_and_links_are_left() {
        let markup = "<div onclick='x()'>Desk <script>alert(1)</script><a class=\"b\" href=\"/parcels\">Boxes &amp; bags</a>\
            <a href=\"javascript:alert(1)\">Press</a><style>a{}</style><a href='https://pos.example/help'>Help</a><";
        let found = words(markup);
        let found: Vec<(&str, &str)> = found.iter().map(|(text, link)| (text.as_str(), link.as_str())).collect();
        let wanted =
            [("Desk", "#"), ("Boxes & bags", "/parcels"), ("Press", "#"), ("Help", "https://pos.example/help")];
        assert_eq!(found, wanted);
        assert!(words("").is_empty() && words("<<<").is_empty() && words("<a href=").is_empty());
    }
}
