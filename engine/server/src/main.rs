//! `journey`: see `journey --help`.

use clap::Parser;
use engine_server::cli::{Cli, Command};
use std::process::ExitCode;

/// A step allocates some hundreds of small pieces on two threads; see decision 008 and `.cargo/config.toml`.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// `journey … | head` ends without a word: nobody reads any further.
fn end_with_the_reader() {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload_as_str().unwrap_or_default();
        if words.starts_with("failed printing to stdout") && words.contains("Broken pipe") {
            std::process::exit(0);
        }
        told(panic);
    }));
}

fn main() -> ExitCode {
    // Before anything speaks TLS; a second call would be refused, which does not matter.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let cli = Cli::parse();
    if !matches!(cli.command, Command::Serve(_) | Command::Worker) {
        end_with_the_reader();
    }
    match engine_server::commands::run(cli) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
