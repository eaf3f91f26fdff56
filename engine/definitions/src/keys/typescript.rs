//! The browser's types of blocks and widgets.

use super::{Entry, Gives, Key, Side, Takes, blocks, widgets};
use crate::text::Text;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of `web/src/contract/blocks.ts`.
pub fn types() -> String {
    let mut out = String::from(
        "/** What views and forms may hold. Written by `cargo run --example schemas`; never by hand. */\n\
         import type { Data, Paise, Value } from '../api/open';\n\nexport type Block =\n",
    );
    for block in blocks::BLOCKS {
        let _ = writeln!(out, "  | ({{ block: '{}' }} & {}Block)", block.name, title(block.name));
    }
    out.pop();
    out.push_str(";\n\n");
    interface(&mut out, "BlockHead", "", blocks::HEAD);
    let names: Vec<String> = crate::prose::ELEMENTS.iter().map(|name| format!("'{name}'")).collect();
    let _ = writeln!(
        out,
        "/** A part of words in Markdown: letters, or an element of HTML around others. */\n\
         export type Prose = string | {{ is: {}; of: Prose[]; href?: string }};\n",
        names.join(" | ")
    );
    let mut entries = Vec::new();
    for block in blocks::BLOCKS {
        let name = format!("{}Block", title(block.name));
        let _ = writeln!(out, "/** {} */", block.note);
        if block.keys.is_empty() {
            let _ = writeln!(out, "export type {name} = BlockHead;");
        } else {
            interface(&mut out, &name, " extends BlockHead", block.keys);
        }
        collect(block.keys, &mut entries);
    }
    for entry in entries {
        interface(&mut out, entry.name, "", entry.keys);
    }
    let names: Vec<String> = widgets::WIDGETS.iter().map(|w| format!("'{}'", w.name)).collect();
    let _ = writeln!(out, "export type WidgetName =\n  | {};\n", names.join("\n  | "));
    out.push_str("/** `x-ui` of a field, as the server resolved it. */\n");
    let mut all = Vec::<Key>::new();
    for key in widgets::COMMON.iter().chain(widgets::ROWS).chain(widgets::WIDGETS.iter().flat_map(|w| w.keys)) {
        match all.iter_mut().find(|known| known.name == key.name) {
            Some(known) => merge(known, key),
            None => all.push(Key { is_needed: false, ..*key }),
        }
    }
    interface(&mut out, "FieldUi", "", &all);
    let mut links = Vec::new();
    collect(&all, &mut links);
    links.iter().for_each(|entry| interface(&mut out, entry.name, "", entry.keys));
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// Merges a key that two widgets read under one name: any literal that either takes.
fn merge(known: &mut Key, other: &Key) {
    if matches!((known.takes, other.takes), (Takes::Name(a), Takes::Name(b)) if a != b) {
        known.takes = Takes::Name(&[]);
    }
}

fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// Maps below these keys, each once, in the order in which they are met.
fn collect(keys: &[Key], entries: &mut Vec<&'static Entry>) {
    for key in keys.iter().filter(|key| key.side != Side::Author) {
        if let Takes::Map(entry) | Takes::List(entry) = key.takes
            && !entries.iter().any(|known| known.name == entry.name)
        {
            entries.push(entry);
            collect(entry.keys, entries);
        }
    }
}

fn interface(out: &mut String, name: &str, extends: &str, keys: &[Key]) {
    let _ = writeln!(out, "export interface {name}{extends} {{");
    let mut seen = BTreeSet::new();
    for key in keys.iter().filter(|key| key.side != Side::Author && seen.insert(key.name)) {
        if !key.note.is_empty() {
            let _ = writeln!(out, "  /** {} */", key.note.replace('`', ""));
        }
        let optional = if key.is_needed { "" } else { "?" };
        let _ = writeln!(out, "  {}{optional}: {};", key.name, type_of(key.takes));
    }
    out.push_str("}\n\n");
}

fn type_of(takes: Takes) -> String {
    let union = |of: &[&str]| of.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" | ");
    let of = |gives: Gives| match gives {
        Gives::Shown => "Value".to_owned(),
        Gives::Cell => "Value | boolean".into(),
        Gives::Text => "string".into(),
        Gives::Prose => "Prose[]".into(),
        Gives::Number => "number".into(),
        Gives::Flag => "boolean".into(),
        Gives::Paise => "Paise".into(),
        Gives::Texts => "string[]".into(),
        Gives::List => "unknown[]".into(),
        Gives::Data => "Data".into(),
        Gives::OneOf(of) => union(of),
        Gives::Anything => "unknown".into(),
    };
    match takes {
        Takes::Words | Takes::Name([]) => "string".into(),
        Takes::Prose => "string".into(),
        Takes::Name(words) => union(words),
        Takes::Value(gives) => of(gives),
        Takes::Map(entry) | Takes::Unanswered(entry) => entry.name.into(),
        Takes::List(entry) => format!("{}[]", entry.name),
        Takes::Values(gives) => format!("({})[]", of(gives)),
        Takes::Rows => "Value[][]".into(),
        Takes::Figures => "Record<string, number>".into(),
        Takes::Block => "Block".into(),
        Takes::Blocks => "Block[]".into(),
    }
}

/// What Unicode does not take apart, for the browser's code.
pub fn letters() -> String {
    let all: Vec<String> = crate::form::PLAIN_LETTERS.iter().map(|(from, to)| format!("{from}{to}")).collect();
    format!(
        "/** Characters, each with how it is written plainly. Written by `cargo run --example schemas`; never by hand. */\n\
         export const PLAIN: ReadonlyMap<string, string> = new Map(\n  \
         `{}`\n    .split(' ')\n    .map((one) => [one.charAt(0), one.slice(1)]),\n);\n",
        all.join(" ")
    )
}

/// The web app's sentences by name, each with its places.
pub fn words(said: &std::collections::BTreeMap<String, String>) -> String {
    let mut out = String::from(
        "/** The sentences of the app and their places. Written by `cargo run --example schemas`; never by hand. */\n\
         export interface Words {\n",
    );
    for (name, text) in said {
        let text = Text::template(text).unwrap_or_else(|_| Text::literal(text));
        let mut places: Vec<String> = text.names().map(|place| format!("'{place}'")).collect();
        places.dedup();
        let places = if places.is_empty() { "never".into() } else { places.join(" | ") };
        out.push_str(&format!("  {name}: {places};\n"));
    }
    out.push_str("}\n");
    out
}
