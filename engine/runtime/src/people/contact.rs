//! Reaching people: recipients of messages, who is there.

use super::People;
use crate::actor::{Action, Actor};
use crate::core::{normal_mobile, read};
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::{Channel, mask};
use serde_json::Value;

/// A recipient as it may be kept.
pub struct Recipient {
    pub masked: String,
    /// Keyed; the same for the same number or address.
    pub hash: String,
}

/// What a ping leads to, beside the note that somebody is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Presence {
    pub partner: String,
    pub operation: String,
    pub input: Value,
}

impl People {
    pub fn recipient(&self, channel: Channel, to: &str) -> Recipient {
        let (kind, text) = match channel {
            Channel::Email => ("email", to.trim().to_lowercase()),
            Channel::Sms | Channel::Whatsapp => ("mobile", normal_mobile(to)),
        };
        Recipient { masked: mask(&text, kind).unwrap_or_default(), hash: self.core.keys.hash(kind, &text) }
    }

    /// The hash under which messages to a number or address are found.
    pub fn recipient_hash(&self, to: &str) -> String {
        self.recipient(if to.contains('@') { Channel::Email } else { Channel::Sms }, to).hash
    }

    /// The call that a ping of this person on this journey makes, if its workflow has one. Refuses who may not see it.
    pub async fn presence(&self, actor: &Actor, journey: &str) -> Result<Option<Presence>, Refusal> {
        let (record, _) = self.core.mine(actor, Action::See, journey).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        let stored = read(record)?;
        let turn = Turn::on(&workflow, &catalog, stored, self.core.now_ms());
        let call = |input| {
            workflow.presence.as_ref().map(|r| Presence {
                partner: r.partner.clone(),
                operation: r.operation.clone(),
                input,
            })
        };
        Ok(turn.presence_input().and_then(call))
    }
}
