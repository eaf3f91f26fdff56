//! `cargo run -p engine-definitions --example check -- <root or files…>`: prints every problem.

use engine_definitions::{Files, Severity, check, load};
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let paths: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    let problems = check::check(&paths).problems;
    for problem in &problems {
        let grade = if problem.severity == Severity::Error { "error" } else { "warning" };
        println!("{problem} [{grade}]");
    }
    let errors = problems.iter().filter(|p| p.is_error()).count();
    println!("{errors} errors, {} warnings", problems.len() - errors);
    if let Some(root) = paths.first().filter(|p| p.join("workflows").is_dir())
        && let Ok(files) = Files::read_dir(root)
    {
        let start = Instant::now();
        let loaded = load(&files);
        let ms = start.elapsed().as_secs_f64() * 1000.0;
        println!(
            "{} files loaded in {ms:.1} ms, {} workflows",
            files.len(),
            loaded.catalog.map_or(0, |c| c.workflows().count())
        );
    }
    if errors > 0 {
        std::process::exit(2);
    }
}
