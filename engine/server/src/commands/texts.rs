//! `journey texts`: what nobody has said yet in a language, files for translators, and what they said.

use super::INVALID;
use crate::cli::{Texts, WhichTexts};
use anyhow::{Context as _, Result, bail};
use engine_definitions::{Files, Sheet, Translated};
use polib::catalog::Catalog;
use polib::message::{Message, MessageFlags};
use polib::metadata::CatalogMetadata;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Mark of an entry that a translator has to look at.
const FUZZY: &str = "fuzzy";

pub fn texts(action: Texts) -> Result<ExitCode> {
    match action {
        Texts::List { which } => list(&which),
        Texts::Write { which, prune } => write(&which, prune),
        Texts::Export { which, to } => export(&which, to.as_deref()),
        Texts::Import { file, dir } => import(&file, &dir),
    }
}

fn list(which: &WhichTexts) -> Result<ExitCode> {
    let sheets = which.sheets()?;
    for sheet in &sheets {
        for words in sheet.missing() {
            println!("{}:{}: missing: `{}` “{}”", sheet.file, words.line, words.place, first_line(&words.english));
        }
        print_unused(sheet, &which.language);
    }
    Ok(print_summary(&which.language, &sheets))
}

/// Every missing text gets what is said for the same English elsewhere, or an empty entry.
fn write(which: &WhichTexts, prune: bool) -> Result<ExitCode> {
    let mut sheets = which.sheets()?;
    let memory = Memory::of(&which.all()?);
    for sheet in &mut sheets {
        let changes = sheet.missing().next().is_some() || prune;
        for words in sheet.words.iter_mut().filter(|words| words.said.is_none()) {
            if let Some(said) = memory.says(&words.english) {
                println!("{}: proposed: “{}” → “{}”", sheet.file, first_line(&words.english), first_line(said));
                words.said = Some(said.to_owned());
            }
        }
        if prune {
            sheet.unused.clear();
        }
        if changes {
            write_sheet(sheet, &which.dir, &which.language)?;
        }
    }
    Ok(print_summary(&which.language, &sheets))
}

fn export(which: &WhichTexts, to: Option<&Path>) -> Result<ExitCode> {
    let memory = Memory::of(&which.all()?);
    let mut metadata = CatalogMetadata::new();
    metadata.language.clone_from(&which.language);
    metadata.project_id_version = "journey".into();
    metadata.mime_version = "1.0".into();
    metadata.content_type = "text/plain; charset=UTF-8".into();
    metadata.content_transfer_encoding = "8bit".into();
    let mut catalog = Catalog::new(metadata);
    for sheet in which.sheets()? {
        for words in &sheet.words {
            catalog.append_or_update(message(&sheet, words, &memory));
        }
    }
    let mut out = BufWriter::new(Vec::new());
    polib::po_file::write(&catalog, &mut out)?;
    let text = out.into_inner().context("a PO file")?;
    match to {
        Some(path) => std::fs::write(path, &text).with_context(|| format!("{}", path.display()))?,
        None => std::io::stdout().write_all(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// An entry for a translator. Its context is the file and the place, so the same English may read differently elsewhere.
fn message(sheet: &Sheet, words: &Translated, memory: &Memory) -> Message {
    let mut made = Message::build_singular();
    made.with_msgctxt(context(&sheet.file, &words.place)).with_msgid(words.english.clone());
    made.with_source(format!("{}:{}", sheet.file, words.line));
    let before = sheet.before(words);
    let proposed = before.and_then(|before| before.said.as_deref()).or_else(|| memory.says(&words.english));
    match (&words.said, proposed) {
        (Some(said), _) => drop(made.with_msgstr(said.clone())),
        (None, Some(proposed)) => {
            made.with_msgstr(proposed.to_owned());
            let mut flags = MessageFlags::new();
            flags.add_flag(FUZZY);
            made.with_flags(flags);
        }
        (None, None) => {}
    }
    if let Some(before) = before {
        made.with_extracted_comments(format!("It read: {}", before.english));
    }
    made.done()
}

fn context(file: &str, place: &str) -> String {
    format!("{file}#{place}")
}

fn import(file: &Path, dir: &Path) -> Result<ExitCode> {
    let catalog = polib::po_file::parse(file).map_err(|e| anyhow::anyhow!("{}: {e}", file.display()))?;
    let language = catalog.metadata.language.trim().to_owned();
    if language.len() != 2 || !language.bytes().all(|byte| byte.is_ascii_lowercase()) {
        bail!("{}: its header has no `Language:` of two letters", file.display());
    }
    let mut sheets = read_sheets(dir, &language)?;
    let (mut taken, mut known) = (0, BTreeSet::new());
    for sheet in &mut sheets {
        let mut changed = false;
        for words in &mut sheet.words {
            let context = context(&sheet.file, &words.place);
            let Some(message) = catalog.find_message(Some(&context), &words.english, None) else { continue };
            known.insert((context, words.english.clone()));
            let said = message.msgstr()?;
            if said.is_empty() || message.is_fuzzy() || words.said.as_deref() == Some(said) {
                continue;
            }
            words.said = Some(said.to_owned());
            (changed, taken) = (true, taken + 1);
        }
        if changed {
            let mut said = sheet.clone();
            said.words.retain(|words| words.said.is_some());
            write_sheet(&said, dir, &language)?;
        }
    }
    let mut strangers = 0;
    for message in catalog.messages().filter(|message| !message.msgid().is_empty()) {
        let entry = (message.msgctxt().unwrap_or_default().to_owned(), message.msgid().to_owned());
        if !known.contains(&entry) {
            strangers += 1;
            println!("{}: “{}” is not there any more: left out", entry.0, first_line(&entry.1));
        }
    }
    eprintln!("{taken} taken, {strangers} left out; {language}: {}", summarize(&sheets));
    Ok(if strangers == 0 { ExitCode::SUCCESS } else { ExitCode::from(INVALID) })
}

/// What is said for each English, where it is said in one way alone.
struct Memory(BTreeMap<String, Option<String>>);

impl Memory {
    fn of(sheets: &[Sheet]) -> Memory {
        let mut memory: BTreeMap<String, Option<String>> = BTreeMap::new();
        for words in sheets.iter().flat_map(|sheet| &sheet.words) {
            let Some(said) = &words.said else { continue };
            memory
                .entry(words.english.clone())
                .and_modify(|known| *known = known.take().filter(|known| known == said))
                .or_insert_with(|| Some(said.clone()));
        }
        Memory(memory)
    }

    fn says(&self, english: &str) -> Option<&str> {
        self.0.get(english)?.as_deref()
    }
}

impl WhichTexts {
    fn all(&self) -> Result<Vec<Sheet>> {
        read_sheets(&self.dir, &self.language)
    }

    fn sheets(&self) -> Result<Vec<Sheet>> {
        let mut sheets = self.all()?;
        sheets.retain(|sheet| self.only.as_ref().is_none_or(|part| sheet.file.contains(part)));
        Ok(sheets)
    }
}

fn read_sheets(dir: &Path, language: &str) -> Result<Vec<Sheet>> {
    let files = Files::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    Ok(engine_definitions::sheets(&files, language))
}

fn print_unused(sheet: &Sheet, language: &str) {
    for words in &sheet.unused {
        let now =
            sheet.now(words).map_or("nothing reads so now".into(), |now| format!("reads now “{}”", first_line(now)));
        let (path, english) = (sheet.path(language), first_line(&words.english));
        println!("{path}:{}: out of date: `{}` “{english}”: {now}", words.line, words.place);
    }
}

/// How far the language is; exit code 2 while something is missing or out of date.
fn print_summary(language: &str, sheets: &[Sheet]) -> ExitCode {
    eprintln!("{language}: {}", summarize(sheets));
    let is_whole = sheets.iter().all(|sheet| sheet.missing().next().is_none() && sheet.unused.is_empty());
    if is_whole { ExitCode::SUCCESS } else { ExitCode::from(INVALID) }
}

/// `812 of 930 texts, 118 missing, 3 out of date`
pub fn summarize(sheets: &[Sheet]) -> String {
    let all: usize = sheets.iter().map(|sheet| sheet.words.len()).sum();
    let missing: usize = sheets.iter().map(|sheet| sheet.missing().count()).sum();
    let unused: usize = sheets.iter().map(|sheet| sheet.unused.len()).sum();
    format!("{} of {all} texts, {missing} missing, {unused} out of date", all - missing)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Writes the translation with all entries of a sheet; one without entries is removed.
fn write_sheet(sheet: &Sheet, dir: &Path, language: &str) -> Result<()> {
    let shown = sheet.path(language);
    let path = dir.join(&shown);
    if sheet.words.is_empty() && sheet.unused.is_empty() {
        return if path.exists() { std::fs::remove_file(&path).with_context(|| shown) } else { Ok(()) };
    }
    let text = write_entries(sheet, &path);
    let text = engine_definitions::fmt::format(&shown, text.as_bytes()).unwrap_or(text);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| shown.clone())?;
    }
    std::fs::write(&path, text).with_context(|| shown)
}

/// All entries of a sheet; comments at the top of its file stay.
fn write_entries(sheet: &Sheet, path: &Path) -> String {
    let mut places: Map<String, Value> = Map::new();
    for Translated { place, english, said, .. } in sheet.words.iter().chain(&sheet.unused) {
        let pairs = places.entry(place.clone()).or_insert_with(|| json!({}));
        pairs[english] = said.clone().unwrap_or_default().into();
    }
    if path.extension().is_some_and(|ending| ending == "json") {
        return Value::Object(places).to_string();
    }
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let mut text: String = before.lines().take_while(|line| line.starts_with('#')).flat_map(|l| [l, "\n"]).collect();
    for (place, pairs) in &places {
        text.push_str(&format!("{}:\n", Value::String(place.clone())));
        for (english, said) in pairs.as_object().into_iter().flatten() {
            text.push_str(&format!("  ? {}\n  : {said}\n", Value::String(english.clone())));
        }
    }
    text
}
