//! `make mutants`: shipped definitions with one small mistake each, seeded. A mistake is found by `check`, or by a story
//! that publishing would play; what nobody finds is printed with its place.

mod mutation;

use anyhow::{Context as _, Result};
use clap::Parser;
use engine_definitions::{Catalog, Files, load};
use engine_runtime::story::{Outcome, Runner};
use mutation::{KINDS, Kind, Mutant, mutants};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Allocator of the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What counts as found: so many of a hundred.
const FOUND_MIN: usize = 95;
const THREADS: usize = 2;

/// Exit code 1 when fewer than 95 of 100 mistakes are found.
#[derive(Parser)]
#[command(name = "mutants")]
struct Arguments {
    /// Mistakes of each kind
    #[arg(long, default_value_t = 40)]
    count: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only of this kind, such as `guard`
    #[arg(long)]
    kind: Option<Kind>,
    /// Only in files whose path has this in it
    #[arg(long, default_value = "")]
    only: String,
}

/// Who found a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Finder {
    Check,
    Story,
    Nobody,
}

/// What is known of the definitions as they are shipped.
struct Shipped {
    files: Files,
    versions: BTreeMap<String, String>,
    problems: BTreeSet<String>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let files = Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).context("the definitions")?;
    let loaded = load(&files);
    let catalog = loaded.catalog.context("the definitions have errors (journey check)")?;
    let problems = loaded.problems.iter().map(|problem| problem.message.clone()).collect();
    let shipped = Shipped { versions: versions(&catalog), problems, files };
    let kinds = KINDS.into_iter().filter(|kind| arguments.kind.is_none_or(|only| only == *kind));
    let all: Vec<Mutant> = kinds
        .flat_map(|kind| mutants(&shipped.files, kind, &arguments.only, arguments.seed, arguments.count))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<(Kind, Finder), usize>::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(mutant) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let finder = shipped.finder(mutant);
                    if finder == Finder::Nobody {
                        println!("{mutant}");
                    }
                    let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    *found.entry((mutant.kind, finder)).or_default() += 1;
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let count = |kind: Option<Kind>, finder: Finder| {
        let of = found.iter().filter(|((of, by), _)| kind.is_none_or(|kind| kind == *of) && *by == finder);
        of.map(|(_, count)| *count).sum::<usize>()
    };
    println!("{:<12} {:>6} {:>8} {:>7}", "", "check", "stories", "nobody");
    for kind in KINDS.into_iter().map(Some).chain([None]) {
        let name = kind.map_or_else(|| "all".to_owned(), |kind| kind.to_string());
        let [check, story, nobody] = [Finder::Check, Finder::Story, Finder::Nobody].map(|finder| count(kind, finder));
        if check + story + nobody > 0 {
            println!("{name:<12} {check:>6} {story:>8} {nobody:>7}");
        }
    }
    let missed = count(None, Finder::Nobody);
    Ok(if missed * 100 <= all.len() * (100 - FOUND_MIN) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Shipped {
    fn finder(&self, mutant: &Mutant) -> Finder {
        let loaded = load(&mutant.made_in(&self.files));
        let Some(catalog) = loaded.catalog else { return Finder::Check };
        if loaded.problems.iter().any(|problem| !self.problems.contains(&problem.message)) {
            return Finder::Check;
        }
        let mut runner = Runner::new(&catalog);
        let changed = catalog.workflows().filter(|workflow| self.versions.get(&workflow.id) != Some(&workflow.version));
        let mut stories = changed.flat_map(|workflow| workflow.stories());
        match stories.any(|story| runner.run(story) != Outcome::Held) {
            true => Finder::Story,
            false => Finder::Nobody,
        }
    }
}

fn versions(catalog: &Catalog) -> BTreeMap<String, String> {
    catalog.workflows().map(|workflow| (workflow.id.clone(), workflow.version.clone())).collect()
}
