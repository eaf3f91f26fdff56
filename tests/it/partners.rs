//! The client against a partner on a real socket, and the sandbox played by the client.

mod client;
mod content;
pub mod email;
mod gateway;
pub mod pdf;
mod sandbox;
mod world;
