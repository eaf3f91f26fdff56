//! An optimised program tells the loader in a compact form which of its words are addresses: 30 KB to read at every
//! start instead of 1.6 MB. The linker and the C library must know that form (glibc from 2.36 on).

#![allow(clippy::disallowed_methods)] // what Cargo tells a build script is no setting

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let native = std::env::var("HOST").ok() == std::env::var("TARGET").ok();
    if is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && native
        && glibc().is_some_and(|version| version >= (2, 36))
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Version of this machine's glibc.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
