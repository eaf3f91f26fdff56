//! `cargo run --example schemas`: writes what is made from the tables of the format: workflows/schema/, the reference,
//! the browser's types; and from workflows/site/browser.yaml the types of its sentences.

fn main() -> std::io::Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let definitions = engine_definitions::Files::read_dir(&root)?;
    let sentences = engine_definitions::schema::sentences(&definitions);
    for (path, text) in engine_definitions::schema::generated_files().into_iter().chain(sentences) {
        let path = root.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
