//! `journey`: see `journey --help`.

use clap::Parser;
use engine_server::cli::Cli;
use std::process::ExitCode;

/// A step allocates some hundreds of small pieces on two threads; see decision 008 and `.cargo/config.toml`.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // Before anything speaks TLS; a second call would be refused, which does not matter.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match engine_server::commands::run(Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
