//! `journey stats`.

use super::INVALID;
use anyhow::{Context as _, Result};
use engine_definitions::Files;
use engine_definitions::stats::{CONTRACTS, KINDS, lines};
use std::path::Path;
use std::process::ExitCode;

/// Prints how many lines are written for each line of business, in a table of kinds.
pub fn stats(dir: &Path, line: Option<&str>) -> Result<ExitCode> {
    let files = Files::read_dir(dir).with_context(|| format!("{}", dir.display()))?;
    let found = lines(&files);
    let wanted: Vec<_> = found.iter().filter(|(name, _)| line.is_none_or(|line| line == *name)).collect();
    if wanted.is_empty() {
        let known: Vec<&str> = found.keys().map(String::as_str).collect();
        eprintln!("error: there is no line `{}` here: {}", line.unwrap_or_default(), known.join(", "));
        return Ok(ExitCode::from(INVALID));
    }
    let of_journey = KINDS.iter().position(|kind| *kind == CONTRACTS).map_or(0, |last| last + 1);
    print!("{:<12}", "");
    wanted.iter().for_each(|(name, _)| print!(" {name:>10}"));
    println!();
    let sum = |kinds: &[&str], at: usize| -> usize { kinds.iter().filter_map(|kind| wanted[at].1.get(kind)).sum() };
    let row = |title: &str, kinds: &[&str]| {
        print!("{title:<12}");
        (0..wanted.len()).for_each(|at| print!(" {:>10}", sum(kinds, at)));
        println!();
    };
    KINDS[..of_journey].iter().for_each(|kind| row(kind, &[kind]));
    row("journey", &KINDS[..of_journey]);
    println!();
    KINDS[of_journey..].iter().for_each(|kind| row(kind, &[kind]));
    row("all", &KINDS);
    Ok(ExitCode::SUCCESS)
}
