//! `journey new line`: a line of business that works, written into every place that a line has.

use super::INVALID;
use anyhow::{Context as _, Result};
use engine_definitions::{Files, fmt};
use rust_embed::RustEmbed;
use std::path::Path;
use std::process::ExitCode;

/// Files of a new line of business; `LINE`, `TITLE`, `NOUN` and `BASE` stand for what it is called.
#[derive(RustEmbed)]
#[folder = "skeleton"]
struct Skeleton;

/// What it needs of files that all lines share: the lines that lead there, one after another, and what stands behind
/// the last of them, or in front of it.
struct Shared {
    file: &'static str,
    after: &'static [&'static str],
    adds: &'static str,
}

const SHARED: &[Shared] = &[
    Shared { file: "workflows/site/layout.yaml", after: &["products:"], adds: "  LINE: {under: /BASE}\n" },
    Shared {
        file: "workflows/site/menus.yaml",
        after: &["menus:", "  retail:"],
        adds: "    - {text: TITLE, link: /BASE, mobile_only: true}\n",
    },
    Shared {
        file: "workflows/site/menus.yaml",
        after: &["footers:", "  retail:", "    - title: Products", "      links:"],
        adds: "        - {text: TITLE, link: /BASE}\n",
    },
    Shared {
        file: "workflows/site/channels.yaml",
        after: &["sources:"],
        adds: "  - {product: LINE, order: [partner], gives: {source: B2C, medium: WEB}}\n",
    },
    Shared {
        file: "workflows/site/pages/account/dashboard.yaml",
        after: &["on: {"],
        adds: "renew_LINE: /api/v1/account/renew-LINE, ",
    },
    Shared {
        file: "workflows/site/pages/account/dashboard.yaml",
        after: &["          - &renew", "          - {<<: *renew"],
        adds: "          - {<<: *renew, each: \"[policy].filter(p, p.?line.orValue('') == 'LINE' && p.?renew_from.orValue('') <= today)\", event: renew_LINE}\n",
    },
    Shared {
        file: "workflows/site/pages/staff.yaml",
        after: &["    title: Begin", "    items:"],
        adds: "      - {label: TITLE, href: /BASE}\n",
    },
    Shared {
        file: "workflows/service/tables/lines.yaml",
        after: &["rows:"],
        adds: "  - [LINE, TITLE, \"A damage, or a theft.\", /BASE, hatch]\n",
    },
];

struct Names {
    line: String,
    title: String,
    noun: String,
}

impl Names {
    fn put(&self, text: &str) -> String {
        let base = format!("{}-insurance", self.line);
        [("LINE", &self.line), ("TITLE", &self.title), ("NOUN", &self.noun), ("BASE", &base)]
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }
}

/// Writes the line `name` into `dir`, and says what it wrote.
pub fn line(dir: &Path, name: &str, title: Option<String>, noun: Option<String>) -> Result<ExitCode> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_name) {
        eprintln!("error: `{name}` is no name of a line: small letters and digits");
        return Ok(ExitCode::from(INVALID));
    }
    let files = Files::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    let noun = noun.unwrap_or_else(|| name.to_owned());
    let title = title.unwrap_or_else(|| format!("{}{} insurance", name[..1].to_ascii_uppercase(), &name[1..]));
    let names = Names { line: name.to_owned(), title, noun };
    let mut written: Vec<(String, String)> = Vec::new();
    for path in Skeleton::iter() {
        let text = Skeleton::get(&path).map(|file| String::from_utf8_lossy(&file.data).into_owned());
        written.push((names.put(&path), names.put(&text.unwrap_or_default())));
    }
    if let Some((taken, _)) = written.iter().find(|(path, _)| files.contains(path)) {
        eprintln!("error: {taken} is there already");
        return Ok(ExitCode::from(INVALID));
    }
    let mut by_hand = Vec::new();
    for shared in SHARED {
        let (adds, known) = (names.put(shared.adds), written.iter().position(|(path, _)| path == shared.file));
        let text = match known {
            Some(at) => Some(written[at].1.clone()),
            None => files
                .iter()
                .find(|(path, _)| *path == shared.file)
                .map(|(_, b)| String::from_utf8_lossy(b).into_owned()),
        };
        match (text.and_then(|text| insert_after(&text, shared.after, &adds)), known) {
            (Some(text), Some(at)) => written[at].1 = text,
            (Some(text), None) => written.push((shared.file.to_owned(), text)),
            (None, _) => by_hand.push(format!("{}: {}", shared.file, adds.trim())),
        }
    }
    for (path, text) in &written {
        let text = fmt::format(path, text.as_bytes()).unwrap_or_else(|_| text.clone());
        let file = dir.join(path);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        println!("{path}");
    }
    by_hand.iter().for_each(|place| println!("to add by hand: {place}"));
    println!("{} files; next: workflows/README.md, “A new line”", written.len());
    Ok(ExitCode::SUCCESS)
}

/// A text with more behind the last of these lines, each found below the one before it; on that line itself where what
/// is added is no line of its own.
fn insert_after(text: &str, after: &[&str], adds: &str) -> Option<String> {
    let mut at = 0;
    for wanted in after {
        let mut lines = text[at..].split_inclusive('\n').scan(at, |start, line| {
            let found = (*start, line);
            *start += line.len();
            Some(found)
        });
        let (start, line) = lines.find(|(_, line)| line.starts_with(wanted))?;
        at = if adds.ends_with('\n') { start + line.len() } else { start + wanted.len() };
    }
    Some(format!("{}{adds}{}", &text[..at], &text[at..]))
}
