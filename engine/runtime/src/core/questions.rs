//! What a turn asks on the way: the store, the one-time passwords, the codes of links.

use super::Core;
use crate::actor::Actor;
use crate::effect::{CallFailure, CallResult};
use crate::fact::{Fact, Outcome};
use crate::refusal::Refusal;
use crate::turn::{Question, Refused, Turn};
use engine_definitions::CallErrorKind;
use serde_json::Value;

/// Code of a call that would have sent somebody more than may be sent.
const SEND_LIMITED: &str = "send.limited";

impl Core {
    /// Answers what the turn asked, until it asks no more.
    pub async fn answer_questions(&self, turn: &mut Turn<'_>, actor: &Actor) -> Result<(), Unanswered> {
        let flow = turn.id().to_owned();
        while let Some(question) = turn.question() {
            let answered = match question {
                Question::Reuse { invoke, run, key, source, input_hash, since_ms } => {
                    match self.store().reusable_reply(&source, &input_hash, since_ms).await? {
                        Some(reply) => {
                            turn.answer(&invoke, run, &key, Outcome::Output(reply.output), Some(reply.at_ms))
                        }
                        None => Ok(()),
                    }
                }
                Question::Resend { seq } => {
                    let sent = self.store().events(&flow, seq - 1, 1).await?.pop().filter(|event| event.seq == seq);
                    turn.resend(sent.and_then(|event| Fact::read(&event).ok()));
                    Ok(())
                }
                Question::Known => {
                    turn.answer_known(actor);
                    Ok(())
                }
                Question::Send { effect, message, to, presser } => {
                    if self.admit(turn, &to, &presser, actor).await? {
                        Ok(())
                    } else {
                        turn.withhold(&effect, message)
                    }
                }
                Question::SendByCall { invoke, run, key, to, presser } => {
                    if self.admit(turn, &to, &presser, actor).await? {
                        Ok(())
                    } else {
                        let limited = CallFailure { kind: CallErrorKind::Declined, ..CallFailure::of(SEND_LIMITED) };
                        turn.answer(&invoke, run, &key, Outcome::Error(limited), None)
                    }
                }
                Question::Link { effect, name, order, to } => {
                    self.remember_link(turn, &effect, &name, &order, &to).await?;
                    Ok(())
                }
                Question::System { invoke, run, name, input } => {
                    let result = self.system(turn, &name, &input, actor).await?;
                    turn.answer(&invoke, run, "", result.outcome, None)
                }
            };
            if let Err(Refused::Broken { place, reason }) = answered {
                return Err(Unanswered::Broken { place, reason });
            }
        }
        Ok(())
    }

    /// Sources that are the product's own, run inside the commit.
    async fn system(
        &self,
        turn: &mut Turn<'_>,
        name: &str,
        input: &Value,
        actor: &Actor,
    ) -> Result<CallResult, Refusal> {
        match name {
            "otp.send" => self.send_otp(turn, input, actor).await,
            "otp.verify" => self.verify_otp(turn, input, actor).await,
            "totp.verify" => self.verify_second(turn, input).await,
            "person.contact" => self.contact(turn, actor).await,
            "person.record" => self.own_record(turn, input, actor).await,
            "person.note" => Box::pin(self.note_own_record(turn, input, actor)).await,
            "person.restore" => self.restore(turn, input, actor).await,
            other => {
                let message = Some(format!("`system/{other}` does not exist"));
                Ok(CallFailure { message, ..CallFailure::of("unknown_source") }.into())
            }
        }
    }
}

/// A question of a turn that has no answer; the caller knows whose work it was.
pub(crate) enum Unanswered {
    Broken { place: String, reason: String },
    Refused(Refusal),
}

impl<E: Into<Refusal>> From<E> for Unanswered {
    fn from(error: E) -> Self {
        Unanswered::Refused(error.into())
    }
}
