//! From an open socket to a request that may be answered, and back: connections, limits, the frame around every answer,
//! and what is counted of them. Nothing here knows a visitor or a page.

pub mod frame;
pub mod listen;
pub mod metrics;
pub mod middleware;

use tower_http::compression::CompressionLevel;

/// How hard answers are compressed: brotli 5 finds repetitions that 4 does not look for (a page has its texts twice, as
/// HTML and as data), in the time of 4; 11 needs thirty times that.
pub const COMPRESSION: CompressionLevel = CompressionLevel::Precise(5);
