//! What a story names of its workflow: states, events, fields, calls, other stories.

use crate::fields::unknown;
use crate::source::{Node, Value};
use crate::workflow::Workflow;
use engine_statechart::Problem;
use std::collections::BTreeSet;

/// What the runtime answers at every step.
const BUILT_IN: [&str; 5] = ["submit", "back", "change", "save", "expire"];

/// Problems of one story, given the workflow that it belongs to and the roles that there are.
pub(crate) fn check(node: &Node, workflow: &Workflow, roles: &[&str], problems: &mut Vec<Problem>) {
    let mut checker = Checker { workflow, roles, problems };
    if let Some(at) = node.get("after").and_then(|after| after.get("until")) {
        checker.state(at);
    }
    for step in node.get("steps").map_or(&[][..], Node::items) {
        checker.step(step);
    }
    let Some(at) = node.get("after").and_then(|after| after.get("story")) else { return };
    let Some(name) = at.as_str() else { return };
    let stories = workflow.stories();
    let own = stories.iter().find(|story| *story.path == *node.span.file);
    if !stories.iter().any(|story| story.id == name) {
        problems.push(unknown("story", at, name, stories.iter().map(|story| story.id.as_str())));
        return;
    }
    let mut met = BTreeSet::new();
    let mut next = own;
    while let Some(story) = next {
        if !met.insert(story.id.as_str()) {
            let message = format!("`{name}` comes after this story itself");
            return problems.push(Problem::error("story-cycle", &at.span, message));
        }
        next = story.after.as_ref().and_then(|after| stories.iter().find(|story| story.id == after.story));
    }
}

struct Checker<'a> {
    workflow: &'a Workflow,
    roles: &'a [&'a str],
    problems: &'a mut Vec<Problem>,
}

impl Checker<'_> {
    fn step(&mut self, step: &Node) {
        let expect = step.get("expect");
        // A story may show how something unknown is refused.
        let is_refused = expect.is_some_and(|e| e.get("refused").is_some() || e.get("errors").is_some());
        if let Some((at, event)) = named(step, "send").filter(|_| !is_refused) {
            self.event(at, event, [step.get("data"), step.get("change")]);
        }
        if let Some((at, role)) = step.get("by").and_then(|by| named(by, "role"))
            && !self.roles.contains(&role)
        {
            self.problems.push(unknown("role", at, role, self.roles.iter().copied()));
        }
        if let Some((at, purpose)) = step.get("by").and_then(|by| named(by, "link")).filter(|_| !is_refused) {
            let own = self.workflow.steps().flat_map(|step| step.links.keys());
            let known: BTreeSet<&str> = own.chain(self.workflow.links.keys()).map(String::as_str).collect();
            if !known.contains(purpose) {
                self.problems.push(unknown("purpose of a link", at, purpose, known));
            }
        }
        if let Some((at, id)) = named(step, "reply") {
            self.call(at, id);
        }
        let Some(expect) = expect else { return };
        for at in expect.get("state").map_or(&[][..], Node::items) {
            self.state(at);
        }
        for (key, _) in expect.get("context").map_or(&[][..], Node::map) {
            if !self.workflow.context.contains(&key.name) {
                let at = Node::new(key.span.clone(), Value::Null);
                self.problems.push(unknown("key", &at, &key.name, self.workflow.context.iter().map(String::as_str)));
            }
        }
        if let Some((at, path)) = named(expect, "path") {
            let known: Vec<&str> = self.workflow.steps().filter_map(|step| step.path.as_deref()).collect();
            if !known.contains(&path) && !path.is_empty() {
                self.problems.push(unknown("path", at, path, known));
            }
        }
    }

    fn state(&mut self, at: &Node) {
        let machine = &self.workflow.machine;
        let Some(name) = at.as_str() else { return };
        let root = format!("{}.", machine.id());
        if machine.node(name).is_none() && machine.node(&format!("{root}{name}")).is_none() {
            let known = machine.nodes().map(|node| node.id.strip_prefix(&root).unwrap_or(node.id));
            self.problems.push(unknown("state", at, name, known));
        }
    }

    fn event(&mut self, at: &Node, event: &str, data: [Option<&Node>; 2]) {
        let accepts: Vec<_> = self.workflow.steps().filter_map(|step| step.accepts.get(event)).collect();
        let mut fields: BTreeSet<&str> = BTreeSet::new();
        match event {
            "submit" => {
                let forms = self.workflow.steps().filter_map(|step| self.workflow.form(step.form.as_deref()?));
                fields.extend(forms.flat_map(|form| form.property_names()));
            }
            _ if BUILT_IN.contains(&event) => return,
            _ => {
                let properties = accepts.iter().filter_map(|accept| accept.schema.get("properties")?.as_object());
                fields.extend(properties.flat_map(|map| map.keys().map(String::as_str)));
            }
        }
        if event != "submit" && accepts.is_empty() {
            let known = self.workflow.steps().flat_map(|step| step.accepts.keys().map(String::as_str));
            let known: BTreeSet<&str> = known.chain(BUILT_IN).collect();
            return self.problems.push(unknown("event", at, event, known));
        }
        for (key, _) in data.into_iter().flatten().flat_map(Node::map) {
            if !fields.contains(key.name.as_str()) {
                let at = Node::new(key.span.clone(), Value::Null);
                self.problems.push(unknown("field", &at, &key.name, fields.iter().copied()));
            }
        }
    }

    /// A call by its id, by the end of it, or one of an action by its operation.
    fn call(&mut self, at: &Node, id: &str) {
        let ends = |known: &str| known == id || known.ends_with(&format!(".{id}"));
        if !id.contains('/') && !self.workflow.invokes().any(|invoke| ends(&invoke.id)) {
            let known = self.workflow.invokes().map(|invoke| invoke.id.as_str());
            self.problems.push(unknown("call", at, id, known));
        }
    }
}

fn named<'n>(node: &'n Node, key: &str) -> Option<(&'n Node, &'n str)> {
    let at = node.get(key)?;
    Some((at, at.as_str()?))
}
