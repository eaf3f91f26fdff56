//! An advisor helps with a journey that its customer began: the customer asks for it, reads out a code that only they
//! are shown, sees that somebody is there, and ends it when they like. What advisors may do is the flow's to say, in
//! its `links`.

use super::{Refused, Turn};
use crate::actor::{ASSISTANCE, Actor, STAFF, owns};
use crate::clock::new_token;
use crate::core::base32;
use crate::fact::Fact;
use crate::state::{Helper, Invitation};
use crate::view::{Accepted, Level, MessageView, Step, StepKind};
use serde_json::{Map, Value, json};

/// The purpose of `links` under which a flow says what such an advisor may do; without it there is no such help.
pub(crate) const HELP: &str = "help";
/// Event with which a customer asks for help.
pub(crate) const INVITE: &str = "invite";
const DISMISS: &str = "dismiss";
/// How long a code is good, and how long somebody helps: no session of the staff lasts longer.
const INVITED_MS: i64 = 15 * 60_000;
pub(crate) const HELPS_MS: i64 = 8 * 3_600_000;
const CODE_BYTES: usize = 5;

impl Turn<'_> {
    /// The event that the customer may send about help: it is ended as long as anybody has access.
    pub(crate) fn help_offered(&self, actor: &Actor) -> Option<&'static str> {
        let is_hers = actor.kind != STAFF && !self.record.id.is_empty() && owns(actor, &self.record);
        if !is_hers || !self.is_active() {
            return None;
        }
        let has_help = || self.workflow.link_events(HELP, self.step_node()).is_some();
        if self.is_accompanied() { Some(DISMISS) } else { has_help().then_some(INVITE) }
    }

    pub(crate) fn is_accompanied(&self) -> bool {
        self.state.companions(self.now_ms).next().is_some()
    }

    /// The code that the customer may read out.
    pub(crate) fn invitation(&self) -> Option<&str> {
        let open = self.state.invitation.as_ref().filter(|open| self.now_ms < open.until_ms);
        open.map(|open| open.code.as_str())
    }

    /// The customer asks for help, or ends it.
    pub(crate) fn on_help(&mut self, event: &str, actor: &Actor) -> Result<(), Refused> {
        let fact = if event == INVITE { Fact::Invited { code: random_code() } } else { Fact::HelpEnded };
        self.happen(fact, actor).map(drop)
    }

    /// Lets somebody in who comes with the customer's code, until a time at most. False: it is not, or no longer, this
    /// journey's.
    pub(crate) fn take_over(
        &mut self,
        code: &str,
        (role, until_ms): (&str, i64),
        actor: &Actor,
    ) -> Result<bool, Refused> {
        if !self.is_active() || self.invitation() != Some(code) {
            return Ok(false);
        }
        self.happen(Fact::Helped { role: role.to_owned(), name: actor.name.clone(), until_ms }, actor)
    }

    /// Whoever helps has signed out, or was taken the role. False: by now it is somebody else, or nobody.
    pub(crate) fn leave_help(&mut self, actor: &Actor) -> Result<bool, Refused> {
        let helps = self.state.helper.as_ref().is_some_and(|helper| helper.name == actor.name);
        if !helps || !self.is_active() {
            return Ok(false);
        }
        self.happen(Fact::HelperLeft, actor)
    }

    pub(super) fn record_invitation(&mut self, code: &str) {
        self.state.invitation = Some(Invitation { code: code.to_owned(), until_ms: self.now_ms + INVITED_MS });
        self.record.revision += 1;
    }

    pub(super) fn record_helper(&mut self, role: &str, name: &str, until_ms: i64) {
        let (role, name) = (role.to_owned(), name.to_owned());
        let latest_ms = self.now_ms + HELPS_MS;
        self.state.invitation = None;
        let until_ms = if until_ms == 0 { latest_ms } else { until_ms.min(latest_ms) };
        self.state.helper = Some(Helper { role, name, until_ms });
    }

    pub(super) fn helper_left(&mut self) {
        self.state.helper = None;
        self.clear_helpers_drafts();
        self.record.revision += 1;
    }

    pub(super) fn help_ended(&mut self) {
        self.helper_left();
        self.state.revoked.insert(HELP.to_owned(), self.now_ms);
        if self.state.assisted.is_some() {
            self.state.revoked.insert(ASSISTANCE.to_owned(), self.now_ms);
        }
    }

    /// Shows a customer what there is to know about help, and how to ask for it or end it.
    pub(crate) fn show_help(
        &self,
        actor: &Actor,
        step: &mut Step,
        messages: &mut Vec<MessageView>,
        text: &dyn Fn(&str, &Map<String, Value>) -> String,
    ) {
        let Some(event) = self.help_offered(actor) else { return };
        let mut tell = |code: &str, fields: Map<String, Value>| {
            let text = text(code, &fields);
            messages.push(MessageView { code: code.to_owned(), level: Level::Info, pointer: None, text });
        };
        for (role, name) in self.state.companions(self.now_ms) {
            tell("journey.helped", Map::from_iter([("who".to_owned(), json!(companion(role, name, text)))]));
        }
        if event == INVITE
            && let Some(code) = self.invitation()
        {
            tell("journey.invited", Map::from_iter([("code".to_owned(), json!(group_code(code)))]));
        }
        // What only waits, or leads elsewhere, is left soon.
        if !matches!(step.kind, StepKind::Form | StepKind::Choice | StepKind::Comparison | StepKind::Review) {
            return;
        }
        step.events.push(Accepted { kind: event.to_owned(), schema: None });
        let label = text(&format!("journey.{event}"), &Map::new());
        let actions = json!({"block": "actions", "items": [{"event": event, "label": label, "style": "link"}]});
        let view = step.view.get_or_insert_with(|| json!({"blocks": []}));
        if let Some(blocks) = view.get_mut("blocks").and_then(Value::as_array_mut) {
            blocks.push(actions);
        }
    }
}

/// Name of a companion with the role in words: `Ravi (call centre)`.
fn companion(role: &str, name: &str, text: &dyn Fn(&str, &Map<String, Value>) -> String) -> String {
    let code = format!("role.{role}");
    let words = Some(text(&code, &Map::new())).filter(|words| *words != code).unwrap_or_else(|| role.to_owned());
    let name = if name.is_empty() { text("journey.advisor", &Map::new()) } else { name.to_owned() };
    format!("{name} ({words})")
}

fn random_code() -> String {
    base32(&hex::decode(&new_token()[..CODE_BYTES * 2]).unwrap_or_default())
}

/// Groups a code as one reads it out: `K7PQ 2MXA`.
fn group_code(code: &str) -> String {
    let (first, second) = code.split_at(code.len() / 2);
    format!("{first} {second}")
}
