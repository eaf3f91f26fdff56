//! What the integration tests share.

pub mod postgres;
pub mod server;
