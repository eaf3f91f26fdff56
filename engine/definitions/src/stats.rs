//! How much is written: lines of definitions by line of business and kind of file. Comments and empty lines are not
//! counted.

use crate::files::Files;
use crate::layout::{FileKind, OperationPart, kind_of, translation};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds in the order in which they are shown; those up to [`CONTRACTS`] are what a line's journey is made of.
pub const KINDS: [&str; 16] = [
    "flow",
    "values",
    "texts",
    "forms",
    "views",
    "messages",
    "contracts",
    "tables",
    "stories",
    "translations",
    "pages",
    "endpoints",
    "partners",
    "sandbox",
    "master",
    "house",
];
/// The last kind that counts as written for a line itself.
pub const CONTRACTS: &str = "contracts";

/// Lines of each kind, by line of business, or by the folder of what belongs to none.
pub fn lines(files: &Files) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let mut found: BTreeMap<String, BTreeMap<&'static str, usize>> = BTreeMap::new();
    let folders: BTreeSet<&str> = files.iter().filter_map(|(path, _)| folder(path)).collect();
    for (path, bytes) in files.iter() {
        let Some(kind) = kind_of(path).map(|kind| word(&kind)) else { continue };
        let own = translation(path).map_or(path.to_owned(), |(english, _)| english);
        let count = count_lines(&String::from_utf8_lossy(bytes), path.ends_with(".yaml"));
        *found.entry(of(&own, &folders).to_owned()).or_default().entry(kind).or_default() += count;
    }
    found
}

/// The line that `workflows/<line>/<flow>/flow.yaml` and `workflows/contracts/<line>/quote.yaml` are of; a contract of
/// none is everybody's.
fn of<'p>(path: &'p str, folders: &BTreeSet<&str>) -> &'p str {
    let mut parts = path.split('/').skip(1);
    let first = parts.next().unwrap_or_default();
    match (first, parts.next()) {
        ("contracts", Some(line)) if folders.contains(line) => line,
        ("contracts", _) => "shared",
        _ if first.ends_with(".yaml") => "site",
        _ => first,
    }
}

fn folder(path: &str) -> Option<&str> {
    let (folder, _) = path.strip_prefix("workflows/")?.split_once('/')?;
    (folder != "contracts").then_some(folder)
}

fn word(kind: &FileKind) -> &'static str {
    match kind {
        FileKind::Flow(_) | FileKind::Part(_) => "flow",
        FileKind::Values(_) => "values",
        FileKind::Texts(_) => "texts",
        FileKind::Form(_) => "forms",
        FileKind::View(_) => "views",
        FileKind::Message(_) => "messages",
        FileKind::Contract(_) => "contracts",
        FileKind::Table(_) | FileKind::Row(_) => "tables",
        FileKind::Story(_) => "stories",
        FileKind::Translation => "translations",
        FileKind::Page => "pages",
        FileKind::Endpoint(_) => "endpoints",
        FileKind::Operation { part: OperationPart::Mapping, .. } | FileKind::Partner(_) | FileKind::Webhook { .. } => {
            "partners"
        }
        FileKind::Operation { .. } => "sandbox",
        FileKind::Master => "master",
        FileKind::Calendars | FileKind::Roles | FileKind::Releases | FileKind::Site => "house",
    }
}

fn count_lines(text: &str, has_comments: bool) -> usize {
    let is_written = |line: &&str| match line.trim() {
        "" => false,
        line => !(has_comments && line.starts_with('#')),
    };
    text.lines().filter(is_written).count()
}
