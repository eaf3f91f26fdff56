//! Whose call it is, and what it does for the person or the session behind it.

use super::{Change, EndpointCall, check_agent, invalid_field, visit};
use crate::api::known_id;
use crate::app::App;
use crate::connection::middleware::Class;
use crate::problem::{Code, Problem, WAY_BACK};
use crate::visitor::session::{Visitor, cookie};
use engine_definitions::{
    Deed, PersonDeed, Proves, Records, RecordsAsked, TakesOver, Who, call_scope, text_of, value_of,
};
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
        if !self.endpoint.caller.roles.include(visitor.actor.acting_roles()) {
            return Err(visitor.refuse(self.app, Refusal::NotFound));
        }
        match self.endpoint.caller.who {
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
        let person = match (&self.endpoint.deed, self.endpoint.caller.who) {
            (Deed::Person(PersonDeed::Proves(proves)), Who::Person) => {
                self.refuse_wrong_proof(proves, &visitor.actor).await?;
                return visitor.show(self.app).await;
            }
            (Deed::Person(PersonDeed::Renounces), Who::Claimant) => people.begin_anew(&visitor.actor).await?,
            (Deed::Person(PersonDeed::Proves(proves)), Who::Claimant) => {
                self.refuse_wrong_proof(proves, &visitor.actor).await?;
                people.claim(&visitor.actor).await?
            }
            _ => return Ok(()),
        };
        self.found.remove("account");
        let stays = visitor.actor.stays;
        visitor.sign_in(self.app, SignsIn::Person { person, stays }, &change.headers).await
    }

    /// What was named is what is known of the account.
    async fn refuse_wrong_proof(&self, proves: &Proves, actor: &Actor) -> Result<(), Problem> {
        self.app.runtime.people.try_claim(actor).await?;
        match self.eval(|found, host| proves.refusal(found, host))? {
            Some(words) => Err(invalid_field(String::new(), "proof", words.to_owned())),
            None => Ok(()),
        }
    }

    /// Does what the call does for its person or session. Whoever proves something was asked before.
    pub(super) async fn act_for_person(&mut self, deed: &PersonDeed, change: &mut Change) -> Result<(), Problem> {
        let people = &self.app.runtime.people;
        match deed {
            PersonDeed::KeepsProfile(of) => {
                let said = self.eval(|found, host| value_of(of, found, host))?;
                people.keep_profile(&change.visitor.actor, said).await?;
            }
            PersonDeed::Withdraws(of) => {
                let purpose = self.eval(|found, host| text_of(of, found, host))?;
                people.withdraw(&change.visitor.actor, &purpose).await?;
            }
            PersonDeed::AgreesAgain(of) => {
                let purpose = self.eval(|found, host| text_of(of, found, host))?;
                people.agree_again(&change.visitor.actor, &purpose).await?;
            }
            PersonDeed::Dismisses(of) => {
                let journey = self.eval(|found, host| text_of(of, found, host))?;
                people.dismiss(&change.visitor.actor, known_id(&journey)?).await?;
            }
            PersonDeed::EndsSessions(of) => {
                let ids = self.eval(|found, host| value_of(of, found, host))?;
                let ids: Vec<String> =
                    ids.as_array().into_iter().flatten().filter_map(|id| Some(id.as_str()?.to_owned())).collect();
                if people.end_own_sessions(&change.visitor.actor, &ids).await? {
                    change.visitor.sign_out(self.app).await?;
                }
            }
            PersonDeed::SignsOut => change.visitor.sign_out(self.app).await?,
            PersonDeed::HoldsToken(of) => {
                let token = self.eval(|found, host| text_of(of, found, host))?;
                change.visitor.hold(self.app, &token).await?;
            }
            PersonDeed::TakesOver(TakesOver { code, or }) => {
                let code = self.eval(|found, host| text_of(code, found, host))?;
                self.app.limit(Class::Start, change.visitor.client)?;
                let page = change.visitor.take_over(self.app, &code).await?;
                let page = page.ok_or_else(|| invalid_field("/code".into(), "code.unknown", or.clone()))?;
                self.found.insert("journey".into(), json!({"url": page}));
            }
            PersonDeed::ChecksAgent(of) => {
                let page = self.eval(|found, host| text_of(of, found, host))?;
                check_agent(self.app, self.catalog, change, &page).await?;
                let visit = visit(self.app, self.catalog, &change.headers, Some(&change.visitor.actor));
                self.found.insert("visit".into(), visit);
            }
            PersonDeed::Proves(_) | PersonDeed::Renounces | PersonDeed::Exports(_) => {}
        }
        Ok(())
    }

    /// All that is kept of the person, as `export`.
    pub(super) async fn load_export(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        self.app.limit(Class::Start, visitor.client)?;
        self.found.insert("export".into(), self.app.runtime.people.export(&visitor.actor).await?);
        Ok(())
    }

    /// Records of the person who is signed in, as `records`: `{rows, before}`.
    pub(super) async fn list_records(&mut self, of: &Records, visitor: &Visitor) -> Result<(), Problem> {
        let asked = self.eval(|found, host| of.evaluate(&call_scope(found).with_host(host)))?;
        let records = records(self.app, &visitor.actor, asked).await?;
        self.found.insert("records".into(), json!(records));
        Ok(())
    }

    /// The session behind the call as it stands now, as `session`.
    pub(super) async fn describe_session(&mut self, visitor: &Visitor) -> Result<(), Problem> {
        let first_name = self.app.runtime.people.first_name(&visitor.actor).await?;
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
