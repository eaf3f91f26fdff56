//! From an open socket to a request that may be answered, and back: connections, limits, the frame around every answer,
//! and what is counted of them. Nothing here knows a visitor or a page.

pub mod frame;
pub mod listen;
pub mod metrics;
pub mod middleware;
