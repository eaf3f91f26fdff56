//! Product states → plain states: parts unfolded, steps and calls moved into tables beside the machine.

use super::library::{Library, ROOT_KEYS, key};
use super::{Invoke, Step};
use crate::contract::Contracts;
use crate::fields::MapReader;
use crate::layout;
use crate::references;
use crate::shape::Shape;
use crate::source::{Key, Node, Span, Value as Source};
use crate::texts::FlowTexts;
use engine_statechart::expression::{Expression, NamingCall};
use engine_statechart::{Problem, did_you_mean};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) struct Builder<'a> {
    pub library: &'a Library<'a>,
    pub texts: FlowTexts,
    pub root_id: String,
    pub problems: Vec<Problem>,
    pub steps: IndexMap<String, Step>,
    pub step_nodes: BTreeMap<String, Node>,
    pub invokes: IndexMap<String, Invoke>,
    pub contracts: Contracts,
    /// Files of the closure so far.
    pub used: BTreeSet<String>,
    pub forms: BTreeSet<String>,
    pub views: BTreeSet<String>,
    pub tables: BTreeSet<String>,
    /// Context that parts need: path → defaults.
    pub contexts: Vec<(String, Node)>,
    /// Names for `after`: what a version does to each, and how many milliseconds it takes.
    pub delays: BTreeMap<String, (super::OnVersion, Node)>,
    /// Keys of the flow's own context.
    pub context_keys: BTreeSet<String>,
    /// What steps of the flow's sections take.
    pub sections: Sections,
    /// Variants that the flow itself has.
    pub flow_variants: Vec<Node>,
    /// What parts hear after they were left.
    pub heard: Vec<Heard>,
    /// Event of a part's end → what each candidate of the host is given.
    pub outcomes: BTreeMap<String, Vec<Shape>>,
    /// States to which a transition leads back, with its place.
    pub resumed: Vec<(String, Span)>,
    /// States of the flow → final states of parts that lead there.
    pub ends: Vec<(String, String, Span)>,
    /// State → events that it forbids: `on: {back: {}}`.
    pub forbidden: BTreeMap<String, BTreeSet<String>>,
    /// Purposes of the links that messages ask for.
    pub linked: Vec<(String, Span)>,
    /// Purposes of links that go to numbers which nobody has verified.
    pub opened: BTreeSet<String>,
    /// Parts being unfolded, for cycles.
    pub unfolding: Vec<String>,
    /// What calls give, held against what their contracts take.
    pub asked: Vec<super::contracts::CallInput>,
    /// Places of calls' inputs that nobody waits for.
    pub given: BTreeSet<Span>,
    /// Calls by id: where it is said whom they call.
    pub called: BTreeMap<String, Span>,
    /// Place of a part's `my` in the context → the state that uses it.
    pub hosts: BTreeMap<String, String>,
    /// What only happens once a number was verified, by the place of an expression that is evaluated then.
    pub needs: BTreeMap<Span, super::verified::Need>,
}

/// An event that a part hears after it was left.
pub struct Heard {
    pub event: Key,
    pub handler: Node,
    pub part: String,
    /// Whether nothing is left for another part that hears the same.
    pub is_open: bool,
}

/// What steps of a section take unless they say otherwise, by its id, in order.
#[derive(Debug, Default)]
pub struct Sections {
    list: Vec<(String, Node)>,
}

/// What a section may say for its steps.
pub const SECTION_STEP_KEYS: [&str; 8] = ["view", "kind", "submit", "data", "accepts", "hide", "trail", "links"];

impl Sections {
    pub fn read(id: String, section: &Node, problems: &mut Vec<Problem>) -> (String, Node) {
        let empty = Node::new(section.span.clone(), Source::Map(Vec::new()));
        let step = section.get("step").unwrap_or(&empty);
        MapReader::open(step, "`step` of a section", &SECTION_STEP_KEYS, problems);
        (id, step.clone())
    }

    /// `sections: [{id, step}]` of a part.
    pub fn of_part(part: &Node, problems: &mut Vec<Problem>) -> Sections {
        let mut fields = MapReader { node: part, problems, what: "a part" };
        let mut list = Vec::new();
        for item in fields.list("sections") {
            let Some(mut entry) = MapReader::open(item, "a section of a part", &["id", "step"], fields.problems) else {
                continue;
            };
            let id = entry.need_text("id");
            list.push(Sections::read(id, item, entry.problems));
        }
        Sections { list }
    }

    /// `sections: [{id, title, step}]` of a flow, whose mistakes are said where its head is read.
    pub fn of_flow(flow: &Node) -> Sections {
        let id = |item: &Node| item.get("id").and_then(Node::as_str).map(str::to_owned);
        let items = flow.get("sections").map_or(&[][..], Node::items).iter();
        Sections { list: items.filter_map(|item| Some(Sections::read(id(item)?, item, &mut Vec::new()))).collect() }
    }

    pub fn first(&self) -> Option<&str> {
        self.list.first().map(|(id, _)| id.as_str())
    }

    pub fn step(&self, id: &str) -> Option<&Node> {
        self.list.iter().find(|(known, _)| known == id).map(|(_, step)| step)
    }
}

/// Place of a state in the flow.
#[derive(Clone, Debug)]
pub struct StatePlace {
    /// Keys below the root, joined by dots; empty for the root.
    pub path: String,
    /// The host state, inside a part.
    pub border: Option<Arc<Border>>,
}

#[derive(Debug)]
pub struct Border {
    /// Id of the host state.
    pub host_id: String,
    /// Path of the host state: prefix of invoke ids.
    pub host_path: String,
    /// Place of the host state.
    pub host: StatePlace,
    pub part: String,
    /// Custom ids inside the part.
    pub ids: BTreeSet<String>,
    /// Path of the part's `my` in the context.
    pub context: String,
    /// Keys of the part's `my`.
    pub declared: BTreeSet<String>,
    /// Names of the part for `after`; the machine knows them below `context`.
    pub delays: BTreeSet<String>,
    /// Short names → contracts.
    pub contracts: BTreeMap<String, String>,
    /// Short names → where the view is named.
    pub views: BTreeMap<String, Node>,
    /// Short names → tables.
    pub tables: BTreeMap<String, String>,
    /// Short names → where the message is named.
    pub messages: BTreeMap<String, Node>,
    /// Section of the progress line, for steps that name none.
    pub section: Option<String>,
    pub sections: Sections,
}

impl StatePlace {
    pub fn root() -> StatePlace {
        StatePlace { path: String::new(), border: None }
    }

    /// A contract by the name under which a part calls it.
    pub fn contract<'n>(&'n self, name: &'n str) -> &'n str {
        self.border.as_ref().and_then(|border| border.contracts.get(name)).map_or(name, String::as_str)
    }

    /// Node that names a view, which a part's host may replace.
    pub fn view<'n>(&'n self, named: &'n Node) -> &'n Node {
        self.border.as_ref().and_then(|border| border.views.get(named.as_str()?)).unwrap_or(named)
    }

    /// The table behind a name that a part gives to what it reads.
    pub fn table<'n>(&'n self, name: &'n str) -> &'n str {
        self.border.as_ref().and_then(|border| border.tables.get(name)).map_or(name, String::as_str)
    }

    /// Node that names a message, which a part's host may replace.
    pub fn message<'n>(&'n self, named: &'n Node) -> &'n Node {
        self.border.as_ref().and_then(|border| border.messages.get(named.as_str()?)).unwrap_or(named)
    }

    /// Place of a node; where a part's host gave it, the host's own place.
    pub fn of(&self, at: &Node) -> &StatePlace {
        let given = self.border.as_deref().filter(|border| *at.span.file != *layout::part_file(&border.part));
        given.map_or(self, |border| border.host.of(at))
    }

    /// Path of `my` in the context, inside a part.
    pub fn context(&self) -> Option<&str> {
        self.border.as_ref().map(|border| border.context.as_str())
    }

    pub fn child(&self, key: &str) -> StatePlace {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        StatePlace { path, border: self.border.clone() }
    }
}

impl<'a> Builder<'a> {
    pub fn new(library: &'a Library<'a>, texts: FlowTexts, root_id: String, used: BTreeSet<String>) -> Self {
        Builder {
            library,
            texts,
            root_id,
            problems: Vec::new(),
            steps: IndexMap::new(),
            step_nodes: BTreeMap::new(),
            invokes: IndexMap::new(),
            contracts: Contracts::new(),
            used,
            forms: BTreeSet::new(),
            views: BTreeSet::new(),
            tables: BTreeSet::new(),
            contexts: Vec::new(),
            delays: BTreeMap::new(),
            context_keys: BTreeSet::new(),
            sections: Sections::default(),
            flow_variants: Vec::new(),
            heard: Vec::new(),
            outcomes: BTreeMap::new(),
            resumed: Vec::new(),
            ends: Vec::new(),
            forbidden: BTreeMap::new(),
            linked: Vec::new(),
            opened: BTreeSet::new(),
            unfolding: Vec::new(),
            asked: Vec::new(),
            given: BTreeSet::new(),
            called: BTreeMap::new(),
            hosts: BTreeMap::new(),
            needs: BTreeMap::new(),
        }
    }

    /// Unfolds the whole machine.
    pub fn root(&mut self, tree: &Node, place: &StatePlace) -> Node {
        self.context_keys =
            tree.get("context").map_or(&[][..], Node::map).iter().map(|(k, _)| k.name.clone()).collect();
        self.sections = Sections::of_flow(tree);
        let mut root = self.state(tree, place);
        self.listen(&mut root);
        let contexts = std::mem::take(&mut self.contexts);
        let span = tree.span.clone();
        if let Some(map) = root.map_mut() {
            let at = match map.iter().position(|(k, _)| k.name == "context") {
                Some(at) => at,
                None => {
                    map.push((key("context", &span), Node::new(span.clone(), Source::Map(Vec::new()))));
                    map.len() - 1
                }
            };
            for (path, defaults) in contexts {
                add_defaults(&mut map[at].1, &path.split('.').collect::<Vec<_>>(), &defaults);
            }
            for (k, _) in map[at].1.map() {
                if !is_context_key(&k.name) {
                    self.problems.push(Problem::error(
                        "bad-key",
                        &k.span,
                        format!("context key `{}` is not a name: small letters, digits, `_`", k.name),
                    ));
                }
            }
        }
        root
    }

    /// What parts hear is asked last.
    fn listen(&mut self, root: &mut Node) {
        let Some(map) = root.map_mut() else { return };
        let heard = std::mem::take(&mut self.heard);
        for (at, Heard { event, handler, part, is_open }) in heard.iter().enumerate() {
            if let Some(next) = heard[at + 1..].iter().find(|next| *is_open && next.event.name == event.name) {
                let message =
                    format!("part `{part}` takes every `{}`: part `{}` never hears it", event.name, next.part);
                let problem = Problem::error("hears", &event.span, message);
                self.problems.push(problem.hint("its last candidate needs a guard: whose event is it?"));
            }
            add_handler(map, event, handler.clone());
        }
    }

    pub fn state_id(&self, node: &Node, place: &StatePlace) -> String {
        let custom = node.get("id").and_then(Node::as_str);
        match (custom, &place.border) {
            (Some(id), Some(border)) => format!("{}.{id}", border.host_id),
            (Some(id), None) => id.to_owned(),
            (None, _) if place.path.is_empty() => self.root_id.clone(),
            (None, _) => format!("{}.{}", self.root_id, place.path),
        }
    }

    pub fn state(&mut self, node: &Node, place: &StatePlace) -> Node {
        if !node.is_map() {
            if node.is_null() {
                return Node::new(node.span.clone(), Source::Map(Vec::new()));
            }
            return node.clone();
        }
        if node.get("use").is_some() {
            return self.unfold(node, place);
        }
        let id = self.state_id(node, place);
        let empty = node.get("on").map_or(&[][..], Node::map).iter().filter(|(_, t)| t.is_map() && t.map().is_empty());
        let events: BTreeSet<String> = empty.map(|(k, _)| k.name.clone()).collect();
        if !events.is_empty() {
            self.forbidden.insert(id.clone(), events);
        }
        let mut out: Vec<(Key, Node)> = Vec::new();
        if place.path.is_empty() || place.border.is_some() && node.get("id").is_some() {
            out.push((key("id", &node.span), text_node(&id, &node.span)));
        }
        let mut replies: Vec<(Key, Node)> = Vec::new();
        let is_root = place.path.is_empty() && place.border.is_none();
        for (k, value) in node.map().iter().filter(|(k, _)| !is_root || !ROOT_KEYS.contains(&k.name.as_str())) {
            let new = match k.name.as_str() {
                "id" if out.first().is_some_and(|(k, _)| k.name == "id") => continue,
                "step" => {
                    self.step(value, &id, node, place);
                    continue;
                }
                "with" => {
                    self.problems.push(Problem::error("misplaced-key", &k.span, "`with` belongs beside `use`"));
                    continue;
                }
                "states" => self.states(value, place),
                "on" => self.on(value, place),
                "always" | "onDone" => self.transitions(value, place),
                "after" => self.after(value, place),
                "entry" | "exit" => self.actions(value, place),
                "initial" => self.initial(value, place),
                "invoke" => self.invoke_list(value, place, &id, &mut replies),
                _ => value.clone(),
            };
            out.push((k.clone(), new));
        }
        for (k, value) in replies {
            add_handler(&mut out, &k, value);
        }
        Node::new(node.span.clone(), Source::Map(out))
    }

    pub fn states(&mut self, node: &Node, place: &StatePlace) -> Node {
        if !node.is_map() {
            return node.clone();
        }
        let states =
            node.map().iter().map(|(k, child)| (k.clone(), self.state(child, &place.child(&k.name)))).collect();
        Node::new(node.span.clone(), Source::Map(states))
    }

    /// A map from durations or names of delays to transitions.
    pub fn after(&mut self, node: &Node, place: &StatePlace) -> Node {
        let mut after = self.on(node, place);
        for (k, _) in after.map_mut().into_iter().flatten() {
            if let Some(border) = place.border.as_ref().filter(|border| border.delays.contains(&k.name)) {
                k.name = format!("{}.{}", border.context, k.name);
            }
        }
        after
    }

    /// A map from descriptors to transitions.
    pub fn on(&mut self, node: &Node, place: &StatePlace) -> Node {
        if !node.is_map() {
            return node.clone();
        }
        let on = node.map().iter().map(|(k, t)| (k.clone(), self.transitions(t, place))).collect();
        Node::new(node.span.clone(), Source::Map(on))
    }

    pub fn transitions(&mut self, node: &Node, place: &StatePlace) -> Node {
        match &node.value {
            Source::List(items) => {
                let list = items.iter().map(|t| self.transitions(t, place)).collect();
                Node::new(node.span.clone(), Source::List(list))
            }
            Source::String(_) => self.target(node, place),
            Source::Map(entries) => {
                let mut map: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
                for (k, value) in entries {
                    let new = match k.name.as_str() {
                        "target" => self.target(value, place),
                        "actions" => self.actions(value, place),
                        "resume" => continue,
                        _ => value.clone(),
                    };
                    map.push((k.clone(), new));
                }
                if let (Some(k), Some(goal)) = (node.key("resume"), node.get("resume")) {
                    if node.get("target").is_none() {
                        let problem = Problem::error("misplaced-key", &k.span, "`resume` belongs beside `target`");
                        self.problems.push(problem);
                    }
                    let action = self.resume(goal, place);
                    match map.iter_mut().find(|(k, _)| k.name == "actions") {
                        Some((_, actions)) => {
                            let list = actions.items().iter().cloned().chain([action]).collect();
                            *actions = Node::new(actions.span.clone(), Source::List(list));
                        }
                        None => map.push((key("actions", &k.span), action)),
                    }
                }
                Node::new(node.span.clone(), Source::Map(map))
            }
            _ => node.clone(),
        }
    }

    /// `resume: state`, found like a target: from there on later answers are sent again until it is entered.
    fn resume(&mut self, goal: &Node, place: &StatePlace) -> Node {
        let name = goal.as_str().unwrap_or_default();
        let path = match (name.strip_prefix('#'), name.strip_prefix('.')) {
            (Some(id), _) => place.border.as_ref().map_or_else(|| id.to_owned(), |b| format!("{}.{id}", b.host_id)),
            (None, Some(child)) => [self.root_id.as_str(), &place.path, child].join(".").replace("..", "."),
            (None, None) => {
                let parent = place.path.rsplit_once('.').map_or("", |(parent, _)| parent);
                [self.root_id.as_str(), parent, name].join(".").replace("..", ".")
            }
        };
        self.resumed.push((path.clone(), goal.span.clone()));
        let at = |value| Node::new(goal.span.clone(), value);
        at(Source::Map(vec![
            (key("type", &goal.span), text_node(crate::keys::actions::RESUME, &goal.span)),
            (key("to", &goal.span), at(Source::String(path))),
        ]))
    }

    /// Notes where a final state of a part leads to in the flow.
    pub fn closes(&mut self, transition: &Node, end: &str, place: &StatePlace) {
        let target = transition.get("target").unwrap_or(transition).as_str();
        if let (None, Some(target)) = (&place.border, target.filter(|t| !t.starts_with(['#', '.']))) {
            let parent = place.path.rsplit_once('.').map_or(String::new(), |(parent, _)| format!("{parent}."));
            self.ends.push((format!("{}.{parent}{target}", self.root_id), end.to_owned(), transition.span.clone()));
        }
    }

    /// Resolves a target; inside a part `#id` means an id of the part, and nothing else may be reached.
    fn target(&mut self, node: &Node, place: &StatePlace) -> Node {
        if let Source::List(items) = &node.value {
            let list = items.iter().map(|t| self.target(t, place)).collect();
            return Node::new(node.span.clone(), Source::List(list));
        }
        let (Some(border), Some(target)) = (&place.border, node.as_str()) else { return node.clone() };
        let Some(id) = target.strip_prefix('#') else { return node.clone() };
        if id.is_empty() {
            return text_node(&format!("#{}", border.host_id), &node.span); // the part itself, from its start
        }
        let first = id.split('.').next().unwrap_or(id);
        if !border.ids.contains(first) {
            let problem = Problem::error("part-border", &node.span, format!("target `{target}` leaves the part"))
                .hint("end in a final state with an outcome; the host decides where to go");
            self.problems.push(problem.maybe_hint(did_you_mean(first, border.ids.iter().map(String::as_str))));
        }
        text_node(&format!("#{}.{id}", border.host_id), &node.span)
    }

    fn initial(&mut self, node: &Node, place: &StatePlace) -> Node {
        let Source::Map(entries) = &node.value else { return node.clone() };
        let map = entries
            .iter()
            .map(|(k, v)| (k.clone(), if k.name == "actions" { self.actions(v, place) } else { v.clone() }))
            .collect();
        Node::new(node.span.clone(), Source::Map(map))
    }

    /// Notes the tables that expressions name; names of tables and reference data must exist.
    pub fn uses<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expression>) {
        for expression in expressions {
            expression.things().for_each(|call| self.thing(call));
            let columns = expression.columns(references::ROWS, None, &[]);
            self.library.references().check_columns(&columns, &mut self.problems);
        }
    }

    /// Place of a key of a step, or of the step itself.
    pub fn step_span(&self, state: &str, key: &str) -> Option<Span> {
        let node = self.step_nodes.get(state)?;
        Some(node.get(key).map_or(&node.span, |value| &value.span).clone())
    }

    pub fn thing(&mut self, call: NamingCall<'_>) {
        self.tables.extend(call.name.filter(|_| references::is_of_tables(call.function)).map(str::to_owned));
        self.library.references().check_name(call, &mut self.problems);
    }
}

pub fn text_node(text: &str, span: &Span) -> Node {
    Node::new(span.clone(), Source::String(text.to_owned()))
}

pub fn is_context_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Adds a handler to `on` of a state; its candidates come after those that are there.
pub fn add_handler(state: &mut Vec<(Key, Node)>, event: &Key, handler: Node) {
    let at = match state.iter().position(|(k, _)| k.name == "on") {
        Some(at) => at,
        None => {
            state.push((key("on", &event.span), Node::new(event.span.clone(), Source::Map(Vec::new()))));
            state.len() - 1
        }
    };
    let Some(on) = state[at].1.map_mut() else { return };
    match on.iter_mut().find(|(k, _)| k.name == event.name) {
        Some((_, known)) => {
            let list: Vec<Node> = known.items().iter().chain(handler.items()).cloned().collect();
            *known = Node::new(known.span.clone(), Source::List(list));
        }
        None => on.push((event.clone(), handler)),
    }
}

/// Puts defaults under a path; what is written there already stays.
fn add_defaults(context: &mut Node, path: &[&str], defaults: &Node) {
    let Some(map) = context.map_mut() else { return };
    let Some((first, rest)) = path.split_first() else {
        for (k, value) in defaults.map() {
            if !map.iter().any(|(known, _)| known.name == k.name) {
                map.push((k.clone(), value.clone()));
            }
        }
        return;
    };
    let at = match map.iter().position(|(k, _)| k.name == *first) {
        Some(at) => at,
        None => {
            map.push((key(first, &defaults.span), Node::new(defaults.span.clone(), Source::Map(Vec::new()))));
            map.len() - 1
        }
    };
    add_defaults(&mut map[at].1, rest, defaults);
}
