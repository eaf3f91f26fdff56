//! What search engines may keep: `/sitemap.xml` names one list for each kind of page, each list its addresses with the
//! day on which what they say last changed, where somebody has said it.

use crate::pages::html::COUNTRY;
use engine_definitions::{Address, Catalog, PAGE_KINDS};
use std::collections::BTreeMap;

pub const INDEX: &str = "/sitemap.xml";
const FOLDER: &str = "/sitemap/";
const ENDING: &str = ".xml";
/// What one list may hold (sitemaps.org).
const ADDRESSES_MAX: usize = 50_000;
const BYTES_MAX: usize = 50 << 20;
/// The lines around them.
const AROUND: usize = 512;

/// The language of a page for whoever speaks none of the others.
const DEFAULT: &str = "x-default";

/// Languages of a page as search engines name them, each with its address; none where one address has all of them.
pub fn alternates(catalog: &Catalog, address: &Address) -> Vec<(String, String)> {
    let Some(first) = catalog.languages().first().filter(|_| !address.speaks.is_empty()) else { return Vec::new() };
    let spoken = |language: &str, at: &str| (format!("{language}-{COUNTRY}"), at.to_owned());
    let further = address.speaks.iter().map(|(language, at)| spoken(language, at));
    [spoken(first, &address.path)]
        .into_iter()
        .chain(further)
        .chain([(DEFAULT.to_owned(), address.path.clone())])
        .collect()
}

/// One list, and the last day on which something in it changed.
#[derive(Default)]
struct List {
    addresses: usize,
    text: String,
    changed: String,
}

/// The index, or one of its lists; `None`: there is no such file.
pub fn file(catalog: &Catalog, public_url: &str, path: &str) -> Option<String> {
    if path == INDEX {
        return Some(index(&lists(catalog, public_url), public_url));
    }
    let name = path.strip_prefix(FOLDER)?.strip_suffix(ENDING)?;
    let list = lists(catalog, public_url).remove(name)?;
    Some(format!("{HEAD}<urlset {SPACE} xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n{}</urlset>\n", list.text))
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
const SPACE: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

fn index(lists: &BTreeMap<String, List>, public_url: &str) -> String {
    let line = |(name, list): (&String, &List)| {
        format!("<sitemap><loc>{public_url}{FOLDER}{name}{ENDING}</loc>{}</sitemap>\n", lastmod(&list.changed))
    };
    let lines: String = lists.iter().map(line).collect();
    format!("{HEAD}<sitemapindex {SPACE}>\n{lines}</sitemapindex>\n")
}

fn lastmod(day: &str) -> String {
    if day.is_empty() { String::new() } else { format!("<lastmod>{day}</lastmod>") }
}

/// Lists by name: a kind, or the further language of its addresses; from the second list of a name on with its number.
fn lists(catalog: &Catalog, public_url: &str) -> BTreeMap<String, List> {
    let site = catalog.site("");
    let of_pages = site.addresses().filter(|(path, address)| *path == address.path && address.is_kept());
    let mut all: Vec<(&str, &str, Option<&Address>)> = Vec::new();
    for (path, address) in of_pages {
        all.push((address.page.kind(), path, Some(address)));
        all.extend(address.speaks.iter().map(|(language, at)| (language.as_str(), at.as_str(), Some(address))));
    }
    // First pages of flows that no page describes.
    let bases = catalog.workflows().filter(|flow| flow.signs_in.is_none()).map(|flow| flow.base.as_str());
    all.extend(bases.filter(|base| site.address(base).is_none()).map(|base| (PAGE_KINDS[0], base, None)));
    all.sort_unstable_by_key(|(kind, path, _)| (*kind, *path));
    let mut lists: BTreeMap<String, List> = BTreeMap::new();
    let mut number = 1;
    let mut last = "";
    for (kind, path, address) in all {
        let entry = entry(catalog, public_url, path, address);
        if kind != last {
            (number, last) = (1, kind);
        }
        if lists.get(&name(kind, number)).is_some_and(|list| list.is_full(entry.len())) {
            number += 1;
        }
        let list = lists.entry(name(kind, number)).or_default();
        list.addresses += 1;
        list.text.push_str(&entry);
        let changed = address.map_or("", |address| address.listing.changed.as_str());
        if changed > list.changed.as_str() {
            list.changed = changed.to_owned();
        }
    }
    lists
}

impl List {
    fn is_full(&self, bytes: usize) -> bool {
        self.addresses == ADDRESSES_MAX || self.text.len() + bytes + AROUND > BYTES_MAX
    }
}

fn name(kind: &str, number: usize) -> String {
    if number == 1 { kind.to_owned() } else { format!("{kind}-{number}") }
}

/// The line of one address of a page, with the languages that have addresses of their own.
fn entry(catalog: &Catalog, public_url: &str, path: &str, address: Option<&Address>) -> String {
    let Some(address) = address else { return format!("<url><loc>{public_url}{path}</loc></url>\n") };
    let (alternates, changed) = (alternates(catalog, address), lastmod(&address.listing.changed));
    // Parts of addresses are small letters, digits, `-`, `+` and `.`: nothing to escape.
    let links: String = alternates
        .iter()
        .map(|(language, at)| {
            format!("<xhtml:link rel=\"alternate\" hreflang=\"{language}\" href=\"{public_url}{at}\"/>")
        })
        .collect();
    format!("<url><loc>{public_url}{path}</loc>{changed}{links}</url>\n")
}
