//! Codes of links: derived when they are needed, stored as a keyed hash only (**link-apart**).

use super::Core;
use super::otp::is_email;
use crate::actor::Grant;
use crate::effect::LinkOrder;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_store::{CorrelationRecord, EffectKey, named_in};
use serde_json::{Value, json};

/// Partner name under which links are kept as references; no folder of a partner can have this name.
pub(crate) const LINKS: &str = "system:link";
pub(crate) const INVITATIONS: &str = "system:invitation";

impl Core {
    /// A link opens something only for a number or an address that is known to be its receiver's; towards anybody else
    /// it leads to the account, where its owner signs in.
    pub async fn remember_link(
        &self,
        turn: &mut Turn<'_>,
        effect: &EffectKey,
        name: &str,
        order: &LinkOrder,
        to: &str,
    ) -> Result<(), Refusal> {
        if !self.may_be_sent(turn, order, to).await? {
            turn.make_plain(effect, name);
            return Ok(());
        }
        let LinkOrder { purpose, valid_ms, .. } = order;
        let grant = Grant {
            journey: turn.id().into(),
            purpose: purpose.clone(),
            // What was revoked a moment ago, maybe by this very turn, is older.
            made_ms: turn.state.revoked.get(purpose).map_or(turn.now_ms, |at| turn.now_ms.max(at + 1)),
            until_ms: turn.now_ms.saturating_add(*valid_ms),
        };
        let order = link_order(self.store().epoch(), effect, name);
        let reference = self.link_hash(&self.keys.link_code(&order));
        turn.expect_reference(CorrelationRecord {
            partner: LINKS.into(),
            reference,
            journey: turn.id().into(),
            expected: json!(grant),
        });
        Ok(())
    }

    /// An open link goes where a verified customer, or who began the journey for one, sends it; any other one to a
    /// number that was verified in this journey or is its owner's, or to the address that its owner has confirmed.
    async fn may_be_sent(&self, turn: &Turn<'_>, order: &LinkOrder, to: &str) -> Result<bool, Refusal> {
        if order.open {
            return Ok(turn.state.verified || turn.state.assisted.is_some());
        }
        let owner = turn.record.person.as_deref();
        if is_email(to) {
            let Some(id) = owner else { return Ok(false) };
            let person = self.store().person(id).await?;
            let confirmed = person.as_ref().and_then(|person| person.profile.get("email_verified")?.as_str());
            return Ok(confirmed.is_some_and(|address| address.eq_ignore_ascii_case(to.trim())));
        }
        if turn.state.proved.contains(&self.mobile_hash(to)) {
            return Ok(true);
        }
        let known = self.known_person(to).await?;
        Ok(known.is_some_and(|person| Some(person.id.as_str()) == owner))
    }

    /// Keeps the code that the customer reads out, so that it finds the journey.
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
