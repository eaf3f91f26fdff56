//! Whose call it is, and what it does for the person or the session behind it.

use super::{Change, EndpointCall, invalid_field};
use crate::api::known_id;
use crate::app::App;
use crate::connection::middleware::Class;
use crate::problem::{Code, Problem, WAY_BACK};
use crate::visitor::session::{Visitor, cookie};
use engine_definitions::{RecordsAsked, Who};
use engine_runtime::{Actor, RecordPage, Refusal, SignsIn};
use serde_json::json;

impl EndpointCall<'_> {
    /// Before anything is sent to anybody: it is known that the browser works for it, and that it will be known again.
    pub(super) fn refuse_unproven(&self, change: &Change) -> Result<(), Problem> {
        if !change.visitor.actor.proven {
            return Err(change.visitor.refuse(self.app, Refusal::Proof).trying_cookies());
        }
        let comes_back = !change.visitor.actor.id.is_empty() || cookie(&change.headers, WAY_BACK).is_some();
        if comes_back { Ok(()) } else { Err(Problem::new(Code::Cookies)) }
    }

    /// Without a session, a sign-in or a role where one is needed, it is as if nothing were there.
    pub(super) async fn load_caller(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if !self.endpoint.roles.include(visitor.actor.acting_roles()) {
            return Err(visitor.refuse(self.app, Refusal::NotFound));
        }
        match self.endpoint.who {
            Who::Anyone => return Ok(()),
            Who::Session if visitor.actor.id.is_empty() => return Err(visitor.refuse(self.app, Refusal::NotFound)),
            Who::Session => {}
            Who::Person => {
                let account = self.app.runtime.people.account(&visitor.actor, &self.endpoint.account).await?;
                let account = account.ok_or_else(|| visitor.unknown())?;
                self.found.insert("account".into(), json!(account));
            }
            Who::Claimant => {
                let account = self.app.runtime.people.claimed_account(&visitor.actor, &self.endpoint.account).await?;
                let account = account.ok_or_else(|| visitor.refuse(self.app, Refusal::NotFound))?;
                self.found.insert("account".into(), json!(account));
            }
        }
        let roles: Vec<String> = visitor.actor.acting_roles().map(str::to_owned).collect();
        self.found.insert("site".into(), self.catalog.site(&self.language).described_for(&roles));
        Ok(())
    }

    /// Who asks for an account that is closed shows that it is theirs, or leaves it: either way they are signed in.
    pub(super) async fn authenticate_claim(&mut self, change: &mut Change) -> Result<(), Problem> {
        let (people, visitor) = (&self.app.runtime.people, &mut change.visitor);
        match self.endpoint.who {
            Who::Person if self.endpoint.personal.proves() => {
                self.refuse_wrong_proof(&visitor.actor).await?;
                return visitor.show(self.app).await;
            }
            Who::Claimant => {}
            _ => return Ok(()),
        }
        let person = if self.endpoint.personal.renounces {
            people.begin_anew(&visitor.actor).await?
        } else {
            self.refuse_wrong_proof(&visitor.actor).await?;
            people.claim(&visitor.actor).await?
        };
        self.found.remove("account");
        let stays = visitor.actor.stays;
        visitor.sign_in(self.app, SignsIn::Person { person, stays }, &change.headers).await
    }

    /// What was named is what is known of the account.
    async fn refuse_wrong_proof(&self, actor: &Actor) -> Result<(), Problem> {
        self.app.runtime.people.try_claim(actor).await?;
        match self.eval(|found, host| self.endpoint.personal.proof(found, host))?.flatten() {
            Some(words) => Err(invalid_field(String::new(), "proof", words.to_owned())),
            None => Ok(()),
        }
    }

    /// All that is kept of the person, as `export`.
    pub(super) async fn load_export(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if self.endpoint.personal.exports.is_some() {
            self.app.limit(Class::Start, visitor.client)?;
            self.found.insert("export".into(), self.app.runtime.people.export(&visitor.actor).await?);
        }
        Ok(())
    }

    /// Records of the person who is signed in, as `records`: `{rows, before}`.
    pub(super) async fn list_records(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        if let Some(asked) = self.eval(|found, host| self.endpoint.records(found, host))? {
            let records = records(self.app, &visitor.actor, asked).await?;
            self.found.insert("records".into(), json!(records));
        }
        Ok(())
    }

    /// Ends sessions where the endpoint does; then says whose session this is, as `session`.
    pub(super) async fn end_sessions(&mut self, change: &mut Change) -> Result<(), Problem> {
        let (people, visitor) = (&self.app.runtime.people, &mut change.visitor);
        let endpoint = self.endpoint;
        let personal = &endpoint.personal;
        let is_own = match self.eval(|found, host| personal.sessions_to_end(found, host))? {
            Some(ids) => people.end_own_sessions(&visitor.actor, &ids).await?,
            None => personal.signs_out,
        };
        if is_own {
            visitor.sign_out(self.app).await?;
        }
        let first_name = people.first_name(&visitor.actor).await?;
        let session = json!({"token": visitor.mark(), "first_name": first_name, "sources": visitor.actor.sources});
        self.found.insert("session".into(), session);
        Ok(())
    }
}

/// A page of records of who is signed in.
pub async fn records(app: &App, actor: &Actor, asked: RecordsAsked) -> Result<RecordPage, Problem> {
    if !asked.before.is_empty() {
        known_id(&asked.before)?;
    }
    Ok(app.runtime.people.records(actor, asked).await?)
}
