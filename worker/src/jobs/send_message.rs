//! A message to a person: rendered now, sent through the channel's operation or by e-mail, once per effect.

use super::{Context, End};
use engine_definitions::{Channel, Retry};
use engine_partners::CallOutcome;
use engine_runtime::RuntimeError;
use engine_runtime::effect::NotifyPayload;
use engine_store::EffectRecord;
use serde_json::{Value, json};

pub(super) async fn send(context: &Context, effect: &EffectRecord) -> Result<End, RuntimeError> {
    let Ok(payload) = serde_json::from_value::<NotifyPayload>(effect.payload.clone()) else {
        return Ok(End::Park(json!({"code": "payload"})));
    };
    let catalog = context.runtime.catalog();
    let Some(message) = catalog.message(&payload.message) else {
        return Ok(End::Park(json!({"code": "unknown_message", "message": payload.message})));
    };
    let mut data = payload.data.clone();
    if let (Some(code), Some(map)) = (context.runtime.otp_code(&payload), data.as_object_mut()) {
        map.insert("code".into(), Value::String(code));
        map.shift_remove("target");
    }
    if let Some(map) = data.as_object_mut() {
        map.extend(context.runtime.link_addresses(&effect.key, &payload));
    }
    let rendered = match message.render("en", &data) {
        Ok(rendered) => rendered,
        Err(error) => return Ok(End::Park(json!({"code": "template", "text": error.to_string()}))),
    };
    if rendered.channel == Channel::Email {
        let email = engine_partners::Email {
            key: effect.key.to_string(),
            to: payload.to,
            subject: rendered.subject.unwrap_or_default(),
            text: rendered.text,
            html: rendered.html,
        };
        return Ok(match context.partners.send_email(email, context.runtime.now_ms()).await {
            Ok(()) => End::Done(json!({"sent": true})),
            Err(error) if error.retry() => End::Retry { after_ms: None, reason: json!({"code": "email", "text": error.to_string()}) },
            Err(error) => End::Park(json!({"code": "email", "text": error.to_string()})),
        });
    }
    let contract = format!("message/{}", rendered.channel.as_str());
    let Some((partner, operation)) = catalog.partners().find_map(|p| Some((p, p.for_contract(&contract)?))) else {
        return Ok(End::Park(json!({"code": "no_channel", "contract": contract})));
    };
    let input = json!({"to": payload.to, "text": rendered.text, "template_id": rendered.template_id});
    Ok(match context.partners.call(&catalog, partner, operation, &input, &effect.key.to_string(), context.runtime.now_ms()).await {
        CallOutcome::Done { .. } => End::Done(json!({"sent": true})),
        CallOutcome::Failed(error) if matches!(error.retry, Retry::Later(_)) => End::Retry { after_ms: None, reason: json!({"code": error.code}) },
        CallOutcome::Failed(error) => End::Park(json!({"code": error.code})),
    })
}
