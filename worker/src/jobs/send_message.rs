//! A message to a person: rendered now, sent within its hours and to who agreed, once per effect, and recorded.

use super::{Attempt, Context, End};
use crate::backoff::full_jitter;
use engine_definitions::{Catalog, Channel, House, Message, Rendered, Retry};
use engine_partners::{Begins, CallOutcome, File};
use engine_runtime::RuntimeError;
use engine_runtime::effect::NotifyPayload;
use engine_runtime::turn::quiet;
use engine_store::{EffectRecord, MessageState, SentMessage};
use serde_json::{Value, json};

/// Pauses between two tries of a mail server.
const EMAIL_PAUSE_MS: (i64, i64) = (500, 60_000);

/// What one try came to.
enum Tried {
    Sent { provider_id: Option<String> },
    Again { wait_ms: i64, reason: Value },
    Refused(Value),
    NotBegun,
}

/// How long a one-time password is tried again.
const OTP_PATIENCE_MS: i64 = 6_000;

pub(super) async fn send(attempt: &Attempt<'_>, payload: &NotifyPayload) -> Result<End, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let catalog = context.runtime.catalog();
    let Some(message) = catalog.message(&payload.message) else {
        return Ok(End::Park(json!({"code": "unknown_message", "message": payload.message})));
    };
    let moved = moved(context, effect, message, payload).await?;
    let payload = moved.as_ref().unwrap_or(payload);
    let store = context.runtime.store();
    // A crash between the sending and the end of the job: it is known to be sent.
    if effect.fence > 1 && store.message(&effect.key).await?.is_some_and(|m| m.state == MessageState::Sent) {
        return Ok(End::Done(json!({"sent": true})));
    }
    if let Some((calendar, until_ms)) = message.waits(catalog.calendars(), context.runtime.now_ms()) {
        return Ok(End::Later { due_at_ms: until_ms, reason: quiet(&calendar, until_ms) });
    }
    let rendered = match render(context, effect, message, payload) {
        Ok(rendered) => rendered,
        Err(error) => {
            let reason = json!({"code": "template", "text": error.to_string()});
            context.runtime.work.message_failed(effect, payload, reason).await?;
            return Ok(End::Settled);
        }
    };
    if let Some(consent) = &message.consent
        && !context.runtime.people.consents(&effect.key.journey, consent, &payload.to).await?
    {
        let reason = json!({"code": "no_consent", "consent": consent});
        record(context, effect, message, payload, &rendered, (MessageState::Skipped, None, Some(reason.clone())))
            .await?;
        return Ok(End::Cancel(reason));
    }
    let tried = match message.channel {
        Channel::Email => by_email(attempt, payload, &rendered).await?,
        Channel::Sms | Channel::Whatsapp => by_operation(attempt, &catalog, message, payload, &rendered).await,
    };
    // Somebody looks at the page where the code is asked for: it is not sent later, they are told.
    let is_late = payload.otp.is_some() && context.runtime.now_ms() >= effect.created_at_ms + OTP_PATIENCE_MS;
    let tried = match tried {
        Tried::NotBegun if is_late => Tried::Refused(json!({"code": "no_channel"})),
        Tried::Again { reason, .. } if is_late => Tried::Refused(reason),
        other => other,
    };
    Ok(match tried {
        Tried::Sent { provider_id } => {
            let outcome = json!({"sent": true, "id": provider_id});
            record(context, effect, message, payload, &rendered, (MessageState::Sent, provider_id, None)).await?;
            End::Done(outcome)
        }
        Tried::NotBegun => attempt.not_begun(),
        Tried::Again { wait_ms, reason } if effect.may_retry() => {
            tell_late(attempt, payload, reason["code"].as_str().unwrap_or_default()).await?;
            End::Retry { after_ms: Some(wait_ms), reason }
        }
        Tried::Again { reason, .. } | Tried::Refused(reason) => {
            record(context, effect, message, payload, &rendered, (MessageState::Failed, None, Some(reason.clone())))
                .await?;
            context.runtime.work.message_failed(effect, payload, reason).await?;
            End::Settled
        }
    })
}

/// The order, to the number that its receiver has now; `None`: as it stands. A code goes where it was asked for.
async fn moved(
    context: &Context,
    effect: &EffectRecord,
    message: &Message,
    payload: &NotifyPayload,
) -> Result<Option<NotifyPayload>, RuntimeError> {
    if message.channel == Channel::Email || payload.otp.is_some() {
        return Ok(None);
    }
    let to = context.runtime.people.present_number(&effect.key.journey, &payload.to).await?;
    Ok(to.map(|to| NotifyPayload { to, ..payload.clone() }))
}

/// Once, after the first try.
async fn tell_late(attempt: &Attempt<'_>, payload: &NotifyPayload, code: &str) -> Result<(), RuntimeError> {
    if attempt.effect.fence > 1 {
        return Ok(());
    }
    attempt.context.runtime.work.message_late(attempt.effect, payload, code).await
}

fn render(
    context: &Context,
    effect: &EffectRecord,
    message: &Message,
    payload: &NotifyPayload,
) -> Result<Rendered, engine_definitions::MessageError> {
    let mut data = payload.data.clone();
    if let Some(map) = data.as_object_mut() {
        if let Some(code) = context.runtime.work.otp_code(&effect.key.journey, payload) {
            map.insert("code".to_owned(), Value::String(code));
            map.insert("host".to_owned(), Value::String(context.runtime.work.host()));
        }
        map.extend(context.runtime.work.link_addresses(effect, payload));
    }
    let catalog = context.runtime.catalog();
    let letterhead = &catalog.site(message.language(&payload.languages)).letterhead;
    message.render(&payload.languages, &data, House { letterhead, address: &context.runtime.work.address() })
}

async fn by_email(attempt: &Attempt<'_>, payload: &NotifyPayload, rendered: &Rendered) -> Result<Tried, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let Rendered { subject, text, html, .. } = rendered.clone();
    let file = match &payload.attach {
        Some(id) => context.runtime.store().document(id).await?.filter(|file| file.journey == effect.key.journey),
        None => None,
    };
    let email = engine_partners::Email {
        key: effect.idempotency_key(),
        to: payload.to.clone(),
        subject: subject.unwrap_or_default(),
        text,
        html,
        file: file.map(|file| File { name: file.name, media_type: file.media_type, bytes: file.bytes }),
    };
    if !attempt.begin().await {
        return Ok(Tried::NotBegun);
    }
    Ok(match context.partners.send_email(email, context.runtime.now_ms()).await {
        Ok(()) => Tried::Sent { provider_id: None },
        Err(error) => {
            let reason = json!({"code": "email", "text": error.to_string()});
            let wait_ms = full_jitter(effect.attempt(), EMAIL_PAUSE_MS.0, EMAIL_PAUSE_MS.1);
            if error.retry() { Tried::Again { wait_ms, reason } } else { Tried::Refused(reason) }
        }
    })
}

async fn by_operation(
    attempt: &Attempt<'_>,
    catalog: &Catalog,
    message: &Message,
    payload: &NotifyPayload,
    rendered: &Rendered,
) -> Tried {
    let effect = attempt.effect;
    let contract = message.channel.contract().unwrap_or_default();
    let Some((partner, operation)) = catalog.partners().find_map(|p| Some((p, p.for_contract(&contract)?))) else {
        return Tried::Refused(json!({"code": "no_channel", "contract": contract}));
    };
    let input = json!({
        "to": payload.to,
        "text": rendered.text,
        "template_id": rendered.template_id,
        "purpose": message.purpose,
        "language": rendered.language,
    });
    match attempt.call(catalog, partner, operation, &input).await {
        CallOutcome::Done { output, .. } => {
            Tried::Sent { provider_id: output.get("message").and_then(Value::as_str).map(str::to_owned) }
        }
        CallOutcome::NotBegun => Tried::NotBegun,
        CallOutcome::Failed(error) => {
            let reason = json!({"code": error.code});
            match error.retry {
                Retry::Later(after) => {
                    let wait = full_jitter(effect.attempt(), operation.retry.base_ms, operation.retry.cap_ms);
                    Tried::Again { wait_ms: wait.max(after.map_or(0, |ms| ms as i64)), reason }
                }
                Retry::Never => Tried::Refused(reason),
            }
        }
    }
}

/// One row per effect; the number or address only masked and hashed.
async fn record(
    context: &Context,
    effect: &EffectRecord,
    message: &Message,
    payload: &NotifyPayload,
    rendered: &Rendered,
    (state, provider_id, reason): (MessageState, Option<String>, Option<Value>),
) -> Result<(), RuntimeError> {
    let recipient = context.runtime.people.recipient(message.channel, &payload.to);
    let (channel, outcome) = (message.channel.as_str(), state);
    let sent = SentMessage {
        effect: effect.key.clone(),
        message: message.id.clone(),
        channel: channel.into(),
        purpose: message.purpose.clone(),
        language: rendered.language.clone(),
        template_id: rendered.template_id.clone(),
        recipient: recipient.masked,
        recipient_hash: recipient.hash,
        state,
        provider_id,
        reason,
        ordered_at_ms: effect.created_at_ms,
        at_ms: context.runtime.now_ms(),
    };
    let (purpose, state) = (message.purpose.clone(), format!("{outcome:?}").to_lowercase());
    metrics::counter!("messages_total", "channel" => channel, "purpose" => purpose, "state" => state).increment(1);
    context.runtime.store().save_message(sent).await.map_err(Into::into)
}
