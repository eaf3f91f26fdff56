//! Who acts, and the one function that says what they may do.

use engine_definitions::{AgentChecks, Attribution, Policy, Right, RouteAsks, Seller, Whose};
use engine_store::{JourneyRecord, SessionRecord};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Kind and role of a person without a sign-in.
pub(crate) const VISITOR: &str = "visitor";
/// Kind and role of a person who is signed in.
pub(crate) const CUSTOMER: &str = "customer";

/// Kind of who works for the house, or for a customer, and has signed in so.
pub(crate) const STAFF: &str = "staff";

/// Kind and role of the product itself.
pub(crate) const SYSTEM: &str = "system";
/// Kind of who came by a link and is nobody else here.
pub(crate) const LINK: &str = "link";

/// Kind and role of who looks after the product.
pub(crate) const OPERATOR: &str = "operator";

/// Who acts. Roles, channel and partner come from the server's session only, never from the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// `visitor`, `customer`, `staff`, `link`, `agent`, `partner`, `operator`, `system`.
    pub kind: String,
    /// The subject that owns journeys: the session's id, or that of who is signed in.
    pub id: String,
    /// Name by which operators know one of the staff, or their service token; empty for everybody else.
    #[serde(skip)]
    pub name: String,
    /// What began in this session before a sign-in stays within its reach.
    #[serde(skip)]
    pub session: String,
    pub roles: Vec<String>,
    pub channel: String,
    pub partner: Option<String>,
    pub language: String,
    /// Number of the client's network, for limits only; never stored with a journey.
    #[serde(skip)]
    pub network: Option<u128>,
    /// Whether this request came with a proof: of work, or of a captcha.
    #[serde(skip)]
    pub proven: bool,
    /// What brought this session here: information for journeys that it starts, never a right.
    #[serde(skip)]
    pub came: Attribution,
    /// Which ids of agents were confirmed in this session: for attribution, layout and gates, never a right.
    #[serde(skip)]
    pub agent: AgentChecks,
    /// What brought customers whose numbers this session need not have verified at first: of its token.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// The person whose number this session has shown, and whose account stays closed until something of theirs is
    /// named.
    #[serde(skip)]
    pub claims: Option<String>,
    /// When it ends that the person who is signed in has shown more of themselves than a phone tells, UTC milliseconds.
    #[serde(skip)]
    pub shown_until_ms: i64,
    /// Whether the browser keeps the session when it is closed: its person called the device their own.
    #[serde(skip)]
    pub stays: bool,
    /// What forms of a first step begin with; known only where one is shown.
    #[serde(skip)]
    pub contact: Contact,
    /// Rights that links gave to this session.
    #[serde(skip)]
    pub grants: Vec<Grant>,
    /// Towards one journey: the links that open it; see `core/access.rs`.
    #[serde(skip)]
    pub came_by: Option<LinkAccess>,
}

/// Name and mobile number of who is signed in; empty where they are not known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contact {
    pub name: String,
    pub mobile: String,
}

/// Where a session keeps what brought it here, and which ids of agents were confirmed.
pub(crate) const CAME: &str = "came";
const AGENT: &str = "agent";
/// Where a session keeps whose account it asks for.
pub(crate) const CLAIMS: &str = "claims";
/// Where a session keeps until when its person has shown more of themselves than a phone tells.
pub(crate) const SHOWN: &str = "shown";
/// Where a session keeps that the device is its person's own.
pub(crate) const STAYS: &str = "stays";

/// A part of a session's subject; what is not there is empty.
fn of_subject<T: DeserializeOwned + Default>(subject: &Value, name: &str) -> T {
    subject.get(name).and_then(|part| T::deserialize(part).ok()).unwrap_or_default()
}

/// A link's right: one journey, one purpose, until a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    pub journey: String,
    pub purpose: String,
    pub made_ms: i64,
    pub until_ms: i64,
}

impl Grant {
    pub(crate) fn of_subject(subject: &Value) -> Vec<Grant> {
        of_subject(subject, "links")
    }

    /// Whether the grant is of this journey, not over, and made after the journey last revoked its purpose.
    pub(crate) fn holds(&self, journey: &JourneyRecord, now_ms: i64) -> bool {
        let is_open = || revocations(journey)?.get(&self.purpose).is_none_or(|at| self.made_ms > *at).then_some(());
        self.journey == journey.id && now_ms < self.until_ms && is_open().is_some()
    }
}

/// What was revoked of a stored journey, and when; `None`: its state is not at hand.
fn revocations(journey: &JourneyRecord) -> Option<BTreeMap<String, i64>> {
    #[derive(Deserialize)]
    struct Revoked {
        #[serde(default)]
        revoked: BTreeMap<String, i64>,
    }
    serde_json::from_str(&journey.state).ok().map(|Revoked { revoked }| revoked)
}

/// Under which purpose a journey notes that its customer ended the access of who began it for them.
pub(crate) const ASSISTANCE: &str = "assistance";

/// Whether this is one of the staff whose access to what they began was ended, or may have been.
pub(crate) fn is_sent_away(actor: &Actor, journey: &JourneyRecord) -> bool {
    actor.kind == STAFF && revocations(journey).is_none_or(|revoked| revoked.contains_key(ASSISTANCE))
}

/// What links open of one journey at the step that it shows: it may be seen, and these events may be sent (`*`: any).
#[derive(Debug, Clone, PartialEq)]
pub struct LinkAccess {
    pub(crate) journey: String,
    pub(crate) events: Vec<String>,
}

impl LinkAccess {
    pub(crate) fn lets_anything(&self) -> bool {
        !self.events.is_empty()
    }

    pub(crate) fn lets(&self, event: &str) -> bool {
        self.events.iter().any(|e| e == event || e == "*")
    }
}

impl Actor {
    /// A person without a sign-in.
    pub fn visitor(id: impl Into<String>) -> Self {
        Actor {
            kind: VISITOR.into(),
            id: id.into(),
            name: String::new(),
            session: String::new(),
            roles: vec![VISITOR.into()],
            channel: "web".into(),
            partner: None,
            language: "en".into(),
            network: None,
            proven: false,
            came: Attribution::default(),
            agent: AgentChecks::default(),
            sources: Vec::new(),
            claims: None,
            shown_until_ms: 0,
            stays: false,
            contact: Contact::default(),
            grants: Vec::new(),
            came_by: None,
        }
    }

    /// The product itself: timers, replies, webhooks.
    pub fn system() -> Self {
        Actor {
            kind: SYSTEM.into(),
            id: SYSTEM.into(),
            name: String::new(),
            session: String::new(),
            roles: vec![SYSTEM.into()],
            channel: SYSTEM.into(),
            partner: None,
            language: "en".into(),
            network: None,
            proven: false,
            came: Attribution::default(),
            agent: AgentChecks::default(),
            sources: Vec::new(),
            claims: None,
            shown_until_ms: 0,
            stays: false,
            contact: Contact::default(),
            grants: Vec::new(),
            came_by: None,
        }
    }

    /// Somebody who looks after the product: `name` is written beside what they do.
    pub fn operator(name: &str) -> Self {
        Actor {
            kind: OPERATOR.into(),
            id: name.into(),
            roles: vec![OPERATOR.into()],
            channel: OPERATOR.into(),
            ..Actor::system()
        }
    }

    pub fn of_session(session: &SessionRecord) -> Self {
        let text =
            |key: &str, default: &str| session.subject.get(key).and_then(Value::as_str).unwrap_or(default).to_string();
        let kind = text("kind", VISITOR);
        let id = text(if kind == STAFF { "staff" } else { "person" }, &session.id);
        let roles = session.subject.get("roles").and_then(|roles| Vec::<String>::deserialize(roles).ok());
        let roles = roles.unwrap_or_else(|| vec![VISITOR.into()]);
        Actor {
            kind,
            id,
            name: text("name", ""),
            session: session.id.clone(),
            roles,
            channel: text("channel", "web"),
            partner: session.subject.get("partner").and_then(Value::as_str).map(str::to_string),
            language: text("language", "en"),
            network: None,
            proven: false,
            came: of_subject(&session.subject, CAME),
            agent: of_subject(&session.subject, AGENT),
            sources: Vec::new(),
            claims: session.subject.get(CLAIMS).and_then(Value::as_str).map(str::to_owned),
            shown_until_ms: session.subject[SHOWN].as_i64().unwrap_or_default(),
            stays: session.subject[STAYS] == true,
            contact: Contact::default(),
            grants: Grant::of_subject(&session.subject),
            came_by: None,
        }
    }

    /// A session keeps what a check of an agent's ids has said.
    pub fn note_agent(session: &mut SessionRecord, agent: &AgentChecks) {
        session.subject[AGENT] = json!(agent);
    }

    /// Who begins requests for customers: signed in as staff, in a role that acts for them.
    pub fn seller(&self, policy: &Policy) -> Option<Seller> {
        let role = policy.assists(self.acting_roles()).filter(|_| self.kind == STAFF)?;
        let (id, name, role) = (self.id.clone(), self.name.clone(), role.to_owned());
        Some(Seller { id, name, role, sources: self.sources.clone() })
    }

    /// This session as the customer's once the person is known.
    pub(crate) fn signed_in_as(&self, person: &str) -> Actor {
        let roles = vec![CUSTOMER.to_owned()];
        Actor { kind: CUSTOMER.into(), id: person.into(), roles, claims: None, came_by: None, ..self.clone() }
    }

    /// What is open to them may be another's: to act for its customer, or by a link.
    pub fn may_be_sent_away(&self) -> bool {
        self.kind == STAFF || !self.grants.is_empty()
    }

    /// Came by a link that lets nothing be sent.
    pub(crate) fn only_looks(&self) -> bool {
        self.came_by.as_ref().is_some_and(|link| link.events.is_empty())
    }

    /// Whether a screen offers an event to this actor: a link may open less than the step takes.
    pub(crate) fn is_offered(&self, event: &str) -> bool {
        self.came_by.as_ref().is_none_or(|link| link.lets(event))
    }

    /// The person who is signed in.
    pub fn person(&self) -> Option<&str> {
        (self.kind == CUSTOMER).then_some(self.id.as_str())
    }

    /// Whether this session is a person's, or asks for the account of one, and the journey another's: its number was
    /// proved in this browser, and opens it by its own code alone.
    fn is_other_than(&self, person: Option<&str>) -> bool {
        let own = self.person().or(self.claims.as_deref());
        own.is_some_and(|own| person.is_some_and(|person| person != own))
    }

    /// Who is signed in: a person, or one of the staff.
    pub fn signed_in(&self) -> Option<&str> {
        [CUSTOMER, STAFF].contains(&self.kind.as_str()).then_some(self.id.as_str())
    }

    /// Roles that count: an operator's only with an operator's token.
    pub fn acting_roles(&self) -> impl Iterator<Item = &str> {
        let roles = self.roles.iter().map(String::as_str);
        roles.filter(|role| *role != OPERATOR || self.kind == OPERATOR)
    }

    /// Whether the table lets them call a route of the program (`GET /healthz`) at all; with whose is asked later.
    pub fn may_call(&self, policy: &Policy, route: &str) -> bool {
        let has = |right| {
            [Whose::Own, Whose::Linked, Whose::Any]
                .iter()
                .any(|whose| policy.allows(self.acting_roles(), right, *whose))
        };
        match policy.asks(route) {
            Some(RouteAsks::Nothing) => true,
            Some(RouteAsks::Right(right)) => has(right),
            None => false,
        }
    }

    /// `event.by` of the machine and the `by` of stored events.
    pub fn by(&self) -> Value {
        json!({"kind": self.kind, "roles": self.roles})
    }

    /// The actor as an event keeps it; what follows from the kind, or from the journey's owner, is left out: most
    /// events are by the visitor whose journey it is, and say nothing.
    pub(crate) fn stored_by(&self, owner: &str) -> Value {
        if self.kind == VISITOR && self.id == owner && self.roles == [VISITOR] {
            return Value::Null;
        }
        let mut by = json!({"kind": self.kind});
        if self.id != owner && self.id != self.kind {
            by["id"] = Value::from(self.id.as_str());
        }
        if self.roles != [self.kind.as_str()] {
            by["roles"] = json!(self.roles);
        }
        by
    }

    /// The actor that an event keeps, read with what the journey's owner adds.
    pub(crate) fn of_stored(by: &Value, owner: &Actor) -> Actor {
        let text = |name: &str| by.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = text("kind").unwrap_or_else(|| VISITOR.into());
        let id = text("id").unwrap_or_else(|| if kind == SYSTEM { kind.clone() } else { owner.id.clone() });
        let roles =
            by.get("roles").and_then(|r| serde_json::from_value(r.clone()).ok()).unwrap_or_else(|| vec![kind.clone()]);
        Actor { kind, id, roles, ..owner.clone() }
    }
}

/// What is acted on.
#[derive(Debug, Clone, Copy)]
pub enum Resource<'a> {
    Journey(&'a JourneyRecord),
    /// What is the actor's own, or not there yet.
    Own,
    /// The work of all journeys: effects, incidents, histories.
    All,
}

impl<'a> From<&'a JourneyRecord> for Resource<'a> {
    fn from(journey: &'a JourneyRecord) -> Self {
        Resource::Journey(journey)
    }
}

/// What somebody wants to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action<'a> {
    Begin,
    See,
    /// Fetches a file of the customer's: nobody does who acts for the customer, or came by a link that lets nothing be
    /// sent.
    Document,
    /// Sends an event of this type; a draft counts as the `submit` that it prepares.
    Send(&'a str),
    /// Looks at, or changes, what a person keeps about themselves.
    Account,
    Operate,
}

impl Action<'_> {
    fn right(self) -> Right {
        match self {
            Action::Begin => Right::Begin,
            Action::See | Action::Document => Right::See,
            Action::Send(_) => Right::Send,
            Action::Account => Right::Account,
            Action::Operate => Right::Operate,
        }
    }
}

/// The table of roles decides, and what it does not say is refused. A journey is its owner's; a link
/// opens what its purpose says.
pub fn can<'a>(policy: &Policy, actor: &Actor, action: Action<'_>, resource: impl Into<Resource<'a>>) -> bool {
    // No table opens what is others' to who is not of the staff, or the work of all to who is no operator.
    let is_of_house = || match action {
        Action::Operate => actor.kind == OPERATOR,
        _ => [STAFF, OPERATOR].contains(&actor.kind.as_str()),
    };
    let may =
        |whose| policy.allows(actor.acting_roles(), action.right(), whose) && (whose != Whose::Any || is_of_house());
    let linked = |journey: &JourneyRecord| {
        let link = actor.came_by.as_ref().filter(|link| link.journey == journey.id);
        link.is_some_and(|link| if let Action::Send(event) = action { link.lets(event) } else { true })
    };
    let sent = if let Action::Send(event) = action { policy.lets(actor.acting_roles(), event) } else { true };
    let is_hers = action != Action::Document || actor.kind != STAFF && !actor.only_looks();
    sent && is_hers
        && match resource.into() {
            Resource::Journey(journey) => {
                let is_own = owns(actor, journey) && !is_sent_away(actor, journey);
                is_own && may(Whose::Own) || linked(journey) && may(Whose::Linked) || may(Whose::Any)
            }
            Resource::Own => may(Whose::Own),
            Resource::All => may(Whose::Any),
        }
}

/// Whether this person or session began the journey, unless another person's number was proved in it; or its number is
/// this person's.
pub(crate) fn owns(actor: &Actor, journey: &JourneyRecord) -> bool {
    let began = actor.id == journey.owner || (!actor.session.is_empty() && actor.session == journey.owner);
    let hers = actor.person().is_some() && actor.person() == journey.person.as_deref();
    let is_hers = began && !actor.is_other_than(journey.person.as_deref()) || hers;
    is_hers && ![SYSTEM, OPERATOR].contains(&actor.kind.as_str())
}
