//! Codes of links: derived when they are needed, stored as a keyed hash only (**link-apart**).

use super::Core;
use crate::actor::Grant;
use crate::turn::Turn;
use engine_store::{CorrelationRecord, EffectKey, named_in};
use serde_json::{Value, json};

/// Whose references links are; no folder of a partner can have this name.
pub(crate) const LINKS: &str = "system:link";
pub(crate) const INVITATIONS: &str = "system:invitation";

impl Core {
    pub fn remember_link(&self, turn: &mut Turn<'_>, effect: &EffectKey, name: &str, purpose: &str, valid_ms: i64) {
        let grant = Grant {
            journey: turn.id().into(),
            purpose: purpose.into(),
            made_ms: turn.now_ms,
            until_ms: turn.now_ms.saturating_add(valid_ms),
        };
        let order = link_order(self.store().epoch(), effect, name);
        let reference = self.link_hash(&self.keys.link_code(&order));
        turn.expect_reference(CorrelationRecord {
            partner: LINKS.into(),
            reference,
            journey: turn.id().into(),
            expected: json!(grant),
        });
    }

    /// The code that the customer reads out finds her journey.
    pub fn remember_invitation(&self, turn: &mut Turn<'_>) {
        if let Some(code) = turn.invitation() {
            let reference = self.invitation_hash(code);
            let (partner, journey, expected) = (INVITATIONS.into(), turn.id().into(), Value::Null);
            turn.expect_reference(CorrelationRecord { partner, reference, journey, expected });
        }
    }

    pub fn invitation_hash(&self, code: &str) -> String {
        self.keys.hash("invitation", code)
    }

    pub fn link_hash(&self, code: &str) -> String {
        self.keys.hash("link", code)
    }
}

/// What a code is derived from: one order of one message.
pub(crate) fn link_order(epoch: i32, effect: &EffectKey, name: &str) -> String {
    format!("{}/{name}", named_in(epoch, effect))
}
