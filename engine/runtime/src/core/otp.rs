//! One-time passwords (security rule 15): one gate for every send, tries counted with the turn that makes them.
//!
//! An open password stands in its journey's state, so that sending, a wrong try and its use are part of the turn's
//! commit: after a crash nothing was counted that did not happen. **seq-cas** lets one try be the n-th. The code is
//! derived from the server's key and what it is bound to, when it is sent and when it is compared.

use super::send_gate::{Limit, SendGate, sends_of};
use super::{Core, RuntimeError};
use crate::actor::{Actor, VISITOR};
use crate::clock::{new_id, rfc3339};
use crate::effect::{CallFailure, CallResult, NotifyPayload, OtpRef};
use crate::fact::Outcome;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::{CallErrorKind, SignIn};
use serde_json::{Value, json};
use std::sync::Arc;
use subtle::ConstantTimeEq;

const HOUR_MS: i64 = 3_600_000;

/// The rules of every password; of the settings, in a story of their defaults.
pub(crate) struct Passwords {
    pub ttl_ms: i64,
    pub resend_ms: i64,
    pub tries: i32,
}

impl Passwords {
    pub fn sent(&self, id: &str, purpose: &str, now_ms: i64) -> CallResult {
        let resend_at = rfc3339(now_ms + self.resend_ms);
        CallResult::output(
            json!({"ok": true, "left": self.tries, "resend_at": resend_at, "id": id, "purpose": purpose}),
        )
    }

    /// `{ok, left, resend_at, reason, purpose}`: a wrong, old or used code is `ok: false`, never an error. `reason`:
    /// `verified`, `wrong`, `expired`, `over` (no tries are left) or `none` (none was sent).
    pub fn verify(&self, turn: &Turn<'_>, purpose: &str, is_code_of: impl FnOnce(&str) -> bool) -> CallResult {
        let answer = |left: i32, sent_ms: i64, reason: &str| {
            let (ok, resend_at) = (reason == "verified", rfc3339(sent_ms + self.resend_ms));
            CallResult::output(
                json!({"ok": ok, "left": left, "resend_at": resend_at, "reason": reason, "purpose": purpose}),
            )
        };
        match turn.state.otps.get(purpose) {
            None => answer(0, turn.now_ms - self.resend_ms, "none"),
            Some(open) if turn.now_ms >= open.sent_ms + self.ttl_ms => answer(open.left, open.sent_ms, "expired"),
            Some(open) if open.left < 1 => answer(0, open.sent_ms, "over"),
            Some(open) if is_code_of(&open.id) => answer(open.left - 1, open.sent_ms, "verified"),
            Some(open) => answer(open.left - 1, open.sent_ms, "wrong"),
        }
    }
}

impl Core {
    /// `{mobile, purpose, message?}` → `{ok, left, resend_at, id, purpose}`; refused with `otp.limited`, or the request
    /// as a whole until it comes with a proof. The message that carries the code joins the turn. `mobile` is an e-mail
    /// address in a flow with `signs_in: email`, for who is signed in.
    pub async fn send_otp(&self, turn: &mut Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let (mobile, purpose) = (recipient(input), text(input, "purpose"));
        let for_email = turn.workflow.signs_in == Some(SignIn::Email);
        if is_email(&mobile) != for_email || for_email && actor.person().is_none() {
            return Ok(CallFailure::of("not_signed_in").into());
        }
        let settings = &self.settings.otp;
        let network = actor.network.map(|network| self.keys.short_hash("sends-network", &network.to_string()));
        let gate = self.send_gate(&mobile, network.clone());
        let now = self.now_ms();
        let (recipient, latest, slots) = gate.asks(now);
        if turn.sending.is_none() {
            turn.sending = Some(Arc::new(self.sends.clone().lock_owned().await));
        }
        let mut history = self.store().send_history(recipient, latest, &slots).await?;
        turn.add_own_sends(recipient, &mut history);
        let Ok(counted) = gate.decide(&history, now) else {
            return Ok(CallFailure { kind: CallErrorKind::Declined, ..CallFailure::of("otp.limited") }.into());
        };
        let unproven = network.filter(|_| !actor.proven);
        if unproven.is_some_and(|bucket| sends_of(&history, &bucket) >= settings.unproven_per_address_hour) {
            return Err(Refusal::Proof);
        }
        turn.count_send(counted);
        let id = new_id();
        turn.notify(NotifyPayload {
            message: Some(text(input, "message")).filter(|m| !m.is_empty()).unwrap_or("otp").into(),
            to: mobile,
            data: json!({"minutes": settings.ttl_ms / 60_000}),
            languages: Vec::new(),
            waits: None,
            otp: Some(OtpRef { id: id.clone(), purpose: purpose.into() }),
            links: Default::default(),
            attach: None,
        })
        .map_err(|refused| RuntimeError::Definition { place: "otp".into(), reason: format!("{refused:?}") })?;
        Ok(self.passwords().sent(&id, purpose, now))
    }

    /// `{mobile, purpose, code}` → see [`Passwords::verify`]. What an unknown visitor began is from now on that
    /// person's whose number was verified.
    pub async fn verify_otp(&self, turn: &mut Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let (mobile, purpose) = (recipient(input), text(input, "purpose"));
        let given = self.keys.open(text(input, "code"), turn.id()).unwrap_or_default();
        let result = self.passwords().verify(turn, purpose, |id| {
            let expected = self.keys.otp_code(turn.id(), purpose, &mobile, id);
            bool::from(expected.as_bytes().ct_eq(given.as_bytes()))
        });
        let is_verified = matches!(&result.outcome, Outcome::Output(output) if output["ok"] == true);
        if is_verified && turn.workflow.signs_in == Some(SignIn::Email) {
            turn.takes = actor.person().is_some().then_some(mobile);
            return Ok(result);
        }
        if is_verified && turn.workflow.signs_in == Some(SignIn::Number) {
            return Ok(self.may_take(turn, &mobile, actor).await?.map_or(result, CallResult::from));
        }
        // In a journey that somebody began for her, she comes by a link.
        turn.proves = is_verified && actor.came_by.is_some() && turn.state.assisted.is_some();
        let signs_in = turn.workflow.signs_in.is_some() && actor.came_by.is_none();
        if turn.proves || is_verified && (signs_in || actor.kind == VISITOR) {
            let person = self.person_of(&mobile).await?;
            // To a number that may be another's by now nothing new is added; who it is comes out at the sign-in.
            if !signs_in && !turn.proves && self.is_closed(&person).await? {
                return Ok(result);
            }
            let person = person.id;
            // What is one customer's does not become another's by a number that somebody changed for her.
            if turn.proves && turn.record.person.as_ref().is_some_and(|hers| *hers != person) {
                turn.proves = false;
                return Ok(CallFailure::of("another_person").into());
            }
            turn.record.person = Some(person);
        }
        Ok(result)
    }

    /// The number becomes the number of who is signed in with the end of the journey; unless it is another person's.
    async fn may_take(&self, turn: &mut Turn<'_>, mobile: &str, actor: &Actor) -> Result<Option<CallFailure>, Refusal> {
        let Some(person) = actor.person() else { return Ok(Some(CallFailure::of("not_signed_in"))) };
        if let Some(other) = self.known_person(mobile).await?.filter(|other| other.id != person)
            && !self.gives_way(&other).await?
        {
            return Ok(Some(CallFailure::of("another_person")));
        }
        turn.takes = Some(self.mobile_hash(mobile));
        Ok(None)
    }

    fn passwords(&self) -> Passwords {
        let settings = &self.settings.otp;
        Passwords { ttl_ms: settings.ttl_ms, resend_ms: settings.resend_ms, tries: settings.tries }
    }

    /// The code of an opened password, for the job that sends it.
    pub fn otp_code(&self, journey: &str, notify: &NotifyPayload) -> Option<String> {
        let otp = notify.otp.as_ref()?;
        Some(self.keys.otp_code(journey, &otp.purpose, &notify.to, &otp.id))
    }

    fn send_gate(&self, mobile: &str, network: Option<String>) -> SendGate {
        let (settings, keys) = (&self.settings.otp, &self.keys);
        let hour = |max| Limit { window_ms: HOUR_MS, max };
        let block = if is_email(mobile) { mobile } else { &mobile[..mobile.len().saturating_sub(3)] };
        let mut wide = vec![
            (keys.short_hash("sends-block", block), hour(settings.block_hour)),
            (keys.short_hash("sends-all", ""), hour(settings.global_hour)),
        ];
        wide.extend(network.map(|bucket| (bucket, hour(settings.per_address_hour))));
        SendGate {
            recipient: keys.hash("sends-to", mobile),
            narrow: vec![
                Limit { window_ms: settings.resend_ms, max: 1 },
                hour(settings.per_hour),
                Limit { window_ms: 24 * HOUR_MS, max: settings.per_day },
            ],
            wide,
        }
    }
}

fn text<'v>(input: &'v Value, name: &str) -> &'v str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A number as [`normal_mobile`] has it, or an e-mail address.
fn recipient(input: &Value) -> String {
    let to = text(input, "mobile");
    if is_email(to) { to.trim().to_lowercase() } else { normal_mobile(to) }
}

fn is_email(to: &str) -> bool {
    to.contains('@')
}

/// Ten digits without prefix (R5-11), or what was given.
pub(crate) fn normal_mobile(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    if digits.len() > 10 && (digits.starts_with("91") || digits.starts_with('0')) {
        digits[digits.len() - 10..].to_string()
    } else {
        digits
    }
}
