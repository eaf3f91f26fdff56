//! Who people are to us: sessions, links that they came by, how they are reached.

mod account;
mod consents;
mod contact;
mod export;
mod forgetting;
mod kept;
mod links;
mod numbers;
mod passes;
mod proof;
mod records;
mod sessions;
mod staff;

pub use account::Account;
pub use contact::{Presence, Recipient};
pub use proof::ProofOfWork;
pub use records::RecordPage;
pub use staff::{ListedToken, SetUp, StaffMember};

use crate::core::Core;
use std::sync::Arc;

/// Who people are to us.
#[derive(Clone)]
pub struct People {
    pub(crate) core: Arc<Core>,
}
