//! Small mistakes that somebody could make while editing a definition.

use clap::ValueEnum;
use engine_definitions::Files;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use std::collections::BTreeMap;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Kind {
    /// Two letters of a name that is read change places.
    Identifier,
    /// A key with its value is gone.
    Key,
    /// A transition leads to another state.
    Target,
    /// A guard says the opposite.
    Guard,
    /// A number is one more.
    Literal,
    /// A field, an input or a column is of another type.
    Type,
    /// A message, or what it says, is gone.
    Message,
    /// What a text is in another language is gone.
    Translation,
    /// Two rows of a table change places.
    Swap,
    /// A row of a table is gone.
    Row,
    /// Another role may, or must.
    Role,
    /// A time is in another unit.
    Unit,
}

pub const KINDS: [Kind; 12] = [
    Kind::Identifier,
    Kind::Key,
    Kind::Target,
    Kind::Guard,
    Kind::Literal,
    Kind::Type,
    Kind::Message,
    Kind::Translation,
    Kind::Swap,
    Kind::Row,
    Kind::Role,
    Kind::Unit,
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

/// One mistake in one file.
#[derive(Debug)]
pub struct Mutant {
    pub kind: Kind,
    path: String,
    /// The line in which it begins, from 0.
    line: usize,
    /// Lines as they are shipped, and as they would be.
    from: Vec<String>,
    to: Vec<String>,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |lines: &[String]| lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ⏎ ");
        let (from, to) = (shown(&self.from), shown(&self.to));
        write!(f, "{}:{}: {}\n  - {from}\n  + {to}", self.path, self.line + 1, self.kind)
    }
}

impl Mutant {
    pub fn made_in(&self, files: &Files) -> Files {
        let mut files = files.clone();
        let mut lines = lines_of(&files, &self.path);
        lines.splice(self.line..self.line + self.from.len(), self.to.iter().cloned());
        files.insert(self.path.clone(), (lines.join("\n") + "\n").into_bytes());
        files
    }
}

fn lines_of(files: &Files, path: &str) -> Vec<String> {
    let bytes = files.get(path).map(|bytes| bytes.to_vec()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// So many mistakes of a kind, drawn by file first, so that long files have no more than others.
pub fn mutants(files: &Files, kind: Kind, only: &str, seed: u64, count: usize) -> Vec<Mutant> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut by_file: BTreeMap<String, Vec<Mutant>> = BTreeMap::new();
    let paths = files.iter().map(|(path, _)| path.to_owned()).filter(|path| path.contains(only));
    for path in paths.filter(|path| kind.is_of(path)) {
        let lines = lines_of(files, &path);
        let mut here: Vec<Mutant> = (0..lines.len())
            .filter_map(|line| {
                let (from, to) = kind.change(&lines, line, &mut random)?;
                Some(Mutant { kind, path: path.clone(), line, from, to })
            })
            .collect();
        here.shuffle(&mut random);
        if !here.is_empty() {
            by_file.insert(path, here);
        }
    }
    let mut drawn = Vec::new();
    while drawn.len() < count && !by_file.is_empty() {
        let paths: Vec<String> = by_file.keys().cloned().collect();
        let Some(path) = paths.choose(&mut random) else { break };
        let here = by_file.get_mut(path).expect("a path of the map");
        drawn.extend(here.pop());
        if here.is_empty() {
            by_file.remove(path);
        }
    }
    drawn
}

/// Where what is read begins.
const ROOTS: [&str; 7] = ["context.", "input.", "my.", "event.", "data.", "params.", "body."];
const TYPES: [(&str, &str); 6] = [
    ("\"type\": \"string\"", "\"type\": \"integer\""),
    ("\"type\": \"integer\"", "\"type\": \"string\""),
    ("\"type\": \"boolean\"", "\"type\": \"string\""),
    (": string", ": integer"),
    (": int,", ": text,"),
    (": money", ": text"),
];
const ROLES: [(&str, &str); 8] = [
    ("only: customer", "only: verified"),
    ("only: verified", "only: customer"),
    ("roles: [visitor", "roles: [operator"),
    ("role: call-centre", "role: health-agent"),
    ("role: app-agent", "role: partner-agent"),
    ("who: person", "who: session"),
    ("who: session", "who: person"),
    ("roles: [", "roles: [operator, "),
];
const UNITS: [&str; 5] = ["ms", "s", "m", "h", "d"];
type Change = (Vec<String>, Vec<String>);

impl Kind {
    /// Files in which it can be made.
    fn is_of(self, path: &str) -> bool {
        let is_shipped = ["workflows/", "forms/"].iter().any(|folder| path.starts_with(folder));
        let is_story = path.contains("/stories/") || path.contains(".examples.") || path.starts_with("workflows/guide");
        let is_table = path.contains("/tables/") && path.ends_with(".yaml");
        match self {
            Kind::Translation => path.starts_with("languages/") && path.ends_with(".yaml"),
            Kind::Swap | Kind::Row => is_shipped && is_table,
            Kind::Type => is_shipped && !is_story,
            _ => is_shipped && !is_story && !path.ends_with(".md") && !path.contains("/schema/"),
        }
    }

    /// The lines that would change from here on, and what they would be.
    fn change(self, lines: &[String], at: usize, random: &mut StdRng) -> Option<Change> {
        let line = &lines[at];
        if line.trim_start().starts_with('#') {
            return None;
        }
        let one = |changed: String| Some((vec![line.clone()], vec![changed]));
        match self {
            Kind::Identifier => one(with_letters_swapped(line)?),
            Kind::Key => (is_leaf(lines, at) && !is_last_of_json(lines, at)).then(|| (vec![line.clone()], Vec::new())),
            Kind::Target => one(with_other_target(lines, line, random)?),
            Kind::Guard => one(with_guard_negated(line)?),
            Kind::Literal => one(with_number_raised(line)?),
            Kind::Type => TYPES
                .iter()
                .find_map(|(from, to)| line.contains(from).then(|| line.replacen(from, to, 1)))
                .and_then(one),
            Kind::Message => {
                let is_told =
                    ["- {type: message", "- {type: notify"].iter().any(|start| line.trim_start().starts_with(start));
                (is_told && line.ends_with('}')).then(|| (vec![line.clone()], Vec::new()))
            }
            Kind::Translation => is_leaf(lines, at).then(|| (vec![line.clone()], Vec::new())),
            Kind::Swap => {
                let next =
                    lines.get(at + 1).filter(|next| is_row(line) && is_row(next) && indent(next) == indent(line))?;
                Some((vec![line.clone(), next.clone()], vec![next.clone(), line.clone()]))
            }
            Kind::Row => is_row(line).then(|| (vec![line.clone()], Vec::new())),
            Kind::Role => ROLES
                .iter()
                .find_map(|(from, to)| line.contains(from).then(|| line.replacen(from, to, 1)))
                .and_then(one),
            Kind::Unit => one(with_other_unit(line, random)?),
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_row(line: &str) -> bool {
    let row = line.trim_start();
    (row.starts_with("- [") && row.ends_with(']')) || (row.starts_with("- {") && row.ends_with('}'))
}

/// A key with its value in one line, with nothing below it.
fn is_leaf(lines: &[String], at: usize) -> bool {
    let line = &lines[at];
    let text = line.trim_start();
    let name = text.split(": ").next().unwrap_or_default();
    let is_key = text.contains(": ") && !name.is_empty() && !text.starts_with("- ") && !text.starts_with('{');
    is_key
        && indent(line) > 0
        && lines.get(at + 1).is_none_or(|next| next.trim().is_empty() || indent(next) <= indent(line))
}

/// Without it the line before would end in a comma.
fn is_last_of_json(lines: &[String], at: usize) -> bool {
    lines[at].trim_start().starts_with('"') && !lines[at].ends_with(',')
}

fn with_letters_swapped(line: &str) -> Option<String> {
    for root in ROOTS {
        for (start, _) in line.match_indices(root) {
            let is_begun =
                start == 0 || !line[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            let from = start + root.len();
            let name: String = line[from..].chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
            let letters = name.as_bytes();
            if is_begun && letters.len() >= 4 && letters[1] != letters[2] {
                let mut swapped = name.clone().into_bytes();
                swapped.swap(1, 2);
                let swapped = String::from_utf8(swapped).ok()?;
                return Some(format!("{}{swapped}{}", &line[..from], &line[from + name.len()..]));
            }
        }
    }
    None
}

fn target(line: &str) -> Option<(usize, &str)> {
    let from = line.find("target: ")? + "target: ".len();
    let name = line[from..].split([',', '}', ' ']).next()?;
    (!name.is_empty()).then_some((from, name))
}

fn with_other_target(lines: &[String], line: &str, random: &mut StdRng) -> Option<String> {
    let (from, name) = target(line)?;
    let others: Vec<&str> =
        lines.iter().filter_map(|line| Some(target(line)?.1)).filter(|other| *other != name).collect();
    let other = others.choose(random)?;
    Some(format!("{}{other}{}", &line[..from], &line[from + name.len()..]))
}

fn with_guard_negated(line: &str) -> Option<String> {
    let from = line.find("guard: ")? + "guard: ".len();
    let rest = &line[from..];
    if let Some(quoted) = rest.strip_prefix('"') {
        let end = quoted.find('"')?;
        return Some(format!("{}\"!({})\"{}", &line[..from], &quoted[..end], &quoted[end + 1..]));
    }
    let is_flow = line[..from].contains('{');
    let end = if is_flow { rest.find(", ").or_else(|| rest.find('}')).unwrap_or(rest.len()) } else { rest.len() };
    let guard = &rest[..end];
    let is_plain = !guard.is_empty() && !guard.starts_with(['*', '&', '\'', '>', '|']) && !guard.contains('"');
    is_plain.then(|| format!("{}\"!({guard})\"{}", &line[..from], &rest[end..]))
}

fn with_number_raised(line: &str) -> Option<String> {
    let bytes = line.as_bytes();
    for (start, c) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        if start == 0 || !b" [(,<>=+*".contains(&bytes[start - 1]) || c == '0' {
            continue;
        }
        let digits: String = line[start..].chars().take_while(char::is_ascii_digit).collect();
        let end = start + digits.len();
        let ends = bytes.get(end).is_none_or(|after| b" ,)]}%".contains(after));
        let is_text = line[..start].matches('"').count() % 2 == 1 && !line[..start].contains(": \"");
        if let (true, false, Ok(number)) = (ends, is_text, digits.parse::<u64>()) {
            return Some(format!("{}{}{}", &line[..start], number + 1, &line[end..]));
        }
    }
    None
}

fn with_other_unit(line: &str, random: &mut StdRng) -> Option<String> {
    for (start, _) in line.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        let is_begun = line[..start].ends_with(": ") || line[..start].ends_with("- ");
        let digits: String = line[start..].chars().take_while(char::is_ascii_digit).collect();
        let after = &line[start + digits.len()..];
        let unit: String = after.chars().take_while(char::is_ascii_lowercase).collect();
        let ends = after[unit.len()..].chars().next().is_none_or(|next| [',', '}', ' '].contains(&next));
        if is_begun && ends && UNITS.contains(&unit.as_str()) {
            let others: Vec<&&str> = UNITS.iter().filter(|other| **other != unit).collect();
            let other = others.choose(random)?;
            return Some(format!("{}{digits}{other}{}", &line[..start], &after[unit.len()..]));
        }
    }
    None
}
