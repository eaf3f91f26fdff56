//! The API: one file per resource. A new resource: a file here and its line in `routes.rs`; calls that
//! are data stand in `crate::endpoints`.

pub mod data_export;
pub mod documents;
pub mod drafts;
pub mod events;
pub mod health;
pub mod journeys;
pub mod master;
pub mod operator;
pub mod presence;
pub mod reports;
pub mod returns;
pub mod scrub;
pub mod seo;
pub mod stream;
pub mod subscriptions;
pub mod uploads;
pub mod webhooks;

use crate::problem::{Code, Problem};

/// An id as we make them; anything else is not found without asking the database.
pub(crate) fn known_id(id: &str) -> Result<&str, Problem> {
    let ours = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ours { Ok(id) } else { Err(Problem::new(Code::NotFound)) }
}
