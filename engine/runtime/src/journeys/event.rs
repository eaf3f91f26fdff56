//! What came of a person's event on a turn.

use super::Journeys;
use crate::actor::Actor;
use crate::core::{RuntimeError, Unanswered};
use crate::refusal::Refusal;
use crate::turn::{Checked, INVITE, Refused, Turn, write_canonical};
use engine_definitions::{FieldError, Workflow};
use serde_json::{Value, json};
use std::sync::Arc;

impl Journeys {
    pub(super) fn event_on(
        &self,
        turn: &mut Turn<'_>,
        actor: &Actor,
        kind: &str,
        data: &Value,
    ) -> Result<Applied, Refused> {
        let flow = turn.id().to_owned();
        let applied = apply_event(turn, actor, kind, data, &|plain| self.core.keys.seal(plain, &flow))?;
        if kind == INVITE {
            self.core.remember_invitation(turn);
        }
        Ok(applied)
    }

    /// What came of a person's event; answers what the turn asks on the way. Most events ask nothing.
    pub(super) async fn settle_event(
        &self,
        turn: &mut Turn<'_>,
        applied: Result<Applied, Refused>,
        actor: &Actor,
        event: (&str, &Value),
        stored: Option<&str>,
    ) -> Result<(), Refusal> {
        match applied {
            Ok(Applied::Done) if !turn.has_questions() => Ok(()),
            applied => Box::pin(self.answer_event(turn, applied, actor, event, stored)).await,
        }
    }

    async fn answer_event(
        &self,
        turn: &mut Turn<'_>,
        applied: Result<Applied, Refused>,
        actor: &Actor,
        (kind, data): (&str, &Value),
        stored: Option<&str>,
    ) -> Result<(), Refusal> {
        match applied {
            Ok(Applied::Done) => match self.core.answer_questions(turn, actor).await {
                Ok(()) => Ok(()),
                Err(Unanswered::Broken { place, reason }) => {
                    Err(self.record_incident((turn, actor), stored, (kind, data), (&place, &reason)).await)
                }
                Err(Unanswered::Refused(refusal)) => Err(refusal),
            },
            Ok(Applied::Invalid(errors)) => Err(Refusal::Invalid { errors }),
            Err(Refused::Unselected) => {
                let view = match stored {
                    Some(journey) => self.view(actor, journey).await?,
                    None => self.preview(&turn.workflow.id, actor, turn.record.attribution.clone()).await?,
                };
                Err(Refusal::NotAccepted { view: Box::new(view) })
            }
            Err(Refused::Broken { place, reason }) => {
                Err(self.record_incident((turn, actor), stored, (kind, data), (&place, &reason)).await)
            }
        }
    }

    /// An incident: the answers are kept as a draft, the state does not move.
    async fn record_incident(
        &self,
        (turn, actor): (&Turn<'_>, &Actor),
        stored: Option<&str>,
        (kind, data): (&str, &Value),
        (place, reason): (&str, &str),
    ) -> Refusal {
        tracing::error!(
            workflow = turn.workflow.id,
            version = turn.workflow.version,
            place,
            reason,
            event = kind,
            "definition failed"
        );
        let Some(journey) = stored else {
            return Refusal::Internal(Box::new(RuntimeError::Definition {
                place: place.into(),
                reason: reason.into(),
            }));
        };
        match self.core.keep_failure(turn, place, reason, json!({"event": kind})).await {
            Ok((id, step)) => {
                let key = turn.draft_key(&step, actor);
                if kind == "submit"
                    && let Err(error) = self.keep_draft(turn.workflow, journey, (&step, key), data.clone()).await
                {
                    tracing::error!(%error, "draft of a failed answer is lost");
                }
                Refusal::Broken { reference: id }
            }
            Err(error) => error.into(),
        }
    }

    /// Hash of what was asked: equal requests have equal hashes, whatever the order of their fields.
    pub(super) fn request_hash(&self, words: &[&str], data: &Value) -> i64 {
        let mut text = Vec::with_capacity(1_024);
        for word in words {
            text.extend_from_slice(&word.len().to_be_bytes());
            text.extend_from_slice(word.as_bytes());
        }
        write_canonical(data, &mut text);
        self.core.keys.number("request", &text)
    }
}

/// A person's event on a turn: checked, then fed.
pub(crate) enum Applied {
    Done,
    Invalid(Vec<FieldError>),
}

/// The one place where the type of a person's event is looked at.
pub(crate) fn apply_event(
    turn: &mut Turn<'_>,
    actor: &Actor,
    kind: &str,
    data: &Value,
    seal: &dyn Fn(&str) -> String,
) -> Result<Applied, Refused> {
    if !turn.takes_from(kind, actor) {
        return Err(Refused::Unselected);
    }
    match kind {
        "back" => turn.back(actor)?,
        "change" => turn.change(data.get("step").and_then(Value::as_str).unwrap_or_default(), actor)?,
        "save" => turn.save(data, actor)?,
        help if turn.help_offered(actor) == Some(help) => turn.on_help(help, actor)?,
        "submit" => match turn.check_answer(data, actor, seal)? {
            Checked::Good(answer) => turn.submit(answer, actor)?,
            Checked::Wrong(errors) => return Ok(Applied::Invalid(errors)),
        },
        other => match turn.check_event(other, data, actor) {
            None => return Err(Refused::Unselected),
            Some(errors) if !errors.is_empty() => return Ok(Applied::Invalid(errors)),
            Some(_) => turn.accept_event(other, data, actor)?,
        },
    }
    Ok(Applied::Done)
}

pub(super) fn internal(workflow: &Arc<Workflow>, refused: Refused) -> Refusal {
    let (place, reason) = match refused {
        Refused::Broken { place, reason } => (place, reason),
        Refused::Unselected => (workflow.id.clone(), "the machine did not start".into()),
    };
    Refusal::Internal(Box::new(RuntimeError::Definition { place, reason }))
}
