//! `cargo run -p engine-definitions --example schemas`: writes workflows/schema/.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workflows/schema");
    std::fs::create_dir_all(&folder)?;
    for (name, schema) in engine_definitions::schema::all() {
        std::fs::write(folder.join(name), format!("{}\n", serde_json::to_string_pretty(&schema)?))?;
    }
    Ok(())
}
