//! `journey fmt`.

use super::INVALID;
use crate::definitions::print_problems;
use anyhow::{Context as _, Result};
use engine_definitions::FOLDERS;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes files in the one style, or with `check` only names those that are not.
pub fn fmt(paths: &[PathBuf], check: bool) -> Result<ExitCode> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files).with_context(|| format!("{}", path.display()))?;
    }
    let (mut changed, mut broken) = (0, 0);
    for path in &files {
        let shown = path.display().to_string().replace('\\', "/");
        let bytes = std::fs::read(path).with_context(|| shown.clone())?;
        match engine_definitions::fmt::format(shown.trim_start_matches("./"), &bytes) {
            Ok(text) if text.as_bytes() == bytes => {}
            Ok(text) => {
                changed += 1;
                println!("{shown}");
                if !check {
                    std::fs::write(path, text).with_context(|| shown.clone())?;
                }
            }
            Err(problems) => {
                broken += 1;
                print_problems(&problems);
            }
        }
    }
    let said = if check { "to be formatted (run `journey fmt`)" } else { "formatted" };
    eprintln!("{} files, {changed} {said}", files.len());
    Ok(if broken > 0 || check && changed > 0 { ExitCode::from(INVALID) } else { ExitCode::SUCCESS })
}

/// Definitions below a path; generated schemas are not written by hand.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    if path.join("workflows").is_dir() || path.join("forms").is_dir() {
        for part in FOLDERS.map(|part| path.join(part)).iter().filter(|part| part.is_dir()) {
            collect(part, files)?;
        }
        return Ok(());
    }
    let mut inside = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    inside.sort();
    for path in inside {
        let is_definition = path.extension().is_some_and(|ending| ending == "yaml" || ending == "json");
        if path.is_dir() && !path.ends_with("workflows/schema") || is_definition {
            collect(&path, files)?;
        }
    }
    Ok(())
}
