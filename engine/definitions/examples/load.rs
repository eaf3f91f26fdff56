//! `cargo run --release -p engine-definitions --example load -- <root>`: how long reading and checking
//! all definitions takes, reference data apart; the best of thirty runs.

use engine_definitions::{Files, load};
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let files = Files::read_dir(&root)?;
    let mut best = f64::MAX;
    for _ in 0..30 {
        let start = Instant::now();
        let loaded = load(&files);
        best = best.min(start.elapsed().as_secs_f64() * 1000.0);
        assert!(loaded.catalog.is_some(), "the definitions have errors: run the example `check`");
    }
    println!("{} files, best of 30: {best:.1} ms", files.len());
    Ok(())
}
