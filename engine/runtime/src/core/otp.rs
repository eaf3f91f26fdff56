//! One-time passwords, whose tries are counted with the turn that makes them, and the one gate that
//! they share with every message that somebody's press sends.
//!
//! An open password stands in its journey's state, so that sending, a wrong try and its use are part of the turn's
//! commit: after a crash nothing was counted that did not happen. **seq-cas** lets one try be the n-th. The code is
//! derived from the server's key and what it is bound to, when it is sent and when it is compared.

use super::send_gate::{Limit, SendGate, sends_of};
use super::{Core, Holds, RuntimeError};
use crate::actor::{Actor, CUSTOMER, Contact, SYSTEM, VISITOR};
use crate::clock::{new_id, rfc3339};
use crate::effect::{CallFailure, CallResult, NotifyPayload, OtpRef};
use crate::fact::Outcome;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::{CallErrorKind, SignIn};
use engine_store::PersonRecord;
use engine_store::{CountedSend, SendHistory};
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
    pub fn send_result(&self, id: &str, purpose: &str, now_ms: i64) -> CallResult {
        let resend_at = rfc3339(now_ms + self.resend_ms);
        CallResult::output(
            json!({"ok": true, "left": self.tries, "resend_at": resend_at, "expires_at": rfc3339(now_ms + self.ttl_ms),
                "id": id, "purpose": purpose}),
        )
    }

    /// The answer where no code is needed: it is the number of who is signed in.
    pub fn not_needed(&self, purpose: &str, now_ms: i64) -> CallResult {
        self.send_result("", purpose, now_ms).with("known", true)
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
    /// `{mobile, purpose, message?, name?}` → `{ok, left, resend_at, expires_at, id, purpose}`; refused with
    /// `otp.limited`, or the request as a whole until it comes with a proof. The message that carries the code joins
    /// the turn. `mobile` is an e-mail address in a flow with `signs_in: email`, for who is signed in. `known: true`,
    /// and nothing is sent: it is the number of who is signed in. Their `name` is kept where none is known.
    pub async fn send_otp(&self, turn: &mut Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let (mobile, purpose) = (recipient(input), text(input, "purpose"));
        let for_email = turn.workflow.signs_in == Some(SignIn::Email);
        if is_email(&mobile) != for_email || for_email && actor.person().is_none() {
            return Ok(CallFailure::of("not_signed_in").into());
        }
        if let Some(refused) = self.keeps_account(turn, &mobile, actor).await? {
            return Ok(refused.into());
        }
        if turn.workflow.signs_in.is_none()
            && let Some(person) = self.shown(turn, &mobile, actor).await?
        {
            self.keep_name(person, text(input, "name")).await?;
            return Ok(self.passwords().not_needed(purpose, self.now_ms()).with("number", self.mobile_hash(&mobile)));
        }
        let settings = &self.settings.otp;
        let now = self.now_ms();
        let limited = || Ok(CallFailure { kind: CallErrorKind::Declined, ..CallFailure::of("otp.limited") }.into());
        let network = self.network_bucket(actor);
        let (paced, _) = self.count_on(turn, &self.pace_of(&mobile), now).await?;
        let (sent, history) = self.count_on(turn, &self.send_gate(&mobile, &actor.id, network.clone()), now).await?;
        let (Some(paced), Some(sent)) = (paced, sent) else { return limited() };
        let unproven = network.filter(|_| !actor.proven);
        if unproven.is_some_and(|bucket| sends_of(&history, &bucket) >= settings.unproven_per_address_hour) {
            return Err(Refusal::Proof);
        }
        turn.count_send(paced);
        turn.count_send(sent);
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
        Ok(self.passwords().send_result(&id, purpose, now))
    }

    /// `{mobile, purpose, code, stays?, name?}` → see [`Passwords::verify`], with `number`, the verified one's hash.
    /// The journey is from now on that person's whose number was verified, and that person is signed in; `stays`: the
    /// person calls the device their own. `name` is kept where none is known.
    pub async fn verify_otp(&self, turn: &mut Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let (mobile, purpose) = (recipient(input), text(input, "purpose"));
        let given = self.keys.open(text(input, "code"), turn.id()).unwrap_or_default();
        let mut result = self.passwords().verify(turn, purpose, |id| {
            let expected = self.keys.otp_code(turn.id(), purpose, &mobile, id);
            bool::from(expected.as_bytes().ct_eq(given.as_bytes()))
        });
        if !matches!(&result.outcome, Outcome::Output(output) if output["ok"] == true) {
            return Ok(result);
        }
        if !is_email(&mobile) {
            result = result.with("number", self.mobile_hash(&mobile));
        }
        match turn.workflow.signs_in {
            Some(SignIn::Email) => {
                turn.proof.takes = actor.person().is_some().then_some(mobile);
                Ok(result)
            }
            Some(SignIn::Number) => self.take_or_show(turn, &mobile, actor, result).await,
            Some(SignIn::Forget) => {
                let refused = self.keeps_account(turn, &mobile, actor).await?;
                turn.record.person = actor.person().map(str::to_owned).filter(|_| refused.is_none());
                Ok(refused.map_or(result, CallResult::from))
            }
            Some(SignIn::Person | SignIn::Staff) | None => self.prove(turn, &mobile, input, actor, result).await,
        }
    }

    /// Gives the journey to the person of this number, and signs them in.
    async fn prove(
        &self,
        turn: &mut Turn<'_>,
        mobile: &str,
        input: &Value,
        actor: &Actor,
        result: CallResult,
    ) -> Result<CallResult, Refusal> {
        // In a journey that somebody began for a customer, the customer comes by a link.
        let was_invited = actor.came_by.is_some() && turn.state.assisted.is_some();
        let signs_in = turn.workflow.signs_in.is_some() && actor.came_by.is_none();
        // Nobody of the staff becomes the customer whose number is shown.
        let for_herself = [VISITOR, CUSTOMER].contains(&actor.kind.as_str());
        if !was_invited && !signs_in && !for_herself {
            return Ok(result);
        }
        let person = self.person_of(mobile).await?;
        // To a number that may be another's by now nothing new is added; who it is comes out at the sign-in, and then
        // the journey is theirs.
        if !signs_in && !was_invited && self.is_closed(&person).await? {
            self.wait_for_owner(&person.mobile, turn.id()).await?;
            return Ok(result);
        }
        // What is one customer's does not become another's by a number that somebody changed for the first.
        if was_invited && turn.record.person.as_ref().is_some_and(|hers| *hers != person.id) {
            return Ok(CallFailure::of("another_person").into());
        }
        turn.record.person = Some(person.id.clone());
        turn.proof.is_person = was_invited || !signs_in && actor.person() != Some(person.id.as_str());
        turn.proof.stays = input["stays"] == true;
        self.keep_name(person, text(input, "name")).await?;
        Ok(result)
    }

    /// Shows that the number of who is signed in is still theirs, unless they have shown the account to be theirs
    /// otherwise; then takes another number, unless it is another person's.
    async fn take_or_show(
        &self,
        turn: &mut Turn<'_>,
        mobile: &str,
        actor: &Actor,
        result: CallResult,
    ) -> Result<CallResult, Refusal> {
        let known = match actor.person() {
            Some(person) => self.store().person(person).await?,
            None => None,
        };
        let Some(known) = known else { return Ok(CallFailure::of("not_signed_in").into()) };
        if known.mobile == self.mobile_hash(mobile) {
            return Ok(result.with("own", known.mobile));
        }
        if turn.state.own_number.as_ref() != Some(&known.mobile) && actor.shown_until_ms <= self.now_ms() {
            return Ok(CallFailure::of("own_number_first").into());
        }
        if let Some(other) = self.known_person(mobile).await?.filter(|other| other.id != known.id)
            && !self.gives_way(&other).await?
        {
            return Ok(CallFailure::of("another_person").into());
        }
        turn.record.person = Some(known.id);
        turn.proof.takes = Some(mobile.to_owned());
        Ok(result.with("own", known.mobile).with("taken", self.mobile_hash(mobile)))
    }

    /// Whether this is the number of who is signed in, or whose the journey is when it goes on by itself.
    async fn shown(&self, turn: &mut Turn<'_>, mobile: &str, actor: &Actor) -> Result<Option<PersonRecord>, Refusal> {
        let known = self.person_at(turn, actor).await?;
        let known = known.filter(|person| person.mobile == self.mobile_hash(mobile));
        if let Some(person) = &known {
            turn.record.person.get_or_insert_with(|| person.id.clone());
        }
        Ok(known)
    }

    /// Who is signed in, or whose the journey is when it goes on by itself; nobody where somebody acts for a customer.
    async fn person_at(&self, turn: &Turn<'_>, actor: &Actor) -> Result<Option<PersonRecord>, Refusal> {
        let goes_on = actor.kind == SYSTEM && turn.state.assisted.is_none();
        let person = actor.person().or(turn.record.person.as_deref().filter(|_| goes_on));
        match person {
            Some(person) => Ok(self.store().person(person).await?),
            None => Ok(None),
        }
    }

    /// `{}` → `{ok, name, mobile, email, shown}` of who is signed in: what is known of them; the address only once it
    /// was confirmed. `ok`: their whole name and number are known; `shown`: a moment ago they named something that no
    /// phone tells.
    pub async fn contact(&self, turn: &Turn<'_>, actor: &Actor) -> Result<CallResult, Refusal> {
        let known = self.person_at(turn, actor).await?.map(|person| person.profile).unwrap_or_default();
        let Contact { name, mobile } = contact_of(&known);
        let is_whole = name.contains(' ') || !text(&known, "name").is_empty();
        let (ok, email) = (is_whole && !mobile.is_empty(), text(&known, "email_verified"));
        let shown = actor.shown_until_ms > self.now_ms();
        Ok(CallResult::output(json!({"ok": ok, "name": name, "mobile": mobile, "email": email, "shown": shown})))
    }

    /// `{mobile}` → `{ok}`: gives the number that was the person's before this journey back to them, for who came by a
    /// link of it, and ends their sessions.
    pub async fn restore(&self, turn: &Turn<'_>, input: &Value, actor: &Actor) -> Result<CallResult, Refusal> {
        let mobile = recipient(input);
        let own = turn.state.own_number.as_ref().filter(|own| **own == self.mobile_hash(&mobile));
        let came = turn.record.person.as_deref().filter(|_| own.is_some() && actor.came_by.is_some());
        let (Some(person), Some(taken)) = (came, turn.state.taken_number.as_deref()) else {
            return Ok(CallFailure::of("nothing_taken").into());
        };
        let ok = self.give_back(actor, (person, taken), &mobile).await?;
        Ok(CallResult::output(json!({"ok": ok})))
    }

    /// Why a flow that forgets goes no further with this number: it is not the one of who is signed in, or something of
    /// theirs is under way.
    async fn keeps_account(
        &self,
        turn: &Turn<'_>,
        mobile: &str,
        actor: &Actor,
    ) -> Result<Option<CallFailure>, Refusal> {
        if turn.workflow.signs_in != Some(SignIn::Forget) {
            return Ok(None);
        }
        let known = self.known_person(mobile).await?;
        let Some(person) = known.filter(|known| Some(known.id.as_str()) == actor.person()) else {
            return Ok(Some(CallFailure::of("not_yours")));
        };
        Ok(self.held_back(&person.id).await?.map(|held| {
            CallFailure::of(match held {
                Holds::UnderWay => "under_way",
                Holds::Paying => "paying",
                Holds::NoList => "not_now",
            })
        }))
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

    /// Whether a message that somebody's press sends may go out; then it is counted with the turn.
    pub async fn admit(
        &self,
        turn: &mut Turn<'_>,
        to: &str,
        presser: &str,
        actor: &Actor,
    ) -> Result<bool, RuntimeError> {
        let to = if is_email(to) { to.trim().to_lowercase() } else { normal_mobile(to) };
        let gate = self.send_gate(&to, presser, self.network_bucket(actor));
        let (counted, _) = self.count_on(turn, &gate, self.now_ms()).await?;
        let is_admitted = counted.is_some();
        counted.into_iter().for_each(|counted| turn.count_send(counted));
        Ok(is_admitted)
    }

    /// How a send would be counted, `None`: not now; and what was counted before it. Nobody else on this node sends
    /// until the turn is written.
    async fn count_on(
        &self,
        turn: &mut Turn<'_>,
        gate: &SendGate,
        now_ms: i64,
    ) -> Result<(Option<CountedSend>, SendHistory), RuntimeError> {
        let (recipient, latest, slots) = gate.asks(now_ms);
        if turn.sending.is_none() {
            turn.sending = Some(Arc::new(self.sends.clone().lock_owned().await));
        }
        let mut history = self.store().send_history(recipient, latest, &slots).await?;
        turn.add_own_sends(recipient, &mut history);
        Ok((gate.decide(&history, now_ms).ok(), history))
    }

    /// Whether a password that is asked for from here now would only be sent with a proof.
    pub async fn asks_proof(&self, actor: &Actor) -> Result<bool, RuntimeError> {
        let settings = &self.settings.otp;
        let Some(bucket) = self.network_bucket(actor) else { return Ok(false) };
        let wide = vec![(bucket.clone(), Limit { window_ms: HOUR_MS, max: settings.per_address_hour })];
        let gate = SendGate { recipient: String::new(), narrow: Vec::new(), wide };
        let (recipient, latest, slots) = gate.asks(self.now_ms());
        let history = self.store().send_history(recipient, latest, &slots).await?;
        Ok(sends_of(&history, &bucket) >= settings.unproven_per_address_hour)
    }

    fn network_bucket(&self, actor: &Actor) -> Option<String> {
        actor.network.map(|network| self.keys.short_hash("sends-network", &network.to_string()))
    }

    /// Passwords to one number or address, one after the other.
    fn pace_of(&self, mobile: &str) -> SendGate {
        let narrow = vec![Limit { window_ms: self.settings.otp.resend_ms, max: 1 }];
        SendGate { recipient: self.keys.hash("passwords-to", mobile), narrow, wide: Vec::new() }
    }

    fn send_gate(&self, mobile: &str, presser: &str, network: Option<String>) -> SendGate {
        let (settings, keys) = (&self.settings.otp, &self.keys);
        let hour = |max| Limit { window_ms: HOUR_MS, max };
        let block = if is_email(mobile) { mobile } else { &mobile[..mobile.len().saturating_sub(3)] };
        let mut wide = vec![
            (keys.short_hash("sends-by", presser), hour(settings.per_sender_hour)),
            (keys.short_hash("sends-block", block), hour(settings.block_hour)),
            (keys.short_hash("sends-all", ""), hour(settings.global_hour)),
        ];
        wide.extend(network.map(|bucket| (bucket, hour(settings.per_address_hour))));
        SendGate {
            recipient: keys.hash("sends-to", mobile),
            narrow: vec![hour(settings.per_hour), Limit { window_ms: 24 * HOUR_MS, max: settings.per_day }],
            wide,
        }
    }
}

fn text<'v>(input: &'v Value, name: &str) -> &'v str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Name and number that a person's profile tells.
pub(crate) fn contact_of(profile: &Value) -> Contact {
    let names = [text(profile, "first_name"), text(profile, "last_name")];
    let names = names.map(str::trim).into_iter().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ");
    let called = text(profile, "name");
    let name = if called.is_empty() || names.contains(' ') { names } else { called.to_owned() };
    Contact { name, mobile: text(profile, "mobile").to_owned() }
}

/// A number as [`normal_mobile`] has it, or an e-mail address.
fn recipient(input: &Value) -> String {
    let to = text(input, "mobile");
    if is_email(to) { to.trim().to_lowercase() } else { normal_mobile(to) }
}

pub(crate) fn is_email(to: &str) -> bool {
    to.contains('@')
}

/// A number in India as ten digits without prefix (R5-11), one of the Emirates as `+971` and nine digits (R5-13); of
/// anything else the digits that were given.
pub(crate) fn normal_mobile(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let bare = digits.trim_start_matches('0');
    let in_india = bare.strip_prefix("91").map(|number| number.trim_start_matches('0'));
    match in_india.filter(|number| number.len() == 10) {
        Some(number) => number.to_owned(),
        None if bare.len() == 12 && bare.starts_with("971") => format!("+{bare}"),
        None if bare.len() == 10 => bare.to_owned(),
        None => digits,
    }
}
