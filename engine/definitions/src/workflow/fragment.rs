//! Fragments: `use` unfolds a file of states into the host state. Their context lives under the
//! state's key, they are entered fresh except for `keep`, and leave by final states with an outcome.

use super::compile::key;
use super::desugar::{Border, Builder, Place, add_handler, text_node};
use super::{cel, values};
use crate::fields::{Fields, unknown};
use crate::layout;
use crate::source::{Key, Node, Value as Source};
use engine_statechart::Problem;
use std::collections::BTreeSet;

pub const FRAGMENT_KEYS: [&str; 15] = [
    "title",
    "description",
    "input",
    "context",
    "keep",
    "outcomes",
    "initial",
    "states",
    "on",
    "always",
    "after",
    "entry",
    "exit",
    "id",
    "meta",
];
const HOST_KEYS: [&str; 10] = ["use", "with", "section", "onDone", "on", "after", "entry", "exit", "id", "description"];
const NESTING_MAX: usize = 4;

impl Builder<'_> {
    /// A state with `use`.
    pub fn unfold(&mut self, node: &Node, place: &Place) -> Node {
        let nothing = Node::new(node.span.clone(), Source::Map(Vec::new()));
        crate::fields::unknown_keys(node, "a state that uses a fragment", &HOST_KEYS, &mut self.problems);
        let Some(at) = node.get("use") else { return nothing };
        let name = at.as_str().unwrap_or_default().to_owned();
        let path = layout::part_file(&name);
        let library = self.library;
        let Some(fragment) = library.nodes.get(&path) else {
            let parts = library.nodes.keys().filter_map(|path| match layout::kind_of(path) {
                Some(layout::FileKind::Part(id)) => Some(id),
                _ => None,
            });
            let known: Vec<String> = parts.collect();
            self.problems.push(unknown("fragment", at, &name, known.iter().map(String::as_str)));
            return nothing;
        };
        if self.unfolding.contains(&name) || self.unfolding.len() >= NESTING_MAX {
            self.problems.push(Problem::error(
                "fragment-cycle",
                &at.span,
                format!("fragment `{name}` uses itself, or fragments are nested deeper than {NESTING_MAX}"),
            ));
            return nothing;
        }
        self.used.insert(path);
        self.texts.add(&name, library.texts);
        self.unfolding.push(name.clone());
        let state = self.unfolded(node, fragment, &name, place);
        self.unfolding.pop();
        state
    }

    fn unfolded(&mut self, host: &Node, fragment: &Node, name: &str, place: &Place) -> Node {
        crate::fields::unknown_keys(fragment, "a fragment", &FRAGMENT_KEYS, &mut self.problems);
        let state_key = place.path.rsplit('.').next().unwrap_or_default();
        let context_path = match place.context() {
            Some(outer) => format!("{outer}.{state_key}"),
            None => state_key.to_owned(),
        };
        if self.contexts.iter().any(|(p, _)| *p == context_path) {
            let message = format!(
                "another state called `{state_key}` uses a fragment too: both would write `context.{context_path}`"
            );
            self.problems
                .push(Problem::error("fragment-context", &host.span, message).hint("rename one of the states"));
        }
        let host_id = self.state_id(host, place);
        let mut ids = BTreeSet::new();
        custom_ids(fragment.get("states"), &mut ids);
        let values = values::of_part(name, &context_path, self.library.nodes, &mut self.used, &mut self.problems);
        for (span, function, thing) in values.things() {
            self.thing(function, thing, span);
        }
        let fragment = &fragment.with_names(&values);
        let border =
            Border { host_id: host_id.clone(), host_path: place.path.clone(), ids, context: context_path.clone() };
        let inner_place = Place { path: place.path.clone(), border: Some(border) };
        let empty = Node::new(fragment.span.clone(), Source::Map(Vec::new()));
        let defaults = fragment.get("context").filter(|c| c.is_map()).unwrap_or(&empty).clone();
        self.contexts.push((context_path.clone(), defaults.clone()));

        let reset = self.reset(host, fragment, &defaults, &context_path);
        let mut out: Vec<(Key, Node)> = Vec::new();
        if host.get("id").is_some() || place.path.is_empty() {
            out.push((key("id", &host.span), text_node(&host_id, &host.span)));
        }
        let mut entry = vec![reset];
        for (source, place) in [(fragment, &inner_place), (host, place)] {
            if let Some(more) = source.get("entry") {
                entry.extend(self.actions(more, place).items().to_vec());
            }
        }
        out.push((key("entry", &host.span), Node::new(host.span.clone(), Source::List(entry))));
        if let Some(initial) = fragment.get("initial") {
            out.push((key("initial", &initial.span), initial.clone()));
        }
        if let Some(states) = fragment.get("states") {
            out.push((key("states", &states.span), self.states(states, &inner_place)));
        }
        if let Some(section) = host.get("section").and_then(Node::as_str) {
            let inside = format!("{host_id}.");
            for step in self.steps.values_mut().filter(|s| s.section.is_none() && s.node.starts_with(&inside)) {
                step.section = Some(section.to_owned());
            }
        }
        let mut exit: Vec<Node> = Vec::new();
        for (source, place) in [(host, place), (fragment, &inner_place)] {
            if let Some(more) = source.get("exit") {
                exit.extend(self.actions(more, place).items().to_vec());
            }
            if let Some(on) = source.get("on") {
                self.stays_inside(source, fragment, on);
                for (event, handler) in self.on(on, place).map() {
                    add_handler(&mut out, event, handler.clone());
                }
            }
            for k in ["always", "after"] {
                if let Some(more) = source.get(k) {
                    self.stays_inside(source, fragment, more);
                    let more = if k == "after" { self.on(more, place) } else { self.transitions(more, place) };
                    out.push((key(k, &host.span), more));
                }
            }
        }
        if !exit.is_empty() {
            out.push((key("exit", &host.span), Node::new(host.span.clone(), Source::List(exit))));
        }
        if let Some(done) = host.get("onDone") {
            out.push((key("onDone", &done.span), self.transitions(done, place)));
        }
        self.outcomes(host, fragment, name);
        Node::new(host.span.clone(), Source::Map(out))
    }

    /// The assignment that a fresh entry starts with.
    fn reset(&mut self, host: &Node, fragment: &Node, defaults: &Node, context_path: &str) -> Node {
        let mut problems = std::mem::take(&mut self.problems);
        let mut fields = Fields { node: fragment, problems: &mut problems, what: "a fragment" };
        let keep: BTreeSet<String> = fields.texts("keep").into_iter().collect();
        for name in keep.iter().filter(|k| defaults.get(k).is_none()) {
            fields.problems.push(unknown(
                "context key",
                fragment.get("keep").unwrap_or(fragment),
                name,
                defaults.map().iter().map(|(k, _)| k.name.as_str()),
            ));
        }
        let mut inputs = Vec::new();
        let given = host.get("with");
        let declared = fields.entries("input");
        for (k, rule) in declared {
            let Some(mut rule) = Fields::open(rule, "an input", &["type", "default", "description"], fields.problems)
            else {
                continue;
            };
            rule.word("type", &["string", "integer", "number", "boolean", "object", "array", "any"]);
            let default = rule.node.get("default").cloned();
            let value = match (given.and_then(|w| w.get(&k.name)), default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => cel::quoted(&default),
                (None, None) => {
                    rule.problems.push(Problem::error(
                        "missing",
                        &host.span,
                        format!("the fragment needs the input `{}`", k.name),
                    ));
                    continue;
                }
            };
            inputs.push((k.clone(), value));
        }
        for (k, _) in given.map_or(&[][..], Node::map) {
            if !declared.iter().any(|(d, _)| d.name == k.name) {
                let at = Node::new(k.span.clone(), Source::Null);
                problems.push(unknown("input", &at, &k.name, declared.iter().map(|(d, _)| d.name.as_str())));
            }
        }
        self.problems = problems;
        let span = &host.span;
        let at = |value| Node::new(span.clone(), value);
        let kept = |k: &Key, default: &Node| {
            let text = format!("has(my.{0}) ? my.{0} : {1}", k.name, cel::literal(default));
            Node { value: Source::String(text), names: fragment.names.clone(), ..at(Source::Null) }
        };
        let mut entries: Vec<(Key, Node)> = defaults
            .map()
            .iter()
            .map(|(k, v)| (k.clone(), if keep.contains(&k.name) { kept(k, v) } else { cel::quoted(v) }))
            .collect();
        entries.push((key("input", span), at(Source::Map(inputs))));
        let assign = at(Source::Map(vec![(key(context_path, span), at(Source::Map(entries)))]));
        at(Source::Map(vec![(key("assign", span), assign)]))
    }

    /// On the fragment's own root a target must be one of its states.
    fn stays_inside(&mut self, source: &Node, fragment: &Node, handlers: &Node) {
        if !std::ptr::eq(source, fragment) {
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
                        Problem::error("fragment-border", &target.span, format!("target `{text}` leaves the fragment"));
                    self.problems.push(problem.hint(format!("`.{text}` is a state of the fragment")));
                }
            }
        }
    }

    /// Every final state says its outcome, every outcome is declared, used and handled by the host.
    fn outcomes(&mut self, host: &Node, fragment: &Node, name: &str) {
        let list: Vec<&str> =
            fragment.get("outcomes").map_or(&[][..], Node::items).iter().filter_map(Node::as_str).collect();
        if list.is_empty() {
            self.problems.push(Problem::error("missing", &fragment.span, "a fragment needs `outcomes`"));
        }
        let mut said = BTreeSet::new();
        for (k, state) in fragment.get("states").map_or(&[][..], Node::map) {
            if state.get("type").and_then(Node::as_str) != Some("final") {
                continue;
            }
            let outcome = state.get("output").and_then(|o| o.get("outcome"));
            match outcome.and_then(Node::as_str) {
                Some(text) if text.len() > 2 && text.starts_with('\'') && text.ends_with('\'') => {
                    let outcome = text.trim_matches('\'');
                    if !list.contains(&outcome) {
                        let at = state.get("output").and_then(|o| o.get("outcome")).unwrap_or(state);
                        self.problems.push(unknown("outcome", at, outcome, list.iter().copied()));
                    }
                    said.insert(outcome.to_owned());
                }
                _ => {
                    let problem = Problem::error(
                        "outcome",
                        &k.span,
                        format!("final state `{}` of the fragment says no outcome", k.name),
                    );
                    self.problems.push(problem.hint("output: {outcome: \"'name'\"}"));
                }
            }
        }
        for outcome in list.iter().filter(|o| !said.contains(**o)) {
            let at = fragment.get("outcomes").unwrap_or(fragment);
            self.problems.push(Problem::error(
                "outcome",
                &at.span,
                format!("no final state has the outcome `{outcome}`"),
            ));
        }
        let Some(done) = host.get("onDone") else {
            self.problems.push(
                Problem::error(
                    "outcome",
                    &host.span,
                    format!("nothing handles the outcomes of fragment `{name}`: {}", list.join(", ")),
                )
                .hint("add `onDone`"),
            );
            return;
        };
        let is_open = done.items().iter().any(|t| t.get("guard").is_none());
        let guards: String =
            done.items().iter().filter_map(|t| t.get("guard")).map(|g| g.to_json().to_string()).collect();
        for outcome in list.iter().filter(|o| !is_open && !guards.contains(&format!("'{o}'"))) {
            let problem = Problem::error(
                "outcome",
                &done.span,
                format!("outcome `{outcome}` of fragment `{name}` is not handled"),
            );
            self.problems.push(problem.hint("a candidate without guard takes all the rest"));
        }
    }
}

fn custom_ids(states: Option<&Node>, ids: &mut BTreeSet<String>) {
    for (_, state) in states.map_or(&[][..], Node::map) {
        ids.extend(state.get("id").and_then(Node::as_str).map(str::to_owned));
        custom_ids(state.get("states"), ids);
    }
}
