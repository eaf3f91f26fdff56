//! Journeys in which somebody acts for a customer: what the customer alone may do there, who answered what.

use super::Turn;
use crate::actor::{Actor, CUSTOMER, STAFF};
use crate::fact::Assisted;
use engine_definitions::{Audience, Only, Step};
use serde_json::Value;

/// Mark of the keys under which helpers type.
pub(super) const BY_HELPER: &str = "@help";

impl Turn<'_> {
    /// Who begins this journey for a customer; nobody is signed in for another.
    pub(super) fn assisted_by(&self, actor: &Actor) -> Option<Assisted> {
        let role = self.role_for_customers(actor).filter(|_| self.workflow.signs_in.is_none())?;
        let source = self.record.attribution.get("source").and_then(Value::as_str).unwrap_or_default();
        let skips_otp = actor.sources.iter().any(|one| one == source);
        Some(Assisted { role: role.to_owned(), name: actor.name.clone(), skips_otp })
    }

    /// The role in which somebody acts for a customer: signed in as staff. An agent's id that came with an address, and
    /// may have come to the customer directly, makes nobody one.
    pub(crate) fn role_for_customers<'a>(&self, actor: &'a Actor) -> Option<&'a str> {
        self.catalog.policy().assists(actor.acting_roles()).filter(|_| actor.kind == STAFF)
    }

    /// The key under which is kept what this actor types on a step: who acts for a customer types beside them, and
    /// neither writes over the other.
    pub(crate) fn draft_key(&self, step: &str, actor: &Actor) -> String {
        match self.role_for_customers(actor) {
            Some(_) => format!("{step}{BY_HELPER}"),
            None => step.to_owned(),
        }
    }

    /// What helpers were typing goes with their access.
    pub(super) fn clear_helpers_drafts(&mut self) {
        let theirs = self.drafts.iter().map(|draft| &draft.step).filter(|step| step.ends_with(BY_HELPER));
        self.writes.commit.clear_drafts.extend(theirs.cloned().collect::<Vec<_>>());
    }

    /// Whether this was begun for a customer whose number nobody has shown to be theirs: the journey sees, agrees to
    /// and pays nothing of theirs.
    fn is_unverified(&self) -> bool {
        self.state.assisted.is_some() && !self.state.verified
    }

    /// Who looks at a form, a view or a step. What brought the customer decides before what a session says of itself.
    pub(crate) fn audience(&self, actor: &Actor) -> Audience {
        let told = &self.record.attribution;
        let of = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
        let drawn = told.get("variants").and_then(Value::as_object).into_iter().flatten();
        let path = |(name, variant): (&String, &Value)| Some(format!("{name}/{}", variant.as_str()?));
        Audience {
            roles: actor.acting_roles().map(str::to_owned).collect(),
            channel: of("channel").unwrap_or_else(|| actor.channel.clone()),
            partner: of("partner").or_else(|| actor.partner.clone()),
            language: actor.language.clone(),
            experiments: drawn.filter_map(path).collect(),
            is_deputy: self.is_unverified() || self.role_for_customers(actor).is_some(),
        }
    }

    /// Why a step is not for this actor: the code of the text that stands in its place.
    pub(crate) fn closed_to(&self, step: &Step, actor: &Actor) -> Option<&'static str> {
        match step.only? {
            _ if self.role_for_customers(actor).is_some() => Some("journey.customers_turn"),
            Only::Verified if !self.state.verified => Some("journey.not_verified"),
            Only::Verified if actor.came_by.is_some() => Some("journey.sign_in"),
            Only::Customer | Only::Verified => None,
        }
    }

    /// Whether this actor may send such an event at the shown step.
    pub(crate) fn takes_from(&self, kind: &str, actor: &Actor) -> bool {
        let Some(step) = self.workflow.step(&self.state.snapshot.active) else { return true };
        if step.takes.contains(kind) && (self.role_for_customers(actor).is_some() || !self.state.verified) {
            return false;
        }
        if kind == "submit" && step.confirms && self.role_for_customers(actor).is_some() {
            return false;
        }
        let theirs = || step.accepts.get(kind).is_some_and(|accept| !accept.by.is_empty());
        self.closed_to(step, actor).is_none() || ["back", "change"].contains(&kind) || theirs()
    }

    /// Notes the role in which this step was answered, where somebody acts for the customer, or did. Whose answers stay
    /// (`kept`: something was sent back as it was shown covered) has answered it still: nobody sees more of a step
    /// because they pressed its button.
    pub(super) fn note_who_answered(&mut self, step: &str, by: &Actor, kept: bool) {
        let role = self.role_for_customers(by);
        if role.is_some() && kept {
            self.state.answered_by.entry(step.to_owned()).or_insert_with(|| CUSTOMER.to_owned());
        } else if role.is_some() || self.state.assisted.is_some() || !self.state.answered_by.is_empty() {
            let role = role.unwrap_or(CUSTOMER).to_owned();
            self.state.answered_by.insert(step.to_owned(), role);
        }
    }
}
