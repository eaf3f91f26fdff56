//! `cargo run --example trees -- <root>`: every definition in YAML as the tree that it is read as, one line of JSON each,
//! for other readers of YAML to be compared with (`tests/differential/trees.mjs`).

use engine_definitions::{Files, source};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (path, bytes) in Files::read_dir(&root)?.iter().filter(|(path, _)| path.ends_with(".yaml")) {
        let tree = source::read(path, bytes).map_err(|problems| format!("{path}: {} problems", problems.len()))?;
        println!("{}", json!({"path": path, "tree": tree.to_json()}));
    }
    Ok(())
}
