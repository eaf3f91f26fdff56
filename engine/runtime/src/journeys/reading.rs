//! What a call of another program reads of a journey of its caller's own: the step, and values of its flow.

use super::event::internal;
use super::{Journeys, new_journey};
use crate::actor::{Action, Actor};
use crate::core::read;
use crate::refusal::Refusal;
use crate::render::{data_of_step, values_of};
use crate::turn::Turn;
use crate::view::{Status, StepView};
use engine_definitions::FieldError;
use serde_json::{Map, Value};

/// A journey as it stands, for a program.
#[derive(Debug, Clone)]
pub struct Reading {
    pub view: Box<StepView>,
    pub standing: Standing,
    /// What its page is told.
    pub data: Value,
}

/// Where a journey stands, without its page: what is asked again and again while something is waited for.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The shown step's state, without the root of its flow.
    pub state: String,
    pub status: Status,
    /// Whether the runtime verified the number of its customer.
    pub verified: bool,
    /// What was asked for, by name; null what its version does not have.
    pub values: Map<String, Value>,
}

impl Journeys {
    /// Reads values of a journey of the caller's own: what is open to a link alone is not read so. Whoever acts for a
    /// customer reads covered values.
    pub async fn read(
        &self,
        actor: &Actor,
        journey: &str,
        values: &[String],
        with_data: bool,
    ) -> Result<Reading, Refusal> {
        self.look(actor, journey, |turn, actor| Reading {
            view: Box::new(self.core.render(turn, actor, Some(journey))),
            standing: standing(turn, actor, values),
            data: if with_data { data_of_step(turn, actor) } else { Value::Null },
        })
        .await
    }

    /// Where such a journey stands.
    pub async fn stand(&self, actor: &Actor, journey: &str, values: &[String]) -> Result<Standing, Refusal> {
        self.look(actor, journey, |turn, actor| standing(turn, actor, values)).await
    }

    async fn look<T>(
        &self,
        actor: &Actor,
        journey: &str,
        tell: impl FnOnce(&Turn<'_>, &Actor) -> T,
    ) -> Result<T, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        if actor.came_by.is_some() {
            return Err(Refusal::NotFound);
        }
        self.core.refuse_ended(&record).await?;
        let (workflow, catalog) = (self.core.workflow_of(&record).await?, self.core.catalog());
        Ok(tell(&Turn::on(&workflow, &catalog, read(record)?, self.core.now_ms()), &actor))
    }

    /// What a step of a flow that has not begun would say of answers, as far as that can be told: nothing of fields
    /// that only other answers bring.
    pub async fn foresee(
        &self,
        actor: &Actor,
        workflow: &str,
        step: &str,
        data: Value,
    ) -> Result<Vec<FieldError>, Refusal> {
        let catalog = self.core.catalog();
        let workflow = catalog.workflow(workflow).ok_or(Refusal::NotFound)?.clone();
        let actor = &self.core.with_prefill(actor).await?;
        let new = new_journey(&workflow, actor, None, Value::Null);
        let turn =
            Turn::begin(&workflow, &catalog, "", new, actor, self.core.now_ms()).map_err(|r| internal(&workflow, r))?;
        Ok(foreseen(&turn, actor, step, data))
    }

    /// What is missing at a step that a journey has not come to yet, as far as that can be told.
    pub async fn foresee_in(&self, actor: &Actor, journey: &str, step: &str) -> Result<Vec<FieldError>, Refusal> {
        self.look(actor, journey, |turn, actor| foreseen(turn, actor, step, Value::Null)).await
    }
}

fn foreseen(turn: &Turn<'_>, actor: &Actor, step: &str, data: Value) -> Vec<FieldError> {
    let mut errors = turn.foresee(step, data, actor);
    errors.retain(|error| error.code != "unknown");
    errors
}

fn standing(turn: &Turn<'_>, actor: &Actor, values: &[String]) -> Standing {
    Standing {
        state: turn.workflow.state_name(turn.step_node()).to_owned(),
        status: turn.record.status.into(),
        verified: turn.state.verified,
        values: values_of(turn, actor, values),
    }
}
