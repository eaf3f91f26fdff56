//! Who may do what, and with whose: one table, workflows/roles.yaml, always live. What it does not say is refused.

use crate::fields::{MapReader, unknown};
use crate::source::Node;
use engine_statechart::source::Span;
use engine_statechart::{Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};

/// Code of problems with what no file can lower: who may do what, see what, get what, whatever definitions say. What they
/// ask for is refused by the runtime too.
pub(crate) const FLOOR: &str = "floor";

/// Mistakes for which a publication is refused, and in spite of which a version that open journeys hold is made: what asks
/// for less than a floor, what is never reached or used, a path that two steps have, a column that is not there, a place
/// in single braces, a place that a translation has lost, marks in words that are not read, a variant over what changed.
pub(crate) const MAKEABLE: [&str; 11] =
    [FLOOR, "never", "unused", "path", "column", "brace", "lost", "prose", "variant-conflict", "pointer", "figure"];

/// Whether nothing can be made of what has this problem.
pub(crate) fn is_fatal(problem: &Problem) -> bool {
    problem.is_error() && !MAKEABLE.contains(&problem.code)
}

/// The table that comes with the program: of definitions without one.
const OURS: &str = include_str!("../../../workflows/roles.yaml");
pub(crate) const FILE: &str = "workflows/roles.yaml";

/// What somebody may be allowed to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// A journey is begun.
    Begin,
    /// A journey, its documents and changes are looked at.
    See,
    /// An event is sent to it, or a draft kept.
    Send,
    /// What a person keeps in the account, and all that belongs to it.
    Account,
    /// Stuck work, incidents, histories.
    Operate,
}

/// Whose things a right is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Things begun by them, or theirs by their number.
    Own,
    /// Things opened to them by a link of a message.
    Linked,
    /// Anybody's things.
    Any,
}

/// What a route of the program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteAsks {
    /// A route at which nobody is asked who they are.
    Nothing,
    Right(Right),
}

pub(crate) const RIGHTS: [(&str, Right); 5] = [
    ("begin", Right::Begin),
    ("see", Right::See),
    ("send", Right::Send),
    ("account", Right::Account),
    ("operate", Right::Operate),
];
const WHOSE: [(&str, Whose); 3] = [("own", Whose::Own), ("linked", Whose::Linked), ("any", Whose::Any)];
pub(crate) const NOTHING: &str = "open";

/// Roles that the program itself gives: who has only a session, who has signed in, whose token an operator made.
const GIVEN: [&str; 3] = [VISITOR, CUSTOMER, OPERATOR];
pub(crate) const VISITOR: &str = "visitor";
const CUSTOMER: &str = "customer";
const OPERATOR: &str = "operator";

/// Every route of the program: each has its line in the table.
pub const ROUTES: [&str; 43] = [
    "GET /api/v1/workflows/{line}/{name}/start",
    "POST /api/v1/journeys",
    "GET /api/v1/journeys",
    "GET /api/v1/journeys/{id}",
    "POST /api/v1/journeys/{id}/events",
    "PUT /api/v1/journeys/{id}/draft",
    "POST /api/v1/journeys/{id}/presence",
    "GET /api/v1/journeys/{id}/stream",
    "GET /api/v1/journeys/{id}/documents/{document}",
    "POST /api/v1/journeys/{id}/uploads",
    "GET /api/v1/journeys/{id}/uploads",
    "PUT /api/v1/journeys/{id}/uploads/{upload}",
    "GET /api/v1/journeys/{id}/uploads/{upload}",
    "DELETE /api/v1/journeys/{id}/uploads/{upload}",
    "GET /api/v1/journeys/{id}/uploads/{upload}/file",
    "GET /api/v1/journeys/{id}/uploads/{upload}/preview",
    "GET /api/v1/master/{name}",
    "GET /api/v1/seo/page",
    "POST /api/v1/webhooks/{partner}/{name}",
    "GET /api/v1/partners/{partner}/return/{state}",
    "POST /api/v1/partners/{partner}/return/{state}",
    "POST /stackTraceApi",
    "POST /api/v1/errors",
    "GET /openapi.json",
    "GET /api/{*path}",
    "POST /api/{*path}",
    "PUT /api/{*path}",
    "GET /api/v1/operator/effects",
    "POST /api/v1/operator/effects/{key}/retry",
    "POST /api/v1/operator/effects/{key}/skip",
    "POST /api/v1/operator/effects/release",
    "GET /api/v1/operator/incidents",
    "POST /api/v1/operator/incidents/{id}/retry",
    "POST /api/v1/operator/incidents/{id}/close",
    "POST /api/v1/operator/webhooks",
    "GET /api/v1/operator/journeys/{id}/history",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /r/{code}",
    "POST /r/{code}",
    "GET /openid",
    "GET /openid/back",
];

#[derive(Debug)]
pub struct Policy {
    /// Name → who that is, in words.
    roles: BTreeMap<String, String>,
    rights: BTreeMap<(Right, Whose), BTreeSet<String>>,
    routes: BTreeMap<String, RouteAsks>,
    /// Events that fewer may send than `send` says: the roles that may.
    events: BTreeMap<String, BTreeSet<String>>,
    /// Roles that act for customers.
    assists: BTreeSet<String>,
    /// Kinds of personal data that somebody who acts for customers sees whole.
    plain: BTreeSet<String>,
    /// Kinds of personal data that they see no part of.
    hidden: BTreeSet<String>,
    /// What brought customers whose numbers a session with a token for it need not have verified at first.
    sources: BTreeSet<String>,
}

/// Who alone is meant, where a definition names roles: for everybody else it is not there.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    names: Vec<String>,
    /// Places of the names in their file.
    at: Vec<Node>,
}

impl Roles {
    /// Reads the key `roles`; whether its words are roles says [`Policy::knows`].
    pub(crate) fn read(node: &Node, problems: &mut Vec<Problem>) -> Roles {
        let Some(list) = node.get("roles") else { return Roles::default() };
        let at: Vec<Node> = list.items().iter().filter(|item| item.as_str().is_some()).cloned().collect();
        if at.is_empty() || at.len() < list.items().len() {
            problems.push(Problem::error("shape", &list.span, "`roles` names one role or several"));
        }
        Roles { names: at.iter().filter_map(Node::as_str).map(str::to_owned).collect(), at }
    }

    /// Whether nobody is named: it is for all.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether somebody with these roles is meant.
    pub fn include<'r>(&self, roles: impl IntoIterator<Item = &'r str>) -> bool {
        self.is_empty() || roles.into_iter().any(|role| self.names.iter().any(|name| name == role))
    }

    pub(crate) fn at(&self) -> impl Iterator<Item = &Node> {
        self.at.iter()
    }
}

/// The table that comes with the program: until definitions are there, it holds.
impl Default for Policy {
    fn default() -> Self {
        let read = crate::source::read(FILE, OURS.as_bytes());
        read.map_or_else(|_| Policy::empty(), |node| Policy::compile(&node, &mut Vec::new()))
    }
}

impl Policy {
    /// A policy by which nobody may do anything.
    fn empty() -> Policy {
        let (roles, rights, routes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (assists, plain, hidden, sources) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        Policy { roles, rights, routes, events: BTreeMap::new(), assists, plain, hidden, sources }
    }

    /// Whether one of these roles has a right, on what is so theirs.
    pub fn allows<'r>(&self, mut roles: impl Iterator<Item = &'r str>, right: Right, whose: Whose) -> bool {
        self.rights.get(&(right, whose)).is_some_and(|known| roles.any(|role| known.contains(role)))
    }

    /// Whether one of these roles may send this event where it may send any.
    pub fn lets<'r>(&self, mut roles: impl Iterator<Item = &'r str>, event: &str) -> bool {
        self.events.get(event).is_none_or(|known| roles.any(|role| known.contains(role)))
    }

    /// The first of these roles that acts for customers.
    pub fn assists<'r>(&self, mut roles: impl Iterator<Item = &'r str>) -> Option<&'r str> {
        roles.find(|role| self.assists.contains(*role))
    }

    /// Whether who acts for customers sees personal data of this kind whole.
    pub fn shows_whole(&self, kind: &str) -> bool {
        self.plain.contains(kind)
    }

    /// Every kind of personal data of which who acts for customers sees no part.
    pub fn hidden_kinds(&self) -> impl Iterator<Item = &str> {
        self.hidden.iter().map(String::as_str)
    }

    /// What brought customers whose numbers a session with a token for it need not have verified at first.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().map(String::as_str)
    }

    /// Whether an operator may give this role: it is there, and the program does not give it itself.
    pub fn is_given(&self, role: &str) -> bool {
        self.roles.contains_key(role) && !GIVEN.contains(&role)
    }

    /// What a route asks for, as `GET /healthz`; `None`: there is no such line, and nobody may.
    pub fn asks(&self, route: &str) -> Option<RouteAsks> {
        self.routes.get(route).copied()
    }

    /// Every role, with who that is.
    pub fn roles(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roles.iter().map(|(name, words)| (name.as_str(), words.as_str()))
    }

    pub(crate) fn compile(node: &Node, problems: &mut Vec<Problem>) -> Policy {
        let mut policy = Policy::empty();
        let keys = ["roles", "rights", "routes", "events", "assists", "plain", "hidden", "sources"];
        let Some(mut fields) = MapReader::open(node, "the table of roles", &keys, problems) else { return policy };
        for (key, words) in fields.entries("roles") {
            let words = words.as_str().unwrap_or_else(|| {
                fields.problems.push(Problem::error("shape", &words.span, "a role is said in words"));
                ""
            });
            policy.roles.insert(key.name.clone(), words.to_owned());
        }
        for role in GIVEN.iter().filter(|role| !policy.roles.contains_key(**role)) {
            fields.problems.push(Problem::error("missing", &node.span, format!("the role `{role}` is needed")));
        }
        for (key, scopes) in fields.entries("rights") {
            let Some((_, right)) = RIGHTS.iter().find(|(name, _)| *name == key.name) else {
                fields.problems.push(strange("right", &key.span, &key.name, RIGHTS.iter().map(|(name, _)| *name)));
                continue;
            };
            let names = WHOSE.map(|(name, _)| name);
            let Some(mut right_of) = MapReader::open(scopes, "a right", &names, fields.problems) else { continue };
            for (name, whose) in WHOSE {
                let mut roles: BTreeSet<String> = policy.known_roles(&mut right_of, name).into_iter().collect();
                let at = right_of.node.key(name).map_or(&right_of.node.span, |key| &key.span);
                roles.retain(|role| {
                    !policy.roles.contains_key(role) || is_within(*right, whose, role, at, right_of.problems)
                });
                policy.rights.insert((*right, whose), roles);
            }
        }
        policy.read_routes(&mut fields);
        policy.sources = fields.texts("sources").into_iter().collect();
        policy.plain = fields.texts("plain").into_iter().collect();
        policy.hidden = fields.texts("hidden").into_iter().collect();
        policy.assists = policy.known_roles(&mut fields, "assists").into_iter().collect();
        policy.with_all_assistants(&mut fields);
        for (key, roles) in fields.entries("events") {
            let Some(mut sent) = MapReader::open(roles, "an event", &["roles"], fields.problems) else { continue };
            let known = policy.known_roles(&mut sent, "roles").into_iter().collect();
            policy.events.insert(key.name.clone(), known);
        }
        policy
    }

    /// Who may begin, see or send, and is no visitor, customer or operator, acts for customers: whoever the list leaves out
    /// would agree and pay in their place.
    fn with_all_assistants(&mut self, fields: &mut MapReader<'_, '_>) {
        let of_journeys = |(right, _): &&(Right, Whose)| [Right::Begin, Right::See, Right::Send].contains(right);
        let acting = self.rights.keys().filter(of_journeys).flat_map(|key| &self.rights[key]);
        let missing: BTreeSet<String> =
            acting.filter(|role| !GIVEN.contains(&role.as_str()) && !self.assists.contains(*role)).cloned().collect();
        let at = fields.get("assists").map_or_else(|| fields.node.span.clone(), |list| list.span.clone());
        for role in missing {
            let message = format!("`{role}` acts for customers: what only they agree to or pay is closed to it");
            fields.problems.push(Problem::error(FLOOR, &at, message).hint(format!("assists: [{role}]")));
            self.assists.insert(role);
        }
    }

    fn read_routes(&mut self, fields: &mut MapReader<'_, '_>) {
        let of_routes = || RIGHTS.iter().map(|(name, _)| *name).chain([NOTHING]);
        for (key, asks) in fields.entries("routes") {
            if !ROUTES.contains(&key.name.as_str()) {
                fields.problems.push(strange("route", &key.span, &key.name, ROUTES.into_iter()));
                continue;
            }
            let word = asks.as_str().unwrap_or_default();
            let right = RIGHTS.iter().find(|(name, _)| *name == word).map(|(_, right)| RouteAsks::Right(*right));
            match right.or((word == NOTHING).then_some(RouteAsks::Nothing)) {
                Some(given) => {
                    let floor = floor_of(&key.name);
                    if let Some(needed) = floor.filter(|needed| given != RouteAsks::Right(*needed)) {
                        let message = format!("`{}` never asks for less than `{}`", key.name, needed.word());
                        fields.problems.push(Problem::error(FLOOR, &asks.span, message).hint(needed.word()));
                    }
                    self.routes.insert(key.name.clone(), floor.map_or(given, RouteAsks::Right));
                }
                None => fields.problems.push(strange("right", &asks.span, word, of_routes())),
            }
        }
        let at = fields.get("routes").unwrap_or(fields.node);
        for route in ROUTES.iter().filter(|route| at.get(route).is_none()) {
            fields.problems.push(Problem::error("route", &at.span, format!("the route `{route}` has no line")));
        }
    }

    /// The roles under a key, those that are there.
    fn known_roles(&self, fields: &mut MapReader<'_, '_>, key: &str) -> Vec<String> {
        let names = fields.texts(key);
        for (name, at) in names.iter().zip(fields.get(key).map_or(&[][..], Node::items)) {
            if !self.roles.contains_key(name) {
                fields.problems.push(unknown("role", at, name, self.roles.keys().map(String::as_str)));
            }
        }
        names
    }

    /// Who sends an event has a role, or came by a link.
    pub(crate) fn knows_sender(&self, by: &Node, problems: &mut Vec<Problem>) {
        if !by.as_str().is_some_and(|name| name.starts_with("link:")) {
            self.knows(by, problems);
        }
    }

    /// A form's variant is for a role that is there.
    pub(crate) fn knows(&self, role: &Node, problems: &mut Vec<Problem>) {
        let name = role.as_str().unwrap_or_default();
        if !self.roles.contains_key(name) {
            problems.push(unknown("role", role, name, self.roles.keys().map(String::as_str)));
        }
    }

    /// Events that no workflow knows.
    pub(crate) fn verify(&self, node: &Node, events: &BTreeSet<&str>, problems: &mut Vec<Problem>) {
        for (key, _) in node.get("events").map_or(&[][..], Node::map) {
            if !events.contains(key.name.as_str()) {
                problems.push(strange("event", &key.span, &key.name, events.iter().copied()));
            }
        }
    }
}

impl Right {
    const fn word(self) -> &'static str {
        match self {
            Right::Begin => "begin",
            Right::See => "see",
            Right::Send => "send",
            Right::Account => "account",
            Right::Operate => "operate",
        }
    }
}

/// What a route asks for, whatever a file says: a journey is never open to who only knows its id.
fn floor_of(route: &str) -> Option<Right> {
    let (method, path) = route.split_once(' ')?;
    match path {
        _ if path.starts_with("/api/v1/operator/") => Some(Right::Operate),
        "/api/v1/journeys" if method == "POST" => Some(Right::Begin),
        _ if path.starts_with("/api/v1/journeys/{id}/uploads") && method != "GET" => Some(Right::Send),
        "/api/v1/journeys/{id}/events" | "/api/v1/journeys/{id}/draft" => Some(Right::Send),
        "/api/v1/journeys" => Some(Right::See),
        _ if path.starts_with("/api/v1/journeys/") => Some(Right::See),
        _ => None,
    }
}

/// Whether a role may have a right on what is so theirs at all: what is others' is for staff, the work of all for operators.
fn is_within(right: Right, whose: Whose, role: &str, at: &Span, problems: &mut Vec<Problem>) -> bool {
    let problem = match (right, whose) {
        (Right::Operate, _) if role != OPERATOR => {
            Problem::error(FLOOR, at, format!("`operate` is for operators, not `{role}`"))
                .hint("operate: {any: operator}")
        }
        (_, Whose::Any) if [VISITOR, CUSTOMER].contains(&role) => {
            Problem::error(FLOOR, at, format!("what is others' is never open to `{role}`"))
                .hint("`own` and `linked` are for everybody, `any` is for roles of the staff")
        }
        _ => return true,
    };
    problems.push(problem);
    false
}

fn strange<'k>(what: &str, at: &Span, name: &str, known: impl Iterator<Item = &'k str>) -> Problem {
    Problem::error("unknown-name", at, format!("unknown {what} `{name}`")).maybe_hint(did_you_mean(name, known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, to: &str, at: &str, says: &str) {
        assert!(OURS.contains(from), "{from}");
        let text = OURS.replacen(from, to, 1);
        let before = text.split_once(at).expect("the place").0;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
        let place = (before.matches('\n').count() as u32 + 1, column, says.to_owned());
        let mut problems = Vec::new();
        let node = crate::source::read(FILE, text.as_bytes()).expect("YAML");
        let policy = Policy::compile(&node, &mut problems);
        policy.verify(&node, &BTreeSet::from(["retry", "submit"]), &mut problems);
        let said: Vec<_> = problems.iter().map(|p| (p.span.line, p.span.column, p.message.clone())).collect();
        assert_eq!(said, [place]);
    }

    #[test]
    fn what_the_table_names_is_there_and_every_route_has_its_line() {
        check("operate: {any: operator}", "operate: {any: operater}", "operater", "unknown role `operater`");
        check("{retry: {roles", "{retri: {roles", "retri:", "unknown event `retri`");
        check("  operate: {any", "  oprate: {any", "oprate:", "unknown right `oprate`");
        check("POST /api/v1/journeys: begin", "POST /api/v1/journeys: bigin", "bigin", "unknown right `bigin`");
        check(
            "GET /readyz: open",
            "GET /reedyz: open\n  GET /readyz: open",
            "GET /reedyz",
            "unknown route `GET /reedyz`",
        );
        check("  GET /readyz: open\n", "", "\"GET /api/v1/workflows", "the route `GET /readyz` has no line");
    }

    #[test]
    fn no_file_opens_what_is_others() {
        let any = "what is others' is never open to `visitor`";
        check(
            "operate: {any: operator}",
            "operate: {any: visitor}",
            "any: visitor}",
            "`operate` is for operators, not `visitor`",
        );
        check("see: {own: *everyone,", "see: {own: *everyone, any: visitor,", "any: visitor,", any);
        check(
            "GET /api/v1/operator/incidents: operate",
            "GET /api/v1/operator/incidents: open",
            "open\n  \"POST /api/v1/operator/incidents/",
            "`GET /api/v1/operator/incidents` never asks for less than `operate`",
        );
        let file = OURS.replacen("see: {own: *everyone,", "see: {own: *everyone, any: *everyone,", 1);
        let file = file.replacen("assists: [", "assists: [] # [", 1).replacen(
            "journeys/{id}\": see",
            "journeys/{id}\": open",
            1,
        );
        let node = crate::source::read(FILE, file.as_bytes()).expect("YAML");
        let policy = Policy::compile(&node, &mut Vec::new());
        for role in [VISITOR, CUSTOMER] {
            assert!(!policy.allows([role].into_iter(), Right::See, Whose::Any), "{role}");
        }
        assert_eq!(policy.assists(["call-centre"].into_iter()), Some("call-centre"));
        assert_eq!(policy.asks("GET /api/v1/journeys/{id}"), Some(RouteAsks::Right(Right::See)));
    }

    #[test]
    fn a_right_is_a_roles_and_of_what_is_theirs() {
        let policy = Policy::default();
        let may = |role: &str, right, whose| policy.allows([role].into_iter(), right, whose);
        assert!(may("customer", Right::Account, Whose::Own) && !may("visitor", Right::Account, Whose::Own));
        assert!(may("operator", Right::Operate, Whose::Any) && !may("operator", Right::See, Whose::Any));
        assert!(!may("nobody", Right::See, Whose::Own) && !policy.allows([].into_iter(), Right::See, Whose::Own));
        let lets = |role: &str, event| policy.lets([role].into_iter(), event);
        assert!(lets("customer", "retry") && !lets("health-agent", "retry") && lets("health-agent", "submit"));
        assert_eq!(policy.asks("GET /nowhere"), None);
    }
}
