//! `journey`: see `journey --help`.

use clap::Parser;
use engine_server::cli::Cli;
use std::process::ExitCode;

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
