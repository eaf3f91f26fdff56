//! Who acts, and the one function that says what they may do (security rules 11–13).

use engine_definitions::{AgentChecks, Came, Policy, Right, RouteAsks, Whose};
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

/// Kind and role of who looks after the product.
pub(crate) const OPERATOR: &str = "operator";

/// Who acts. Roles, channel and partner come from the server's session only, never from the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// `visitor`, `customer`, `staff`, `link`, `agent`, `partner`, `operator`, `system`.
    pub kind: String,
    /// The subject that owns journeys: the session's id, or that of who is signed in.
    pub id: String,
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
    /// This request came with a proof: of work, or of a captcha.
    #[serde(skip)]
    pub proven: bool,
    /// What brought this session here: information for journeys that it starts, never a right.
    #[serde(skip)]
    pub came: Came,
    /// Which ids of agents were confirmed in this session.
    #[serde(skip)]
    pub agent: AgentChecks,
    /// What brought customers whose numbers this session need not have verified at first: of its token.
    #[serde(skip)]
    pub sources: Vec<String>,
    /// The person whose number this session has shown, and whose account stays closed until something of hers is named.
    #[serde(skip)]
    pub claims: Option<String>,
    /// Rights that links gave to this session.
    #[serde(skip)]
    pub grants: Vec<Grant>,
    /// Towards one journey: the links that open it; see `core/access.rs`.
    #[serde(skip)]
    pub came_by: Option<LinkAccess>,
}

/// Where a session keeps what brought it here, and which ids of agents were confirmed.
pub(crate) const CAME: &str = "came";
pub(crate) const AGENT: &str = "agent";
/// Where it keeps whose account it asks for.
pub(crate) const CLAIMS: &str = "claims";

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

    /// Of this journey, not over, and made after the journey last revoked its purpose.
    pub(crate) fn holds(&self, journey: &JourneyRecord, now_ms: i64) -> bool {
        #[derive(Deserialize)]
        struct Revoked {
            #[serde(default)]
            revoked: BTreeMap<String, i64>,
        }
        if self.journey != journey.id || self.until_ms <= now_ms {
            return false;
        }
        let Ok(Revoked { revoked }) = serde_json::from_str(&journey.state) else { return false };
        revoked.get(&self.purpose).is_none_or(|at| self.made_ms > *at)
    }
}

/// What links open of one journey at the step that it shows: it may be seen, and these events may be sent (`*`: any).
#[derive(Debug, Clone, PartialEq)]
pub struct LinkAccess {
    pub(crate) journey: String,
    pub(crate) events: Vec<String>,
}

impl LinkAccess {
    fn lets(&self, event: &str) -> bool {
        self.events.iter().any(|e| e == event || e == "*")
    }
}

impl Actor {
    /// A person without a sign-in.
    pub fn visitor(id: impl Into<String>) -> Self {
        Actor {
            kind: VISITOR.into(),
            id: id.into(),
            session: String::new(),
            roles: vec![VISITOR.into()],
            channel: "web".into(),
            partner: None,
            language: "en".into(),
            network: None,
            proven: false,
            came: Came::default(),
            agent: AgentChecks::default(),
            sources: Vec::new(),
            claims: None,
            grants: Vec::new(),
            came_by: None,
        }
    }

    /// The product itself: timers, replies, webhooks.
    pub fn system() -> Self {
        Actor {
            kind: "system".into(),
            id: "system".into(),
            session: String::new(),
            roles: vec!["system".into()],
            channel: "system".into(),
            partner: None,
            language: "en".into(),
            network: None,
            proven: false,
            came: Came::default(),
            agent: AgentChecks::default(),
            sources: Vec::new(),
            claims: None,
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
        let agent: AgentChecks = of_subject(&session.subject, AGENT);
        let mut roles: Vec<String> = agent.roles().map(str::to_owned).collect();
        let stored = session.subject.get("roles").and_then(|roles| Vec::<String>::deserialize(roles).ok());
        let stored = stored.unwrap_or_else(|| vec![VISITOR.into()]);
        // An agent is no mere visitor: what a visitor may do for herself, an agent may not do for her.
        let is_agent = !roles.is_empty();
        roles.extend(stored.into_iter().filter(|role| !(is_agent && role == VISITOR)));
        Actor {
            kind,
            id,
            session: session.id.clone(),
            roles,
            channel: text("channel", "web"),
            partner: session.subject.get("partner").and_then(Value::as_str).map(str::to_string),
            language: text("language", "en"),
            network: None,
            proven: false,
            came: of_subject(&session.subject, CAME),
            agent,
            sources: Vec::new(),
            claims: session.subject.get(CLAIMS).and_then(Value::as_str).map(str::to_owned),
            grants: Grant::of_subject(&session.subject),
            came_by: None,
        }
    }

    /// The same session once its person is known.
    pub(crate) fn signed_in_as(&self, person: &str) -> Actor {
        let roles = vec![CUSTOMER.to_owned()];
        Actor { kind: CUSTOMER.into(), id: person.into(), roles, claims: None, came_by: None, ..self.clone() }
    }

    /// Whether a screen offers an event to this actor: a link may open less than the step takes.
    pub(crate) fn is_offered(&self, event: &str) -> bool {
        self.came_by.as_ref().is_none_or(|link| link.lets(event))
    }

    /// The person who is signed in.
    pub fn person(&self) -> Option<&str> {
        (self.kind == CUSTOMER).then_some(self.id.as_str())
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

    /// As an event keeps it; what follows from the kind, or from the journey's owner, is left out: most events are by
    /// the visitor whose journey it is, and say nothing.
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

    /// The other way round.
    pub(crate) fn of_stored(by: &Value, owner: &Actor) -> Actor {
        let text = |name: &str| by.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = text("kind").unwrap_or_else(|| VISITOR.into());
        let id = text("id").unwrap_or_else(|| if kind == "system" { kind.clone() } else { owner.id.clone() });
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
    /// Sends an event of this type; a draft counts as the `submit` that it prepares.
    Send(&'a str),
    /// Looks at, or changes, what a person keeps of herself.
    Account,
    Operate,
}

impl Action<'_> {
    fn right(self) -> Right {
        match self {
            Action::Begin => Right::Begin,
            Action::See => Right::See,
            Action::Send(_) => Right::Send,
            Action::Account => Right::Account,
            Action::Operate => Right::Operate,
        }
    }
}

/// The table of roles decides, and what it does not say is refused (security rule 12). A journey is its owner's; a link
/// opens what its purpose says.
pub fn can<'a>(policy: &Policy, actor: &Actor, action: Action<'_>, resource: impl Into<Resource<'a>>) -> bool {
    let may = |whose| policy.allows(actor.acting_roles(), action.right(), whose);
    let linked = |journey: &JourneyRecord| {
        let link = actor.came_by.as_ref().filter(|link| link.journey == journey.id);
        link.is_some_and(|link| if let Action::Send(event) = action { link.lets(event) } else { true })
    };
    let sent = if let Action::Send(event) = action { policy.lets(actor.acting_roles(), event) } else { true };
    sent && match resource.into() {
        Resource::Journey(journey) => {
            owns(actor, journey) && may(Whose::Own) || linked(journey) && may(Whose::Linked) || may(Whose::Any)
        }
        Resource::Own => may(Whose::Own),
        Resource::All => may(Whose::Any),
    }
}

/// Begun by this person or in this session, or hers by her verified number.
pub(crate) fn owns(actor: &Actor, journey: &JourneyRecord) -> bool {
    let began = actor.id == journey.owner || (!actor.session.is_empty() && actor.session == journey.owner);
    let hers = actor.person().is_some() && actor.person() == journey.person.as_deref();
    (began || hers) && !matches!(actor.kind.as_str(), "system" | "operator")
}
