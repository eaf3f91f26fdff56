//! What every request passes, part by part: client address, limits, origin, headers, counting. [`crate::connection::frame`] puts
//! them around the handlers. None of them knows the app.

mod client;
mod limiter;
mod origin;
mod places;
mod requests;
mod security;

pub use client::{Client, Proxies, requested_host};
pub use limiter::{Class, Limiter};
pub use origin::Origins;
pub use places::{Full, Places, Slot};
pub use requests::Requests;
pub use security::SecurityHeaders;
