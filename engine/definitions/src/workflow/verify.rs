//! Checks that need the compiled machine beside the product's tables.

use super::desugar::Builder;
use super::{Section, Step};
use crate::fields::unknown;
use crate::source::{Node, Span, Value as Source};
use engine_statechart::expression::Names;
use engine_statechart::{Machine, NodeKind, Problem};
use std::collections::{BTreeMap, BTreeSet};

/// Gives for final states that show nothing themselves the step that they go on showing.
pub fn verify(
    machine: &Machine,
    builder: &mut Builder<'_>,
    tree: &Node,
    sections: &[Section],
    aliases: &BTreeMap<String, String>,
    links: &BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, String> {
    let shape = Shape::of(machine);
    orthogonal_steps(machine, &shape, builder);
    events_handled(machine, &shape, builder);
    step_sections(builder, sections);
    alias_targets(builder, tree, aliases);
    paths(builder);
    into_context(builder, tree);
    purposes(builder, links, &tree.span);
    papers(builder);
    super::verified::check(machine, builder, links);
    super::contracts::check(machine, builder);
    super::contracts::check_marks(machine, builder);
    super::part::check_outcomes(machine, builder);
    check_resumed(machine, builder);
    closing_steps(machine, builder)
}

/// A message's link has a purpose that some step knows; a purpose sends what its step takes.
fn purposes(builder: &mut Builder<'_>, root: &BTreeMap<String, Vec<String>>, span: &Span) {
    let mut problems = Vec::new();
    let known: BTreeSet<&str> =
        root.keys().chain(builder.steps.values().flat_map(|s| s.links.keys())).map(String::as_str).collect();
    for (purpose, span) in builder.linked.iter().filter(|(p, _)| !known.contains(p.as_str())) {
        let at = Node::new(span.clone(), Source::Null);
        problems.push(
            unknown("purpose", &at, purpose, known.iter().copied())
                .hint("a step or the workflow says what it opens: `links: {manage: [cancel]}`"),
        );
    }
    let built_in = ["*", "submit", "back", "change", "save"];
    for step in builder.steps.values() {
        for event in
            step.links.values().flatten().filter(|e| !built_in.contains(&e.as_str()) && !step.accepts.contains_key(*e))
        {
            let at = Node::new(builder.step_span(&step.node, "links").unwrap_or_else(|| span.clone()), Source::Null);
            problems.push(unknown("event", &at, event, step.accepts.keys().map(String::as_str)));
        }
    }
    builder.problems.append(&mut problems);
}

/// What a step prints is the view of a step.
fn papers(builder: &mut Builder<'_>) {
    let mut problems = Vec::new();
    for step in builder.steps.values() {
        let Some(paper) = &step.paper else { continue };
        if builder.steps.get(paper).is_none_or(|printed| printed.face.view.is_none()) {
            let span = builder.step_span(&step.node, "paper").unwrap_or_else(|| step.span.clone());
            let name = paper.rsplit('.').next().unwrap_or_default();
            let views = builder.steps.values().filter(|other| other.face.view.is_some());
            let names = views.map(|other| other.node.rsplit('.').next().unwrap_or_default());
            problems.push(unknown("state with a view", &Node::new(span, Source::Null), name, names));
        }
    }
    builder.problems.append(&mut problems);
}

/// What its expressions, and those of its forms and views, name.
pub fn names(machine: &Machine, values: &Names, builder: &mut Builder<'_>) {
    let mut problems = Vec::new();
    for step in builder.steps.values() {
        let names = step.names.as_deref().unwrap_or(values);
        if let Some(form) = step.form.as_ref().and_then(|f| builder.library.forms.get(f)) {
            problems.extend(form.expressions().flat_map(|(e, span)| names.check(e, span, false)));
        }
        for face in step.all_faces() {
            let Some(view) = face.view.as_ref().and_then(|v| builder.library.views.get(v)) else { continue };
            let names = face.view_names().unwrap_or(values);
            problems.extend(view.expressions().flat_map(|e| names.check(e, e.span(), true)));
        }
    }
    builder.problems.append(&mut problems);
    super::shown::check(machine, builder);
    builder.uses(machine.expressions());
    let steps = std::mem::take(&mut builder.steps);
    builder.uses(steps.values().flat_map(|step| super::definite_assignment::of_step(step, None)));
    builder.steps = steps;
    values.things().for_each(|call| builder.thing(call));
}

/// States to which a correction leads back must exist.
fn check_resumed(machine: &Machine, builder: &mut Builder<'_>) {
    let known: BTreeSet<&str> = machine.nodes().map(|node| node.id).collect();
    for (id, span) in std::mem::take(&mut builder.resumed) {
        if !known.contains(id.as_str()) {
            let name = id.rsplit('.').next().unwrap_or_default();
            let names = known.iter().map(|id| id.rsplit('.').next().unwrap_or_default());
            builder.problems.push(unknown("state", &Node::new(span, Source::Null), name, names));
        }
    }
}

/// Final states of the flow that show nothing themselves go on showing the last step of the part that led there.
fn closing_steps(machine: &Machine, builder: &mut Builder<'_>) -> BTreeMap<String, String> {
    let mut closed: BTreeMap<String, String> = BTreeMap::new();
    let is_bare = |id: &str| machine.nodes().any(|node| node.id == id && node.kind == NodeKind::Final);
    for (state, end, span) in std::mem::take(&mut builder.ends) {
        if builder.steps.contains_key(&state) || !builder.steps.contains_key(&end) || !is_bare(&state) {
            continue;
        }
        if let Some(other) = closed.insert(state.clone(), end.clone()).filter(|other| *other != end) {
            let message = format!("`{state}` cannot go on showing both `{other}` and `{end}`");
            builder.problems.push(Problem::error("closed", &span, message).hint("give it a step"));
        }
    }
    closed
}

struct Shape {
    children: BTreeMap<String, Vec<String>>,
    parallel: Vec<String>,
}

impl Shape {
    fn of(machine: &Machine) -> Shape {
        let mut shape = Shape { children: BTreeMap::new(), parallel: Vec::new() };
        for node in machine.nodes() {
            if let Some(parent) = node.parent {
                shape.children.entry(parent.to_owned()).or_default().push(node.id.to_owned());
            }
            if node.kind == NodeKind::Parallel {
                shape.parallel.push(node.id.to_owned());
            }
        }
        shape
    }

    /// The node and everything below it.
    fn below(&self, id: &str) -> Vec<String> {
        let mut found = vec![id.to_owned()];
        let mut at = 0;
        while at < found.len() {
            let more = self.children.get(&found[at]).cloned().unwrap_or_default();
            found.extend(more);
            at += 1;
        }
        found
    }
}

/// Refuses two current steps at the same time.
fn orthogonal_steps(_: &Machine, shape: &Shape, builder: &mut Builder<'_>) {
    for parallel in &shape.parallel {
        let regions = shape.children.get(parallel).map_or(&[][..], Vec::as_slice);
        let with_step: Vec<(&String, String)> = regions
            .iter()
            .filter_map(|r| Some((r, shape.below(r).into_iter().find(|n| builder.steps.contains_key(n))?)))
            .collect();
        if let [(_, first), (_, second), ..] = with_step.as_slice() {
            let span = builder.step_span(second, "").unwrap_or_else(Span::unknown);
            let message = format!("steps in two regions of parallel state `{parallel}`: `{first}` and `{second}`");
            builder
                .problems
                .push(Problem::error("parallel-steps", &span, message).hint("one region shows, the others work"));
        }
    }
}

/// What a step lets a person send must lead somewhere: in its state, above or below it.
fn events_handled(machine: &Machine, shape: &Shape, builder: &mut Builder<'_>) {
    let mut problems = Vec::new();
    for step in builder.steps.values() {
        let mut handled: BTreeSet<&str> = BTreeSet::new();
        for node in machine.ancestors(&step.node) {
            handled.extend(machine.events_of(node));
        }
        let below = shape.below(&step.node);
        for node in &below {
            handled.extend(machine.events_of(node));
        }
        let takes = |event: &str| {
            handled.iter().any(|d| {
                *d == event || *d == "*" || d.strip_suffix(".*").is_some_and(|p| event.starts_with(&format!("{p}.")))
            })
        };
        let span = builder.step_span(&step.node, "").unwrap_or_else(Span::unknown);
        if (step.form.is_some() || step.review) && !takes("submit") {
            problems.push(Problem::error(
                "unhandled-event",
                &span,
                format!("nothing handles `submit` of step `{}`", step.node),
            ));
        }
        for event in step.accepts.keys().filter(|e| !takes(e)) {
            let own = builder.step_nodes.get(&step.node).and_then(|node| node.get("accepts")?.key(event));
            problems.push(Problem::error(
                "unhandled-event",
                own.map_or(&span, |key| &key.span),
                format!("nothing handles `{event}`, which step `{}` accepts", step.node),
            ));
        }
    }
    builder.problems.append(&mut problems);
}

fn step_sections(builder: &mut Builder<'_>, sections: &[Section]) {
    if sections.is_empty() {
        return;
    }
    for step in builder.steps.values() {
        if let Some(section) = step.section.as_deref().filter(|s| !sections.iter().any(|k| k.id == *s)) {
            let span = builder.step_span(&step.node, "section").unwrap_or_else(Span::unknown);
            let at = Node::new(span, Source::Null);
            builder.problems.push(unknown("section", &at, section, sections.iter().map(|s| s.id.as_str())));
        }
    }
}

/// Checks that no two forms stand at one path where nothing but the address tells them apart.
fn paths(builder: &mut Builder<'_>) {
    let mut taken: BTreeMap<&str, &Step> = BTreeMap::new();
    let mut problems = Vec::new();
    for step in builder.steps.values().filter(|step| step.form.is_some()) {
        let Some(path) = step.path.as_deref() else { continue };
        match taken.get(path) {
            // one of them may be for who acts for a customer
            Some(first) if first.form != step.form && first.only == step.only => {
                let span = builder.step_span(&step.node, "path").unwrap_or_else(|| step.span.clone());
                let message = format!("the path `{path}` is taken by the state `{}`", first.node);
                problems.push(Problem::error("path", &span, message));
            }
            Some(_) => {}
            None => drop(taken.insert(path, step)),
        }
    }
    builder.problems.append(&mut problems);
}

fn alias_targets(builder: &mut Builder<'_>, tree: &Node, aliases: &BTreeMap<String, String>) {
    let paths: BTreeSet<&str> = builder.steps.values().filter_map(|s| s.path.as_deref()).collect();
    for (alias, target) in aliases {
        let at = tree.get("aliases").and_then(|a| a.get(alias)).unwrap_or(tree);
        if !paths.contains(target.as_str()) {
            builder.problems.push(unknown("path", at, target, paths.iter().copied()));
        }
        if paths.contains(alias.as_str()) {
            let own = tree.get("aliases").and_then(|a| a.key(alias)).map_or(&at.span, |key| &key.span);
            builder.problems.push(Problem::error(
                "duplicate-key",
                own,
                format!("`{alias}` is already the path of a step"),
            ));
        }
    }
}

/// Answers go to a place whose first key the context declares.
fn into_context(builder: &mut Builder<'_>, tree: &Node) {
    let declared: BTreeSet<&str> =
        tree.get("context").map_or(&[][..], Node::map).iter().map(|(k, _)| k.name.as_str()).collect();
    let mut problems = Vec::new();
    let steps = builder.steps.values().filter_map(|s| Some((s.into.as_deref()?, builder.step_span(&s.node, "into")?)));
    for (into, span) in steps {
        let first = into.split('.').next().unwrap_or(into);
        if !into.contains('.') && !declared.contains(first) {
            let at = Node::new(span, Source::Null);
            problems.push(unknown("context key", &at, first, declared.iter().copied()));
        }
    }
    builder.problems.append(&mut problems);
}
