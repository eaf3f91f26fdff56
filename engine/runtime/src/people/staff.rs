//! Staff: who works for the house, or for customers, in roles that an operator gave to a mobile number. They sign in as
//! everybody does, then with a second factor; their sessions are made anew for it and end by themselves.
//!
//! A service token is what a program of the house (a dialer) hands to a session: for a while the session has the
//! token's role, and customers whom the token's sources brought need not show at first that a number is theirs.

use super::People;
use super::sessions::token_hash;
use crate::actor::{Actor, CAME, STAFF};
use crate::clock::{new_id, new_token, rfc3339};
use crate::core::{Core, Deed, RuntimeError, base32, normal_mobile, step_of};
use crate::effect::CallResult;
use crate::refusal::Refusal;
use crate::turn::Turn;
use engine_definitions::mask;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bucket of the staff: keyed hash of the number → [`Member`].
const MEMBERS: &str = "staff";
/// Bucket of the service tokens: hash → [`ServiceToken`].
const TOKENS: &str = "service-tokens";
const LISTED_MAX: u32 = 10_000;
/// How long a session of the staff lasts, however much it is used.
const SESSION_MS: i64 = 8 * 3_600_000;
/// Most wrong codes; then none is looked at until this time after the first of them.
const TRIES: u32 = 5;
const TRIES_MS: i64 = 15 * 60_000;
const SECRET_BYTES: usize = 20;
/// How many codes stand in for a lost app, and of how many random bytes each is.
const RECOVERIES: usize = 8;
const RECOVERY_BYTES: usize = 10;
const COMMAND_LINE: &str = "command line";

/// One of the staff, as stored (sealed).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Member {
    id: String,
    name: String,
    mobile: String,
    roles: Vec<String>,
    /// Name that the sign-in provider has for them: its own name of the account, or an e-mail that it has verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    openid: Option<String>,
    /// Secret of the second factor.
    secret: Vec<u8>,
    /// Wrong codes since a time, counted before each is compared.
    tries: u32,
    since_ms: i64,
    /// The last step of time whose code was used, and the turn that did: a code opens once.
    used: i64,
    used_by: String,
    /// Keyed hashes of the codes that stand in for a lost app, once each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    recovery: Vec<String>,
}

/// What a new member sets up a second factor with, and is not shown again.
#[derive(Debug, Clone, PartialEq)]
pub struct SetUp {
    /// Address for the authenticator app.
    pub address: String,
    /// Codes for when the app is lost.
    pub recovery: Vec<String>,
}

/// One of the staff, as operators see them.
#[derive(Debug, Clone, PartialEq)]
pub struct StaffMember {
    pub name: String,
    /// Masked.
    pub mobile: String,
    pub roles: Vec<String>,
}

/// A service token, as stored (sealed).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ServiceToken {
    name: String,
    role: String,
    sources: Vec<String>,
    until_ms: i64,
}

/// A service token that is valid, as operators see it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedToken {
    pub name: String,
    pub role: String,
    pub sources: Vec<String>,
    pub until: String,
}

impl People {
    /// Gives a role to a number. For a new member what the second factor is set up with; it is not shown again.
    /// `openid`: by what the sign-in provider names them, from now on. `NotPossible`: no such role can be given.
    pub async fn add_staff(
        &self,
        name: &str,
        mobile: &str,
        role: &str,
        openid: Option<&str>,
    ) -> Result<Option<SetUp>, Refusal> {
        self.may_be_given(role)?;
        let mobile = normal_mobile(mobile);
        let recovery: Vec<String> = std::iter::repeat_with(recovery_code).take(RECOVERIES).collect();
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::RoleGiven, &format!("{role} to {name}")).await?;
        let key = self.core.mobile_hash(&mobile);
        loop {
            let known = self.core.store().kv_get(MEMBERS, &key).await?;
            let mut member = match &known {
                Some(known) => member_of(known)?,
                None => Member {
                    id: new_id(),
                    name: name.to_owned(),
                    mobile: mobile.clone(),
                    roles: Vec::new(),
                    openid: None,
                    secret: random_secret(),
                    tries: 0,
                    since_ms: 0,
                    used: 0,
                    used_by: String::new(),
                    recovery: recovery.iter().map(|code| self.core.recovery_hash(code)).collect(),
                },
            };
            if !member.roles.iter().any(|known| known == role) {
                member.roles.push(role.to_owned());
            }
            if let Some(openid) = openid {
                member.openid = Some(openid.trim().to_owned());
            }
            let is_new = known.is_none();
            if self.core.store().kv_swap(MEMBERS, &key, known, json!(member)).await? {
                return Ok(is_new.then(|| SetUp { address: self.otpauth(&member), recovery }));
            }
        }
    }

    fn otpauth(&self, member: &Member) -> String {
        let issuer = escape(&self.core.catalog().site("").name);
        let (name, secret) = (escape(&member.name), base32(&member.secret));
        format!("otpauth://totp/{issuer}:{name}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6&period=30")
    }

    pub async fn staff(&self) -> Result<Vec<StaffMember>, Refusal> {
        let all = self.core.store().kv_list(MEMBERS, LISTED_MAX).await?;
        let shown = |(_, kept): (String, Value)| {
            let Member { name, mobile, roles, .. } = member_of(&kept)?;
            Ok(StaffMember { name, mobile: mask(&mobile, "mobile").unwrap_or_default(), roles })
        };
        all.into_iter().map(shown).collect()
    }

    /// The key of whom the sign-in provider names so; `None`: nobody of the staff.
    pub async fn staff_of(&self, subject: &str, email: Option<&str>) -> Result<Option<String>, Refusal> {
        // An address is never taken for the provider's own name of an account, nor the other way round.
        let is_named = |known: &str| match known.contains('@') {
            true => email.is_some_and(|email| email.eq_ignore_ascii_case(known)),
            false => known == subject,
        };
        for (key, kept) in self.core.store().kv_list(MEMBERS, LISTED_MAX).await? {
            if member_of(&kept)?.openid.as_deref().is_some_and(is_named) {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Takes every role from a number and ends its sessions; how many, `None`: it has none of the roles.
    pub async fn revoke_staff(&self, mobile: &str) -> Result<Option<usize>, Refusal> {
        let key = self.core.mobile_hash(mobile);
        let Some(kept) = self.core.store().kv_get(MEMBERS, &key).await? else { return Ok(None) };
        let member = member_of(&kept)?;
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::RolesTaken, &member.name).await?;
        self.core.store().kv_delete(MEMBERS, &key).await?;
        let sessions = self.core.store().sessions_of(&member.id, LISTED_MAX).await?;
        for session in &sessions {
            self.core.store().end_session(&session.token_hash).await?;
            self.leave_helped(session).await;
        }
        Ok(Some(sessions.len()))
    }

    /// The session of this token goes on, under a new one, as this member's of the staff; `None`: no such session, or
    /// nobody of the staff any more.
    pub async fn sign_in_staff(
        &self,
        token: &str,
        member: &str,
        device: Value,
    ) -> Result<Option<(String, Actor)>, Refusal> {
        let Some(kept) = self.core.store().kv_get(MEMBERS, member).await? else { return Ok(None) };
        let (member, now) = (member_of(&kept)?, self.core.now_ms());
        self.renew_session(token, |session| {
            (session.person, session.used_at_ms) = (Some(member.id.clone()), now);
            session.expires_at_ms = now + SESSION_MS;
            let kept = ["language", CAME].map(|key| (key, session.subject[key].take()));
            let (id, name, roles) = (&member.id, &member.name, &member.roles);
            session.subject = json!({"kind": STAFF, "staff": id, "name": name, "roles": roles, "device": device});
            for (key, value) in kept.into_iter().filter(|(_, value)| !value.is_null()) {
                session.subject[key] = value;
            }
        })
        .await
    }

    /// A new service token for `hours`. Only its hash is kept; whoever asked must keep it. `NotPossible`: no such role,
    /// or no such source.
    pub async fn new_service_token(
        &self,
        name: &str,
        role: &str,
        sources: &[String],
        hours: u32,
    ) -> Result<String, Refusal> {
        self.may_be_given(role)?;
        let catalog = self.core.catalog();
        if let Some(unknown) = sources.iter().find(|source| !catalog.policy().sources().any(|known| known == *source)) {
            let known: Vec<&str> = catalog.policy().sources().collect();
            let reason = format!("unknown source `{unknown}`; there is {}", known.join(", "));
            return Err(Refusal::NotPossible { reason });
        }
        let about = format!("{name}: {}", sources.join(", "));
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::TokenMade, &about).await?;
        let token = new_token();
        let until_ms = self.core.now_ms() + i64::from(hours) * 3_600_000;
        let (name, role) = (name.to_owned(), role.to_owned());
        let kept = ServiceToken { name, role, sources: sources.to_vec(), until_ms };
        self.core.store().kv_put(TOKENS, &token_hash(&token), json!(kept)).await?;
        Ok(token)
    }

    /// Service tokens that are valid; what has ended by itself is forgotten on the way.
    pub async fn service_tokens(&self) -> Result<Vec<ListedToken>, Refusal> {
        let mut listed = Vec::new();
        for (key, kept) in self.core.store().kv_list(TOKENS, LISTED_MAX).await? {
            let ServiceToken { name, role, sources, until_ms, .. } = token_of(&kept)?;
            if until_ms <= self.core.now_ms() {
                self.core.store().kv_delete(TOKENS, &key).await?;
            } else {
                listed.push(ListedToken { name, role, sources, until: rfc3339(until_ms) });
            }
        }
        Ok(listed)
    }

    /// Ends every service token of `name`; how many there were. Sessions that hold one are over with their next
    /// request.
    pub async fn revoke_service_tokens(&self, name: &str) -> Result<usize, Refusal> {
        self.core.note_deed(&Actor::operator(COMMAND_LINE), Deed::TokensRevoked, name).await?;
        let mut ended = 0;
        for (key, kept) in self.core.store().kv_list(TOKENS, LISTED_MAX).await? {
            if token_of(&kept)?.name == name {
                self.core.store().kv_delete(TOKENS, &key).await?;
                ended += 1;
            }
        }
        Ok(ended)
    }

    /// The session of this token holds a service token from now on, under a new token of its own. `None`: no such
    /// session, a customer's, or no such service token.
    pub async fn hold_token(&self, token: &str, service: &str) -> Result<Option<(String, Actor)>, Refusal> {
        let hash = token_hash(service);
        let Some(held) = self.valid_token(&hash).await? else { return Ok(None) };
        let known = self.session(token).await?;
        if known.is_none_or(|actor| actor.person().is_some()) {
            return Ok(None);
        }
        let renewed = self.renew_session(token, |session| {
            let subject = &mut session.subject;
            if subject["kind"] != STAFF {
                subject["kind"] = json!(STAFF);
                // Many may hold one token: what one of them began is not the others'.
                subject["staff"] = json!(session.id);
                subject["roles"] = json!([]);
            }
            subject["token"] = json!(hash);
            session.expires_at_ms = session.expires_at_ms.min(held.until_ms);
        });
        let Some((token, actor)) = renewed.await? else { return Ok(None) };
        Ok(self.holding(actor, Some(&hash)).await?.map(|actor| (token, actor)))
    }

    /// The actor with what its session's service token gives; `None`: the token is over, and so is the session.
    pub(super) async fn holding(&self, mut actor: Actor, token: Option<&str>) -> Result<Option<Actor>, Refusal> {
        let Some(token) = token else { return Ok(Some(actor)) };
        let Some(held) = self.valid_token(token).await? else { return Ok(None) };
        if !actor.roles.contains(&held.role) {
            actor.roles.push(held.role);
        }
        actor.sources = held.sources;
        if actor.name.is_empty() {
            actor.name = held.name;
        }
        Ok(Some(actor))
    }

    async fn valid_token(&self, hash: &str) -> Result<Option<ServiceToken>, Refusal> {
        let Some(kept) = self.core.store().kv_get(TOKENS, hash).await? else { return Ok(None) };
        Ok(Some(token_of(&kept)?).filter(|token| token.until_ms > self.core.now_ms()))
    }

    fn may_be_given(&self, role: &str) -> Result<(), Refusal> {
        let catalog = self.core.catalog();
        if catalog.policy().is_given(role) {
            return Ok(());
        }
        let known: Vec<&str> =
            catalog.policy().roles().map(|(role, _)| role).filter(|role| catalog.policy().is_given(role)).collect();
        Err(Refusal::NotPossible { reason: format!("no role `{role}` can be given; there is {}", known.join(", ")) })
    }
}

impl Core {
    /// `{mobile, code}` → `{ok, reason, member, left}`: the second factor of who has just shown that the number is
    /// theirs, or one of the codes that stand in for it, of which so many are `left`. `reason`: `verified`, `wrong`
    /// (also of who is not of the staff), `locked`. A try is counted, durably, before its code is compared; a code that
    /// was used is wrong.
    pub async fn verify_second(&self, turn: &Turn<'_>, input: &Value) -> Result<CallResult, Refusal> {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        let key = self.mobile_hash(text("mobile"));
        let verified = |member: &Member| {
            let (left, member) = (member.recovery.len(), &key);
            Ok(CallResult::output(json!({"ok": true, "reason": "verified", "member": member, "left": left})))
        };
        let answer =
            |reason: &str| Ok(CallResult::output(json!({"ok": false, "reason": reason, "member": "", "left": 0})));
        let person = self.known_person(text("mobile")).await?.map(|person| person.id);
        if !turn.state.verified || person.is_none() || person != turn.record.person {
            return answer("wrong");
        }
        let code = self.keys.open(text("code"), turn.id()).unwrap_or_default();
        let (now, by) = (self.now_ms(), format!("{} {}", turn.id(), turn.record.seq));
        loop {
            let Some(kept) = self.store().kv_get(MEMBERS, &key).await? else { return answer("wrong") };
            let mut member = member_of(&kept)?;
            if now >= member.since_ms + TRIES_MS {
                (member.tries, member.since_ms) = (0, now);
            }
            if member.tries >= TRIES {
                return answer("locked");
            }
            member.tries += 1;
            if !self.store().kv_swap(MEMBERS, &key, Some(kept), json!(member)).await? {
                continue;
            }
            let tried = json!(member);
            if !member.opens(&code, &self.recovery_hash(&code), now, &by) {
                return answer("wrong");
            }
            member.tries = 0;
            if self.store().kv_swap(MEMBERS, &key, Some(tried), json!(member)).await? {
                return verified(&member);
            }
        }
    }
}

impl Core {
    /// However it was typed.
    fn recovery_hash(&self, code: &str) -> String {
        let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
        self.keys.hash("recovery", &plain.to_ascii_uppercase())
    }
}

impl Member {
    /// Whether the app shows this code now, or it is one of those that stand in for it; it is used up then. The same
    /// turn (`by`) may be decided anew.
    fn opens(&mut self, code: &str, hash: &str, now_ms: i64, by: &str) -> bool {
        let is_same = self.used_by == by;
        let step =
            step_of(&self.secret, code, now_ms).filter(|step| *step > self.used || *step == self.used && is_same);
        if let Some(step) = step {
            (self.used, self.used_by) = (step, by.to_owned());
            return true;
        }
        if let Some(at) = self.recovery.iter().position(|known| known == hash) {
            self.recovery.remove(at);
            self.used_by = recovery_turn(by, hash);
            return true;
        }
        self.used_by == recovery_turn(by, hash)
    }
}

/// The turn that used up a code of those that stand in.
fn recovery_turn(by: &str, hash: &str) -> String {
    format!("{by} {hash}")
}

fn member_of(kept: &Value) -> Result<Member, RuntimeError> {
    serde_json::from_value(kept.clone()).map_err(|error| unreadable(MEMBERS, &error))
}

fn token_of(kept: &Value) -> Result<ServiceToken, RuntimeError> {
    serde_json::from_value(kept.clone()).map_err(|error| unreadable(TOKENS, &error))
}

fn unreadable(bucket: &str, error: &serde_json::Error) -> RuntimeError {
    RuntimeError::Definition { place: bucket.into(), reason: error.to_string() }
}

fn random_secret() -> Vec<u8> {
    hex::decode(new_token()).unwrap_or_default().into_iter().take(SECRET_BYTES).collect()
}

/// Four letters or digits, four times.
fn recovery_code() -> String {
    let bytes: Vec<u8> = hex::decode(new_token()).unwrap_or_default().into_iter().take(RECOVERY_BYTES).collect();
    let letters = base32(&bytes);
    letters.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-")
}

fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
