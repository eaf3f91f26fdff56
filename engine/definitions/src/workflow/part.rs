//! Parts: `use` unfolds a folder's states into the host state, with literal bindings. Their context lies under the
//! state's key, they are entered fresh except for `keep`, leave by final states named after their outcomes, and hear
//! events after they were left.

use super::desugar::{Border, Builder, Heard, Sections, StatePlace, add_handler, text_node};
use super::library::key;
use super::{cel, values};
use crate::contract::not_there;
use crate::extends::apply;
use crate::fields::{MapReader, unknown, unknown_keys};
use crate::host::shared_vocabulary;
use crate::layout;
use crate::shape::{Given, Shape};
use crate::source::{Key, Node, Span, Value as Source};
use engine_statechart::expression::Expression;
use engine_statechart::flow::Work;
use engine_statechart::{Machine, Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub const PART_KEYS: [&str; 24] = [
    "title",
    "description",
    "input",
    "asks",
    "contracts",
    "views",
    "tables",
    "messages",
    "context",
    "keep",
    "outcomes",
    "hears",
    "delays",
    "sections",
    "step",
    "invoke",
    "initial",
    "states",
    "on",
    "always",
    "after",
    "entry",
    "exit",
    "meta",
];
pub const HOST_KEYS: [&str; 16] = [
    "use",
    "with",
    "contracts",
    "views",
    "tables",
    "messages",
    "step",
    "steps",
    "section",
    "onDone",
    "on",
    "after",
    "entry",
    "exit",
    "id",
    "description",
];
/// What a host may say of a part's step.
pub const GIVEN_STEP_KEYS: [&str; 18] = [
    "form",
    "into",
    "path",
    "title",
    "section",
    "submit",
    "data",
    "prefill",
    "covered",
    "accepts",
    "links",
    "depends",
    "satisfied",
    "known",
    "trail",
    "hide",
    "only",
    "waits_for",
];
const NESTING_MAX: usize = 4;
/// What a final state gives its host: which outcome it is.
pub(super) const OUTCOME: &str = "outcome";

impl Builder<'_> {
    /// A state with `use`.
    pub fn unfold(&mut self, node: &Node, place: &StatePlace) -> Node {
        let nothing = Node::new(node.span.clone(), Source::Map(Vec::new()));
        unknown_keys(node, "a state that uses a part", &HOST_KEYS, &mut self.problems);
        let Some(at) = node.get("use") else { return nothing };
        let name = at.as_str().unwrap_or_default().to_owned();
        let path = layout::part_file(&name);
        let library = self.library;
        let Some(part) = library.nodes.get(&path) else {
            let parts = library.nodes.keys().filter_map(|path| match layout::kind_of(path) {
                Some(layout::FileKind::Part(id)) => Some(id),
                _ => None,
            });
            let known: Vec<String> = parts.collect();
            self.problems.push(unknown("part", at, &name, known.iter().map(String::as_str)));
            return nothing;
        };
        if self.unfolding.contains(&name) || self.unfolding.len() >= NESTING_MAX {
            self.problems.push(Problem::error(
                "part-cycle",
                &at.span,
                format!("part `{name}` uses itself, or parts are nested deeper than {NESTING_MAX}"),
            ));
            return nothing;
        }
        self.used.insert(path);
        self.texts.add(&name, library.texts);
        self.unfolding.push(name.clone());
        let state = self.unfold_part(node, part, &name, place);
        self.unfolding.pop();
        state
    }

    fn unfold_part(&mut self, host: &Node, part: &Node, name: &str, place: &StatePlace) -> Node {
        unknown_keys(part, "a part", &PART_KEYS, &mut self.problems);
        let context = self.context_of(host, place);
        let host_id = self.state_id(host, place);
        let tables = self.bound_tables(host, part, name, place);
        let asked = values::provided_by_host(part, host, name, self.library.nodes, &mut self.problems);
        let names =
            values::of_part(name, &context, (asked, &tables), self.library.nodes, &mut self.used, &mut self.problems);
        names.things().for_each(|call| self.thing(call));
        let mut part = values::with_tables(part, &tables).with_names(&names);
        self.give_steps(host, &mut part, name);
        let part = &part;
        let empty = Node::new(part.span.clone(), Source::Map(Vec::new()));
        let defaults = part.get("context").filter(|c| c.is_map()).unwrap_or(&empty).clone();
        self.delays(part, &format!("{context}."));
        let mut border = self.border(host, part, name, place, &host_id, &context, &defaults);
        border.tables = tables;
        let inner = StatePlace { path: place.path.clone(), border: Some(Arc::new(border)) };
        self.contexts.push((context.clone(), defaults.clone()));
        self.hosts.insert(context.clone(), host_id.clone());
        let outcomes = outcomes(part, &mut self.problems);

        let mut out: Vec<(Key, Node)> = Vec::new();
        if host.get("id").is_some() || place.path.is_empty() {
            out.push((key("id", &host.span), text_node(&host_id, &host.span)));
        }
        let mut entry: Vec<Node> =
            host.get("entry").map_or_else(Vec::new, |more| self.actions(more, place).items().to_vec());
        if let Some(step) = part.get("step") {
            self.step(step, &host_id, part, &inner);
        }
        let (target, mut actions) = self.first(host, part, &defaults, &context, &inner);
        let mut replies: Vec<(Key, Node)> = Vec::new();
        if let Some(calls) = part.get("invoke") {
            // What its own calls are given is there before they begin.
            entry.append(&mut actions);
            out.push((key("invoke", &calls.span), self.invoke_list(calls, &inner, &host_id, &mut replies)));
        }
        let list = |actions| Node::new(host.span.clone(), Source::List(actions));
        if !entry.is_empty() {
            out.push((key("entry", &host.span), list(entry)));
        }
        let first = match actions.is_empty() {
            true => target,
            false => Node::new(
                host.span.clone(),
                Source::Map(vec![(key("target", &host.span), target), (key("actions", &host.span), list(actions))]),
            ),
        };
        out.push((key("initial", &host.span), first));
        if let Some(states) = part.get("states") {
            let states = self.with_outcomes(states, &outcomes);
            out.push((key("states", &states.span), self.states(&states, &inner)));
        }
        let mut exit: Vec<Node> = Vec::new();
        for (source, place) in [(host, place), (part, &inner)] {
            if let Some(more) = source.get("exit") {
                exit.extend(self.actions(more, place).items().to_vec());
            }
            if let Some(on) = source.get("on") {
                self.stays_inside(source, part, on);
                for (event, handler) in self.on(on, place).map() {
                    add_handler(&mut out, event, handler.clone());
                }
            }
            for k in ["always", "after"] {
                if let Some(more) = source.get(k) {
                    self.stays_inside(source, part, more);
                    let more = if k == "after" { self.after(more, place) } else { self.transitions(more, place) };
                    out.push((key(k, &host.span), more));
                }
            }
        }
        if !exit.is_empty() {
            out.push((key("exit", &host.span), Node::new(host.span.clone(), Source::List(exit))));
        }
        replies.into_iter().for_each(|(k, handler)| add_handler(&mut out, &k, handler));
        let done = self.outcome_transitions(host, &outcomes, name, &host_id, place);
        out.push((key("onDone", &done.span), done));
        self.hears(part, name, &context, &inner);
        Node::new(host.span.clone(), Source::Map(out))
    }

    /// What the host says of the part's own step, and by state of its other steps, over what the part says.
    fn give_steps(&mut self, host: &Node, part: &mut Node, name: &str) {
        let own = host.key("step").zip(host.get("step"));
        let others = host.get("steps").map_or(&[][..], Node::map).iter().map(|(k, given)| (k.name.as_str(), k, given));
        for (path, k, given) in own.map(|(k, given)| ("", k, given)).into_iter().chain(others) {
            unknown_keys(given, "a step that is given to a part", &GIVEN_STEP_KEYS, &mut self.problems);
            match step_of(part, path) {
                Some(step) => apply(step, given),
                None => {
                    let states = part.get("states").map_or(&[][..], Node::map).iter();
                    let known: Vec<String> =
                        states.filter(|(_, state)| state.get("step").is_some()).map(|(k, _)| k.name.clone()).collect();
                    let at = Node::new(k.span.clone(), Source::Null);
                    let named = if path.is_empty() { "step" } else { path };
                    let mut problem = unknown("step", &at, named, known.iter().map(String::as_str));
                    problem.message.push_str(&format!(": part `{name}` has no such step"));
                    self.problems.push(problem);
                }
            }
        }
    }

    /// Path of the part's `my`: below that of the part around it, under the state's key.
    fn context_of(&mut self, host: &Node, place: &StatePlace) -> String {
        let state = place.path.rsplit('.').next().unwrap_or_default();
        let outer = place.context();
        let path = outer.map_or_else(|| state.to_owned(), |outer| format!("{outer}.{state}"));
        let mut refuse = |message: String| {
            let problem = Problem::error("part-context", &host.span, message);
            self.problems.push(problem.hint("give one of them another name"));
        };
        if self.contexts.iter().any(|(known, _)| *known == path) {
            refuse(format!("another state called `{state}` uses a part too: both would write `context.{path}`"));
        }
        let is_declared = match outer {
            Some(outer) => self.contexts.iter().any(|(known, keys)| known == outer && keys.get(state).is_some()),
            None => self.context_keys.contains(state),
        };
        if is_declared {
            refuse(format!("`context` has the key `{state}`, where the part of this state keeps its own"));
        }
        path
    }

    #[allow(clippy::too_many_arguments)]
    fn border(
        &mut self,
        host: &Node,
        part: &Node,
        name: &str,
        place: &StatePlace,
        host_id: &str,
        context: &str,
        defaults: &Node,
    ) -> Border {
        let mut ids = BTreeSet::new();
        custom_ids(part.get("states"), &mut ids);
        let sections = Sections::of_part(part, &mut self.problems);
        let outer = place.border.as_ref().and_then(|border| border.section.clone());
        let own = host.get("section").and_then(Node::as_str).map(str::to_owned);
        Border {
            host_id: host_id.to_owned(),
            host_path: place.path.clone(),
            host: place.clone(),
            part: name.to_owned(),
            ids,
            context: context.to_owned(),
            declared: defaults.map().iter().map(|(k, _)| k.name.clone()).collect(),
            delays: part.get("delays").map_or(&[][..], Node::map).iter().map(|(k, _)| k.name.clone()).collect(),
            contracts: self.bound_contracts(host, part, name, place),
            views: self.bound_views(host, part, name, place),
            messages: self.bound_messages(host, part, name, place),
            tables: BTreeMap::new(),
            section: own.or_else(|| sections.first().map(str::to_owned)).or(outer),
            sections,
        }
    }

    /// Short names of contracts → the contracts that the host names; each extends the part's own.
    fn bound_contracts(
        &mut self,
        host: &Node,
        part: &Node,
        name: &str,
        place: &StatePlace,
    ) -> BTreeMap<String, String> {
        let mut bound = BTreeMap::new();
        let slots = part.get("contracts").map_or(&[][..], Node::map);
        for (slot, default) in slots {
            let base = default.as_str().unwrap_or_default();
            let at = host.get("contracts").and_then(|named| named.get(&slot.name)).unwrap_or(default);
            let id = place.contract(at.as_str().unwrap_or_default()).to_owned();
            let known = self.library.contracts;
            if !known.contains_key(&id) && !self.library.has_file(&layout::contract_file(&id)) {
                self.problems.push(unknown("contract", at, &id, known.keys().map(String::as_str)));
            }
            if known.get(&id).is_some_and(|contract| id != base && !contract.extends(base)) {
                let message = format!("part `{name}` calls by `{base}`: `{id}` does not extend it");
                self.problems.push(Problem::error("part-contract", &at.span, message).hint(format!("extends: {base}")));
            }
            bound.insert(slot.name.clone(), id);
        }
        self.only_slots(host, "contracts", slots, name);
        bound
    }

    /// Names of views that the host may replace → where the view is named: by the host, else by the part.
    fn bound_views(&mut self, host: &Node, part: &Node, name: &str, place: &StatePlace) -> BTreeMap<String, Node> {
        let slots = part.get("views").map_or(&[][..], Node::map);
        self.only_slots(host, "views", slots, name);
        let named = |slot: &str| Some(place.view(host.get("views")?.get(slot)?).clone());
        slots.iter().map(|(slot, own)| (slot.name.clone(), named(&slot.name).unwrap_or_else(|| own.clone()))).collect()
    }

    /// Short names of tables → the tables that the host names; each has the columns of the part's own.
    fn bound_tables(&mut self, host: &Node, part: &Node, name: &str, place: &StatePlace) -> BTreeMap<String, String> {
        let mut bound = BTreeMap::new();
        let slots = part.get("tables").map_or(&[][..], Node::map);
        for (slot, default) in slots {
            let base = default.as_str().unwrap_or_default();
            let at = host.get("tables").and_then(|named| named.get(&slot.name)).unwrap_or(default);
            let id = place.table(at.as_str().unwrap_or_default()).to_owned();
            let tables = self.library.tables;
            if let (Some(own), Some(given)) = (tables.get(base), tables.get(&id)) {
                let missing: Vec<&str> = own.columns().filter(|c| !given.columns().any(|g| g == *c)).collect();
                if !missing.is_empty() || !own.inputs().eq(given.inputs()) {
                    let message =
                        format!("part `{name}` reads `{id}` as `{base}`: its columns and `match` are not there");
                    let hint = format!("columns that are missing: {}", missing.join(", "));
                    self.problems.push(Problem::error("part-table", &at.span, message).hint(hint));
                }
            }
            bound.insert(slot.name.clone(), id);
        }
        self.only_slots(host, "tables", slots, name);
        bound
    }

    /// Names of messages that the host may replace → the message that is sent.
    fn bound_messages(&mut self, host: &Node, part: &Node, name: &str, place: &StatePlace) -> BTreeMap<String, Node> {
        let slots = part.get("messages").map_or(&[][..], Node::map);
        self.only_slots(host, "messages", slots, name);
        let named = |slot: &str| Some(place.message(host.get("messages")?.get(slot)?).clone());
        slots.iter().map(|(slot, own)| (slot.name.clone(), named(&slot.name).unwrap_or_else(|| own.clone()))).collect()
    }

    fn only_slots(&mut self, host: &Node, what: &'static str, slots: &[(Key, Node)], name: &str) {
        for (k, _) in host.get(what).map_or(&[][..], Node::map) {
            if !slots.iter().any(|(slot, _)| slot.name == k.name) {
                let at = Node::new(k.span.clone(), Source::Null);
                let mut problem =
                    unknown(what.trim_end_matches('s'), &at, &k.name, slots.iter().map(|(s, _)| &*s.name));
                problem.message.push_str(&format!(": part `{name}` has no such place"));
                self.problems.push(problem);
            }
        }
    }

    /// `initial`, with what a fresh entry starts with: its actions run only when the part is entered from its start.
    fn first(
        &mut self,
        host: &Node,
        part: &Node,
        defaults: &Node,
        context: &str,
        inner: &StatePlace,
    ) -> (Node, Vec<Node>) {
        let span = &host.span;
        let at = |value| Node::new(span.clone(), value);
        let mut entries = self.fresh_context(part, defaults, context);
        entries.push((key(&format!("{context}.input"), span), at(Source::Map(self.inputs(host, part)))));
        let reset = at(Source::Map(vec![(key("assign", span), at(Source::Map(entries)))]));
        let mut actions = vec![reset];
        let initial = part.get("initial");
        for more in [part.get("entry"), initial.and_then(|i| i.get("actions"))].into_iter().flatten() {
            actions.extend(self.actions(more, inner).items().to_vec());
        }
        let target = initial.map(|i| i.get("target").unwrap_or(i)).cloned();
        if target.is_none() {
            self.problems.push(Problem::error("missing", &part.span, "a part needs `initial`"));
        }
        (target.unwrap_or_else(|| at(Source::Null)), actions)
    }

    /// Makes the part's context afresh, key by key: what parts inside it keep stays.
    fn fresh_context(&mut self, part: &Node, defaults: &Node, context: &str) -> Vec<(Key, Node)> {
        let mut fields = MapReader { node: part, problems: &mut self.problems, what: "a part" };
        let keep: BTreeSet<String> = fields.texts("keep").into_iter().collect();
        for name in keep.iter().filter(|k| defaults.get(k).is_none()) {
            fields.problems.push(unknown(
                "context key",
                part.get("keep").unwrap_or(part),
                name,
                defaults.map().iter().map(|(k, _)| k.name.as_str()),
            ));
        }
        let value = |k: &Key, default: &Node| match keep.contains(&k.name) {
            false => cel::quote_tree(default),
            true => {
                let text = format!("has(my.{0}) ? my.{0} : {1}", k.name, cel::literal(default));
                Node { names: part.names.clone(), ..text_node(&text, &default.span) }
            }
        };
        let keyed = |k: &Key| Key { span: k.span.clone(), name: format!("{context}.{}", k.name) };
        defaults.map().iter().map(|(k, default)| (keyed(k), value(k, default))).collect()
    }

    /// What the host gives, as the part wants it.
    fn inputs(&mut self, host: &Node, part: &Node) -> Vec<(Key, Node)> {
        let empty = Node::new(host.span.clone(), Source::Map(Vec::new()));
        let declared = part.get("input").unwrap_or(&empty);
        let shape = Shape::map(declared, &mut self.problems);
        let with = host.get("with").unwrap_or(&empty);
        // Mistakes of an expression are said where it is compiled.
        let compile = |at: &Node| Expression::read(at, shared_vocabulary(), &[], &mut Vec::new());
        let given = Given { of: "part", is_cut: true, compile: &compile };
        shape.check_mapping(with, "", &given, &mut self.problems);
        passed_map(with, &shape)
    }

    /// Checks that targets on the part's own root are states of the part.
    fn stays_inside(&mut self, source: &Node, part: &Node, handlers: &Node) {
        if !std::ptr::eq(source, part) {
            return;
        }
        let lists: Vec<&Node> =
            if handlers.is_map() { handlers.map().iter().map(|(_, v)| v).collect() } else { vec![handlers] };
        for transition in lists.iter().flat_map(|l| l.items()) {
            let target = transition.get("target").unwrap_or(transition);
            for target in target.items() {
                if let Some(text) = target.as_str()
                    && !text.starts_with(['.', '#'])
                {
                    let problem =
                        Problem::error("part-border", &target.span, format!("target `{text}` leaves the part"));
                    self.problems.push(problem.hint(format!("`.{text}` is a state of the part")));
                }
            }
        }
    }

    /// Each final state of a part is the outcome of its name, and gives what that has.
    fn with_outcomes(&mut self, states: &Node, outcomes: &[(Key, Shape)]) -> Node {
        let is_final = |state: &Node| state.get("type").and_then(Node::as_str) == Some("final");
        for (outcome, _) in outcomes.iter().filter(|(k, _)| !states.get(&k.name).is_some_and(is_final)) {
            let message = format!("no final state is called `{}`", outcome.name);
            self.problems.push(Problem::error("outcome", &outcome.span, message));
        }
        let state = |(k, state): &(Key, Node)| {
            if !is_final(state) {
                return (k.clone(), state.clone());
            }
            let Some((_, shape)) = outcomes.iter().find(|(outcome, _)| outcome.name == k.name) else {
                let at = Node::new(k.span.clone(), Source::Null);
                self.problems.push(unknown("outcome", &at, &k.name, outcomes.iter().map(|(o, _)| &*o.name)));
                return (k.clone(), state.clone());
            };
            let empty = Node::new(state.span.clone(), Source::Map(Vec::new()));
            let output = state.get("output").unwrap_or(&empty);
            let compile = |at: &Node| Expression::read(at, shared_vocabulary(), &[], &mut Vec::new());
            let given = Given { of: "outcome", is_cut: false, compile: &compile };
            shape.check_mapping(output, "", &given, &mut self.problems);
            let mut entries = passed_map(output, shape);
            entries.push((key(OUTCOME, &k.span), text_node(&cel::quote(&k.name), &k.span)));
            let mut state = state.clone();
            if let Some(map) = state.map_mut() {
                map.retain(|(name, _)| name.name != "output");
                map.push((key("output", &output.span), Node::new(output.span.clone(), Source::Map(entries))));
            }
            (k.clone(), state)
        };
        let list = states.map().iter().map(state).collect();
        Node::new(states.span.clone(), Source::Map(list))
    }

    /// `onDone: {outcome: transitions}` of the host as candidates that ask for the outcome.
    fn outcome_transitions(
        &mut self,
        host: &Node,
        outcomes: &[(Key, Shape)],
        name: &str,
        host_id: &str,
        place: &StatePlace,
    ) -> Node {
        let empty = Node::new(host.span.clone(), Source::Map(Vec::new()));
        let handled = host.get("onDone").unwrap_or(&empty);
        let names = || outcomes.iter().map(|(k, _)| k.name.as_str());
        if !handled.is_map() {
            let message = format!("beside `use` `onDone` is a map from outcomes, not {}", handled.kind());
            let problem = Problem::error("shape", &handled.span, message);
            self.problems.push(problem.hint(names().collect::<Vec<_>>().join(", ")));
        }
        for outcome in names().filter(|o| handled.get(o).is_none()) {
            let message = format!("outcome `{outcome}` of part `{name}` is not handled");
            let problem = Problem::error("outcome", &handled.span, message);
            self.problems.push(problem.hint(format!("onDone: {{{outcome}: …}}")));
        }
        let mut candidates = Vec::new();
        let mut shapes = Vec::new();
        for (k, transitions) in handled.map() {
            let Some((_, shape)) = outcomes.iter().find(|(outcome, _)| outcome.name == k.name) else {
                let at = Node::new(k.span.clone(), Source::Null);
                self.problems.push(unknown("outcome", &at, &k.name, names()));
                continue;
            };
            let asked = text_node(&format!("event.output.{OUTCOME} == {}", cel::quote(&k.name)), &k.span);
            for transition in transitions.items() {
                self.closes(transition, &format!("{host_id}.{}", k.name), place);
                candidates.push(guard(transition, &asked));
                shapes.push(shape.clone());
            }
        }
        self.outcomes.insert(format!("xstate.done.state.{host_id}"), shapes);
        self.transitions(&Node::new(handled.span.clone(), Source::List(candidates)), place)
    }

    /// Events that it hears after it was left: the root asks it when nothing that is active took them.
    fn hears(&mut self, part: &Node, name: &str, context: &str, inner: &StatePlace) {
        let Some(border) = inner.border.clone() else { return };
        let entered = text_node(&format!("has(context.{context}.input)"), &part.span);
        let states = part.get("states");
        for (event, transitions) in part.get("hears").map_or(&[][..], Node::map) {
            let mut list = Vec::new();
            for transition in transitions.items() {
                let mut handler = self.transitions(&guard(transition, &entered), inner);
                let map = handler.map_mut().into_iter().flatten();
                for (_, target) in map.filter(|(k, target)| k.name == "target" && target.as_str().is_some()) {
                    let text = target.as_str().unwrap_or_default();
                    if text.starts_with('#') {
                        continue;
                    }
                    let text = text.trim_start_matches('.');
                    let first = text.split('.').next().unwrap_or_default();
                    if states.is_none_or(|s| s.get(first).is_none()) {
                        let known = states.map_or(&[][..], Node::map).iter().map(|(k, _)| k.name.as_str());
                        let message = format!("unknown target `{text}`: a part enters its own states");
                        let problem = Problem::error("part-border", &target.span, message);
                        self.problems.push(problem.maybe_hint(did_you_mean(first, known)));
                    }
                    *target = text_node(&format!("#{}.{text}", border.host_id), &target.span);
                }
                list.push(handler);
            }
            let is_open = transitions.items().iter().any(|t| t.get("guard").is_none());
            let handler = Node::new(transitions.span.clone(), Source::List(list));
            self.heard.push(Heard { event: event.clone(), handler, part: name.to_owned(), is_open });
        }
    }
}

/// The step of a part's state, of the part itself where there is no path.
fn step_of<'n>(part: &'n mut Node, path: &str) -> Option<&'n mut Node> {
    fn below<'n>(node: &'n mut Node, name: &str) -> Option<&'n mut Node> {
        node.map_mut()?.iter_mut().find(|(k, _)| k.name == name).map(|(_, node)| node)
    }
    let states = path.split('.').filter(|name| !name.is_empty());
    let state = states.into_iter().try_fold(part, |state, name| below(below(state, "states")?, name));
    below(state?, "step")
}

/// A transition that is only taken when something else holds too.
fn guard(transition: &Node, also: &Node) -> Node {
    let span = &transition.span;
    let mut map: Vec<(Key, Node)> = match &transition.value {
        Source::Map(entries) => entries.clone(),
        Source::Null => Vec::new(),
        _ => vec![(key("target", span), transition.clone())],
    };
    match map.iter_mut().find(|(k, _)| k.name == "guard") {
        Some((_, guard)) => {
            let both = vec![also.clone(), guard.clone()];
            let list = Node::new(guard.span.clone(), Source::List(both));
            *guard = Node::new(guard.span.clone(), Source::Map(vec![(key("and", span), list)]));
        }
        None => map.push((key("guard", span), also.clone())),
    }
    Node::new(span.clone(), Source::Map(map))
}

/// A map as who takes it wants it: defaults filled in, nothing that it does not know.
fn passed_map(given: &Node, shape: &Shape) -> Vec<(Key, Node)> {
    let property = |(name, shape): (&str, &Shape)| {
        let value = match (given.get(name), shape.default()) {
            (Some(value), _) => pass(value, shape),
            (None, Some(default)) => literal(default, &given.span),
            (None, None) => return None,
        };
        let own = given.key(name).map_or(&given.span, |k| &k.span);
        Some((key(name, own), value))
    };
    shape.properties().filter_map(property).collect()
}

fn pass(given: &Node, shape: &Shape) -> Node {
    if !shape.is_closed() {
        return given.clone();
    }
    match &given.value {
        Source::Map(entries) if !matches!(entries.as_slice(), [(k, _)] if k.name == "text" || k.name == "cel") => {
            Node::new(given.span.clone(), Source::Map(passed_map(given, shape)))
        }
        Source::Map(entries) => match entries.as_slice() {
            [(k, inner)] if k.name == "cel" => pass(inner, shape),
            _ => given.clone(),
        },
        Source::String(text) => select(text, given, shape),
        _ => given.clone(),
    }
}

/// The properties of what an expression gives, each asked for.
fn select(text: &str, given: &Node, shape: &Shape) -> Node {
    let property = |(name, shape): (&str, &Shape)| {
        let value = match shape.default() {
            Some(default) => {
                // Asking for it would be wrong where it can never be.
                let default = format!("{{{}: {}}}", cel::quote(name), cel::literal(&Node::from_json(default)));
                Node { value: Source::String(format!("merge({default}, {text}).{name}")), ..given.clone() }
            }
            None if shape.is_closed() => select(&format!("({text}).{name}"), given, shape),
            None => Node { value: Source::String(format!("({text}).{name}")), ..given.clone() },
        };
        (key(name, &given.span), value)
    };
    Node::new(given.span.clone(), Source::Map(shape.properties().map(property).collect()))
}

fn literal(value: &serde_json::Value, span: &Span) -> Node {
    Node { span: span.clone(), ..cel::quote_tree(&Node::from_json(value)) }
}

/// `outcomes: {name: {what: shape}}`
fn outcomes(part: &Node, problems: &mut Vec<Problem>) -> Vec<(Key, Shape)> {
    let Some(declared) = part.get("outcomes").filter(|o| o.is_map() && !o.map().is_empty()) else {
        let problem =
            Problem::error("missing", &part.span, "a part needs `outcomes`: how it may end, and what it gives");
        problems.push(problem.hint("outcomes: {done: {number: string}}"));
        return Vec::new();
    };
    declared.map().iter().map(|(k, gives)| (k.clone(), Shape::map(gives, problems))).collect()
}

/// `event.output.x` in what a host does with an outcome, held against what the outcome gives.
pub fn check_outcomes(machine: &Machine, builder: &mut Builder<'_>) {
    let mut found: BTreeMap<(Span, String), Problem> = BTreeMap::new();
    for node in machine.nodes() {
        for list in machine.candidates(node.order) {
            let Some(shapes) = list.first().and_then(|c| builder.outcomes.get(c.event)) else { continue };
            for (candidate, shape) in list.iter().zip(shapes) {
                let work = candidate.work.iter().map(|work| match work {
                    Work::Read(expression) | Work::Assign { value: expression, .. } => *expression,
                });
                for expression in candidate.guard.iter().copied().chain(work) {
                    for read in expression.reads_of("event", None).reads {
                        let ["output", rest @ ..] = read.path.as_slice() else { continue };
                        if rest.first().is_none_or(|name| *name == OUTCOME) {
                            continue;
                        }
                        let Some((shown, hint)) = not_there("event.output", shape, rest) else { continue };
                        let span = read.asked.span.unwrap_or_else(|| expression.span());
                        let message = format!("`{shown}` is not in this outcome of the part");
                        let problem = Problem::error("outcome", span, message).maybe_hint(hint);
                        found.entry((span.clone(), shown)).or_insert(problem);
                    }
                }
            }
        }
    }
    builder.problems.extend(found.into_values());
}

fn custom_ids(states: Option<&Node>, ids: &mut BTreeSet<String>) {
    for (_, state) in states.map_or(&[][..], Node::map) {
        ids.extend(state.get("id").and_then(Node::as_str).map(str::to_owned));
        custom_ids(state.get("states"), ids);
    }
}
