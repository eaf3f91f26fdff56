//! One-time passwords: one gate for every send, tries counted before anything is compared (security rule 15).

use crate::clock::{new_id, rfc3339};
use crate::effect::{CallResult, FailureKind, NotifyPayload, OtpRef};
use crate::runtime::{Runtime, RuntimeError};
use engine_store::{OtpOpened, OtpRecord, RateLimit};
use serde_json::{Value, json};
use subtle::ConstantTimeEq;

const HOUR_MS: i64 = 3_600_000;

/// A code that was opened: what the machine hears, and the message that carries it.
pub(crate) struct Opened {
    pub result: CallResult,
    pub notify: Option<NotifyPayload>,
}

impl Runtime {
    /// `{mobile, purpose, message?}` → `{ok, left, resend_at, id}`; refused with `otp.limited`.
    pub(crate) async fn open_otp(
        &self,
        input: &Value,
        flow: &str,
        address: Option<&str>,
    ) -> Result<Opened, RuntimeError> {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
        let (mobile, purpose) = (normal_mobile(&text("mobile")), text("purpose"));
        let settings = &self.inner.settings.otp;
        let now = self.now_ms();
        let target_hash = self.inner.keys.hash("otp-target", &format!("{purpose}:{mobile}"));
        let number = self.inner.keys.hash("mobile", &mobile);
        let block = self.inner.keys.hash("block", &mobile[..mobile.len().saturating_sub(3)]);
        let mut limits = vec![
            RateLimit { bucket: format!("m30:{number}"), window_ms: settings.resend_ms, max: 1 },
            RateLimit { bucket: format!("mh:{number}"), window_ms: HOUR_MS, max: settings.per_hour },
            RateLimit { bucket: format!("md:{number}"), window_ms: 24 * HOUR_MS, max: settings.per_day },
            RateLimit { bucket: format!("b:{block}"), window_ms: HOUR_MS, max: settings.block_hour },
            RateLimit { bucket: "all".into(), window_ms: HOUR_MS, max: settings.global_hour },
        ];
        if let Some(address) = address {
            limits.push(RateLimit {
                bucket: format!("a:{}", self.inner.keys.hash("address", address)),
                window_ms: HOUR_MS,
                max: settings.per_address_hour,
            });
        }
        let record = OtpRecord {
            id: new_id(),
            purpose,
            target_hash,
            flow: flow.into(),
            nonce: new_id(),
            tries: 0,
            created_at_ms: now,
            expires_at_ms: now + settings.ttl_ms,
            used_at_ms: None,
        };
        match self.store().open_otp(record.clone(), limits).await? {
            OtpOpened::Limited { retry_at_ms, .. } => {
                let minutes = (retry_at_ms - now).max(0) / 60_000;
                let message = if minutes < 1 {
                    "Please wait a little before asking for another code.".to_string()
                } else {
                    format!("Too many codes were asked for. Please try again in {} minutes.", minutes + 1)
                };
                Ok(Opened {
                    result: CallResult::Failed {
                        code: "otp.limited".into(),
                        row: String::new(),
                        message: Some(message),
                        pointer: None,
                        kind: FailureKind::Declined,
                    },
                    notify: None,
                })
            }
            OtpOpened::Opened => {
                let output = json!({"ok": true, "left": settings.tries, "resend_at": rfc3339(now + settings.resend_ms), "id": record.id, "purpose": record.purpose});
                let message = Some(text("message")).filter(|m| !m.is_empty()).unwrap_or_else(|| "otp".into());
                let minutes = settings.ttl_ms / 60_000;
                let notify = NotifyPayload {
                    message,
                    to: mobile,
                    data: json!({"minutes": minutes}),
                    languages: Vec::new(),
                    waits: None,
                    otp: Some(OtpRef { id: record.id.clone(), nonce: record.nonce.clone() }),
                    links: Default::default(),
                };
                // The sending job derives the code from the nonce and this hash.
                let mut notify = notify;
                notify.data["target"] = Value::String(record.target_hash);
                Ok(Opened {
                    result: CallResult::Done { output, correlate: Vec::new(), document: None },
                    notify: Some(notify),
                })
            }
        }
    }

    /// `{mobile, purpose, code}` → `{ok, left, resend_at}`; a wrong, old or used code is `ok: false`, never an error.
    pub(crate) async fn verify_otp(
        &self,
        input: &Value,
        open: Option<&str>,
        flow: &str,
    ) -> Result<CallResult, RuntimeError> {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
        let now = self.now_ms();
        let settings = &self.inner.settings.otp;
        let given = self.inner.keys.open(&text("code"), flow).unwrap_or_default();
        let done = |ok: bool, left: i32, at: i64, reason: &str| {
            let output = json!({"ok": ok, "left": left.max(0), "resend_at": rfc3339(at + settings.resend_ms), "reason": reason, "purpose": text("purpose")});
            CallResult::Done { output, correlate: Vec::new(), document: None }
        };
        let Some(id) = open else { return Ok(done(false, 0, now - settings.resend_ms, "none")) };
        let Some(record) = self.store().try_otp(id, now, settings.tries).await? else {
            return Ok(done(false, 0, now - settings.resend_ms, "over"));
        };
        let target_hash =
            self.inner.keys.hash("otp-target", &format!("{}:{}", text("purpose"), normal_mobile(&text("mobile"))));
        let expected = self.inner.keys.otp_code(&record.nonce, &record.target_hash);
        let bound = record.flow == flow && record.target_hash == target_hash && record.purpose == text("purpose");
        let equal = bool::from(expected.as_bytes().ct_eq(given.as_bytes()));
        if bound && equal && self.store().use_otp(id, now).await? {
            return Ok(done(true, settings.tries - record.tries, record.created_at_ms, "verified"));
        }
        Ok(done(false, settings.tries - record.tries, record.created_at_ms, "wrong"))
    }

    /// The code of an opened password, for the job that sends it.
    pub fn otp_code(&self, notify: &NotifyPayload) -> Option<String> {
        let otp = notify.otp.as_ref()?;
        let target = notify.data.get("target")?.as_str()?;
        Some(self.inner.keys.otp_code(&otp.nonce, target))
    }
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
