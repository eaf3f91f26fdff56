//! `engine-server`: puts the parts together and starts them; the `journey` binary and the integration tests use it.
//!
//! What it is: [`Product`] (listener, store, runtime, partners, sandbox, worker in one process), [`definitions`] (from
//! a folder, from the binary, watched), and one file per command in [`commands`].
//! What it does not know: anything about journeys. It holds no logic; it only starts things in the right order.
//! A new command: its variant in `cli.rs`, its file in `commands/`.

pub mod cli;
pub mod commands;
pub mod definitions;
mod memory;
mod product;

pub use memory::StoreMemory;
pub use product::{Product, Source, Start};
