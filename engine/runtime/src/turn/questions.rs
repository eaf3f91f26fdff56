//! What a turn has to ask before it is over, and in which order.

use crate::effect::LinkOrder;
use engine_store::EffectKey;
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

/// Something only the caller can answer before the turn is over.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// A system source (`system/otp.send` …) of an invoke.
    System { invoke: String, run: i64, name: String, input: Value },
    /// Is there a young enough answer of the same source and input?
    Reuse { invoke: String, run: i64, key: String, source: String, input_hash: String, since_ms: i64 },
    /// What did the person send with this event? It is sent again: [`super::Turn::resend`].
    Resend { seq: i64 },
    /// Who acts? What is known is answered in their place: [`super::Turn::answer_known`].
    Known,
    /// Somebody's press sends a message: may it go out?
    Send { effect: EffectKey, message: String, to: String, presser: String },
    /// Somebody's press has a partner send a message by a call: may it go out?
    SendByCall { invoke: String, run: i64, key: String, to: String, presser: String },
    /// A message carries a link: its hash belongs into this commit.
    Link { effect: EffectKey, name: String, order: LinkOrder, to: String },
}

/// Questions of a turn that are open: first how the way goes on, then what its orders need, as they came up.
#[derive(Clone, Default)]
pub(super) struct Questions {
    orders: VecDeque<Question>,
    /// Number of the event that is sent once more, if it still is a good answer.
    resends: Option<i64>,
    /// The shown step asks what is known.
    asks_known: bool,
    /// Steps that were answered so in this turn: each once.
    passed: BTreeSet<String>,
}

impl Questions {
    /// The next one. How the way goes on stays open until [`Questions::stay`]; of the others each is asked once.
    pub fn next(&mut self) -> Option<Question> {
        match self.resends {
            Some(seq) => Some(Question::Resend { seq }),
            None if self.asks_known => Some(Question::Known),
            None => self.orders.pop_front(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.resends.is_none() && !self.asks_known && self.orders.is_empty()
    }

    pub fn push(&mut self, question: Question) {
        self.orders.push_back(question);
    }

    /// The way goes on with what was sent in this event.
    pub fn resend(&mut self, seq: Option<i64>) {
        self.resends = seq;
    }

    /// The way goes on with what is known, once for each step.
    pub fn ask_known(&mut self, step: &str) {
        self.asks_known = self.passed.insert(step.to_owned());
    }

    /// The way goes no further by itself.
    pub fn stay(&mut self) {
        (self.resends, self.asks_known) = (None, false);
    }

    /// An invoke is over: nobody waits for what it asked.
    pub fn stop_invoke(&mut self, id: &str) {
        self.orders.retain(|question| match question {
            Question::System { invoke, .. } | Question::Reuse { invoke, .. } | Question::SendByCall { invoke, .. } => {
                invoke != id
            }
            Question::Resend { .. } | Question::Known | Question::Send { .. } | Question::Link { .. } => true,
        });
    }

    /// A message is not sent: it needs no link.
    pub fn withhold(&mut self, effect: &EffectKey) {
        let is_its = |question: &Question| matches!(question, Question::Link { effect: of, .. } if of == effect);
        self.orders.retain(|question| !is_its(question));
    }

    /// A history answers them itself; how the way went on stands in it too.
    pub fn forget_orders(&mut self) {
        self.orders.clear();
    }
}
