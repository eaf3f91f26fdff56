//! `journey texts`: what nobody has said yet in a language, and what is out of date.

use super::INVALID;
use anyhow::{Context as _, Result};
use engine_definitions::{Files, Sheet, Translated};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Lists what is missing and what is out of date; with `write` the translations get an empty entry for each.
pub fn texts(dir: &Path, language: &str, only: Option<&str>, write: bool) -> Result<ExitCode> {
    let files = Files::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    let mut sheets = engine_definitions::sheets(&files, language);
    sheets.retain(|sheet| only.is_none_or(|part| sheet.file.contains(part)));
    for sheet in &sheets {
        for words in sheet.missing() {
            println!("{}:{}: missing: `{}` “{}”", sheet.file, words.line, words.place, first_line(&words.english));
        }
        for words in &sheet.unused {
            let now = sheet
                .now(words)
                .map_or("nothing reads so now".into(), |now| format!("reads now “{}”", first_line(now)));
            let (path, english) = (sheet.path(language), first_line(&words.english));
            println!("{path}:{}: out of date: `{}` “{english}”: {now}", words.line, words.place);
        }
        if write && sheet.missing().next().is_some() {
            let path = dir.join(sheet.path(language));
            let text = write_sheet(sheet, &path);
            let text = engine_definitions::fmt::format(&sheet.path(language), text.as_bytes()).unwrap_or(text);
            std::fs::write(&path, text).with_context(|| format!("{}", path.display()))?;
        }
    }
    eprintln!("{language}: {}", summarize(&sheets));
    let is_whole = sheets.iter().all(|sheet| sheet.missing().next().is_none() && sheet.unused.is_empty());
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(INVALID) })
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

/// The translation with all entries of a sheet; comments at its top stay.
fn write_sheet(sheet: &Sheet, path: &Path) -> String {
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
