//! Everything authored, checked and compiled: what a node serves from.

use crate::calendar::Calendars;
use crate::endpoint::Endpoint;
use crate::form::Form;
use crate::host::ProductHost;
use crate::master::{Master, Masters};
use crate::message::Message;
use crate::partner::{CallError, Example, Operation, Partner, Webhook};
use crate::policy::Policy;
use crate::records::{KEPT, Law};
use crate::releases::Releases;
use crate::site::Site;
use crate::table::Tables;
use crate::text::ENGLISH;
use crate::uploads::{FILE_KINDS, UploadKind};
use crate::values::{Now, ZONE};
use crate::workflow::Workflow;
use engine_statechart::Host;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Endpoints by path, then by method.
pub(crate) type Endpoints = BTreeMap<String, BTreeMap<&'static str, Arc<Endpoint>>>;

#[derive(Default)]
pub struct Catalog {
    pub(crate) workflows: BTreeMap<String, Arc<Workflow>>,
    pub(crate) partners: BTreeMap<String, Arc<Partner>>,
    pub(crate) messages: BTreeMap<String, Arc<Message>>,
    pub(crate) forms: BTreeMap<String, Arc<Form>>,
    /// Forms in other languages: language → id → form.
    pub(crate) translated_forms: BTreeMap<String, BTreeMap<String, Arc<Form>>>,
    pub(crate) tables: Tables,
    /// Tables in other languages, by language.
    pub(crate) translated_tables: BTreeMap<String, Tables>,
    /// Tables, with those that only sandbox scripts read.
    pub(crate) sandbox_tables: Tables,
    pub(crate) masters: Masters,
    pub(crate) calendars: Calendars,
    pub(crate) policy: Policy,
    pub(crate) releases: Releases,
    /// The site by language; English is there.
    pub(crate) sites: BTreeMap<String, Site>,
    pub(crate) endpoints: Endpoints,
    /// Endpoints in other languages, by language.
    pub(crate) translated_endpoints: BTreeMap<String, Endpoints>,
}

impl Catalog {
    /// The live workflow of an id, `<line>/<name>`.
    pub fn workflow(&self, id: &str) -> Option<&Arc<Workflow>> {
        self.workflows.get(id)
    }

    pub fn workflows(&self) -> impl Iterator<Item = &Arc<Workflow>> {
        self.workflows.values()
    }

    /// What a change of these definitions must have stood.
    pub fn releases(&self) -> Releases {
        self.releases
    }

    /// The law that asks for records of a kind when their person is forgotten; `None`: they go.
    pub fn law_of(&self, kind: &str) -> Option<Law> {
        Law::of(kind, self.tables.get(KEPT))
    }

    /// What is asked of files of a kind; `None`: there is no such kind.
    pub fn upload_kind(&self, kind: &str) -> Option<UploadKind> {
        UploadKind::of(kind, self.tables.get(FILE_KINDS))
    }

    /// The workflow whose first page has this address.
    pub fn by_base(&self, base: &str) -> Option<&Arc<Workflow>> {
        self.workflows.values().find(|w| w.base == base)
    }

    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    pub fn partner(&self, id: &str) -> Option<&Arc<Partner>> {
        self.partners.get(id)
    }

    pub fn partners(&self) -> impl Iterator<Item = &Arc<Partner>> {
        self.partners.values()
    }

    pub fn operation(&self, partner: &str, operation: &str) -> Option<&Arc<Operation>> {
        self.partners.get(partner)?.operation(operation)
    }

    /// The operation of this name: `partner/operation`.
    pub fn operation_named(&self, name: &str) -> Option<(&Arc<Partner>, &Arc<Operation>)> {
        let (partner, operation) = name.split_once('/')?;
        let partner = self.partners.get(partner)?;
        Some((partner, partner.operation(operation)?))
    }

    /// The operation by which a partner fulfils a contract.
    pub fn for_contract(&self, contract: &str, partner: &str) -> Option<(&Arc<Partner>, &Arc<Operation>)> {
        let partner = self.partners.get(partner)?;
        Some((partner, partner.for_contract(contract)?))
    }

    /// The error that an example's reply gives, as a real reply would.
    pub fn example_error(&self, partner: &Partner, operation: &Operation, example: &Example) -> Option<CallError> {
        let now = Now::at(0, ZONE);
        let host = self.host(&now, Some(&crate::partner::ExampleHost));
        operation.reply(partner, &example.input, example.status, &example.headers, &example.body, &host).err()
    }

    pub fn webhook(&self, partner: &str, name: &str) -> Option<&Arc<Webhook>> {
        self.partners.get(partner)?.webhook(name)
    }

    pub fn message(&self, id: &str) -> Option<&Arc<Message>> {
        self.messages.get(id)
    }

    pub fn messages(&self) -> impl Iterator<Item = &Arc<Message>> {
        self.messages.values()
    }

    /// The live form; a journey uses the one of its workflow.
    pub fn form(&self, id: &str) -> Option<&Arc<Form>> {
        self.forms.get(id)
    }

    /// The live form in a language; in English where it was not translated.
    pub fn form_in(&self, language: &str, id: &str) -> Option<&Arc<Form>> {
        self.translated_forms.get(language).and_then(|forms| forms.get(id)).or_else(|| self.form(id))
    }

    pub fn forms(&self) -> impl Iterator<Item = &Arc<Form>> {
        self.forms.values()
    }

    pub fn master(&self, name: &str) -> Option<&Arc<Master>> {
        self.masters.get(name)
    }

    pub fn masters(&self) -> impl Iterator<Item = &Arc<Master>> {
        self.masters.iter()
    }

    /// The endpoints of an address, by method, as they speak in a language.
    pub fn endpoints_at(
        &self,
        language: &str,
        path: &str,
    ) -> BTreeMap<&'static str, (&Arc<Endpoint>, Map<String, Value>)> {
        let all = self.translated_endpoints.get(language).unwrap_or(&self.endpoints);
        // A fixed address stands before one with parts, with all its methods, as the API's description has it.
        if let Some(fixed) = all.get(path).filter(|here| here.values().any(|endpoint| endpoint.address.is_fixed())) {
            return fixed.iter().map(|(method, endpoint)| (*method, (endpoint, Map::new()))).collect();
        }
        let open = all.values().flatten().filter(|(_, endpoint)| !endpoint.address.is_fixed());
        let open = open.filter_map(|(method, endpoint)| Some((*method, (endpoint, endpoint.address.fits(path)?))));
        open.collect()
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Arc<Endpoint>> {
        self.endpoints.values().flat_map(BTreeMap::values)
    }

    /// The site in a language; in English where it was not translated.
    pub fn site(&self, language: &str) -> &Site {
        static NONE: std::sync::LazyLock<Site> = std::sync::LazyLock::new(Site::default);
        self.sites.get(language).or_else(|| self.sites.get(ENGLISH)).unwrap_or(&NONE)
    }

    /// The endpoint that checks the ids of agents.
    pub fn checks_agents(&self) -> Option<&Arc<Endpoint>> {
        self.endpoints().find(|endpoint| endpoint.deed.checks_agents())
    }

    /// Languages that people may choose; the first is that of who has not chosen.
    pub fn languages(&self) -> &[String] {
        &self.site("").languages
    }

    /// Who may do what.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    pub fn calendars(&self) -> &Calendars {
        &self.calendars
    }

    /// A host for pages in a language.
    pub fn host_in<'a>(&'a self, language: &'a str, now: &'a Now) -> ProductHost<'a> {
        let tables = self.translated_tables.get(language).unwrap_or(&self.tables);
        ProductHost { language, tables, ..self.host(now, None) }
    }

    /// A host for sandbox scripts: they also read tables of their own.
    pub fn sandbox_host<'a>(&'a self, now: &'a Now) -> ProductHost<'a> {
        ProductHost { tables: &self.sandbox_tables, ..self.host(now, None) }
    }

    /// A host for expressions outside journeys: operations, webhooks. `extra` gives a meaning to `recall`, `new_id`
    /// and `hmac_sha256_hex`.
    pub fn host<'a>(&'a self, now: &'a Now, extra: Option<&'a dyn Host>) -> ProductHost<'a> {
        ProductHost { extra, ..ProductHost::plain(now, &self.tables, &self.masters, &self.calendars) }
    }
}
