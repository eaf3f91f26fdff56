//! The files of `migrations/` become part of the program: for each database a list of `(version, description, SQL)`.
//! (sqlx's own macro would build sqlx, both databases and an async runtime a second time, for the compiler.)

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    println!("cargo:rerun-if-changed={}", root.display());
    #[allow(clippy::disallowed_methods)] // what Cargo tells a build script is no setting
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    for database in ["sqlite", "postgres"] {
        std::fs::write(out.join(database).with_extension("rs"), list(&root.join(database))?)?;
    }
    Ok(())
}

/// The migrations of a folder, as the source of an array; files are named `<version>_<description>.sql`.
fn list(folder: &Path) -> std::io::Result<String> {
    let mut files = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    files.sort();
    let mut source = String::from("&[");
    for file in files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let (version, description) = name.split_once('_').ok_or_else(|| unnamed(&file))?;
        let version: i64 = version.parse().map_err(|_| unnamed(&file))?;
        let path = std::fs::canonicalize(&file)?;
        let _ = write!(source, "({version}, {description:?}, include_str!({path:?})),");
    }
    Ok(source + "]")
}

fn unnamed(file: &Path) -> std::io::Error {
    std::io::Error::other(format!("{}: a migration is named <version>_<description>.sql", file.display()))
}
