//! A workflow file and everything that it names → a `Workflow`, or all that is wrong with it.

use super::desugar::{Builder, Sections, StatePlace};
use super::library::{Library, ROOT_KEYS, STATE_KEYS, machine_vocabulary};
use super::{OnVersion, Section, SignIn, Workflow, closure, merge, params, values, verify};
use crate::calendar::timezone;
use crate::fields::{MapReader, unknown, unknown_keys};
use crate::layout;
use crate::policy::is_fatal;
use crate::source::{Key, Node, Value as Source};
use crate::table::Tables;
use crate::text::ENGLISH;
use crate::text::Text;
use crate::texts::FlowTexts;
use crate::values::ZONE;
use engine_statechart::{Machine, Problem, Severity, did_you_mean};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// `id` is the path of its folder below workflows/; `english`: the same workflow as it was written, which is sound.
pub(crate) fn compile(
    id: &str,
    library: &Library<'_>,
    english: Option<&Workflow>,
    problems: &mut Vec<Problem>,
) -> Option<Workflow> {
    let before = problems.len();
    let path = layout::flow_file(id);
    let mut used = BTreeSet::new();
    let tree = merge::resolve(&path, library.nodes, &mut used, problems)?;
    if !tree.is_map() {
        problems.push(Problem::error("shape", &tree.span, format!("a workflow is a map, not {}", tree.kind())));
        return None;
    }
    let line = id.split('/').next().unwrap_or_default().to_owned();
    let bases: Vec<&str> = used.iter().map(|file| layout::folder_of(file)).collect();
    let texts = FlowTexts::new(layout::texts_of(id, bases.into_iter()), library.texts);
    let root_id =
        tree.get("id").and_then(Node::as_str).unwrap_or_else(|| id.rsplit('/').next().unwrap_or(id)).to_owned();
    let names = values::of_flow(&tree, &line, library.nodes, &mut used, problems);
    let tree = values::bound(tree, &names);
    if problems[before..].iter().any(is_fatal) {
        return None; // without its values nothing that asks for one can be read
    }

    unknown_keys(&tree, "a workflow", &[&ROOT_KEYS[..], &STATE_KEYS].concat(), problems);
    let head = head(&tree, id, problems);
    check_scene(&tree, library.tables, problems);
    let mut builder = Builder::new(library, texts, root_id.clone(), used);
    builder.delays(&tree, "");
    let (track, presence) = (builder.report(&tree, "track"), builder.report(&tree, "presence"));
    let listed = builder.read_listed(&tree);
    let ttl = builder.ttl(&tree);
    builder.flow_variants = tree.get("variants").map_or(&[][..], Node::items).to_vec();
    let machine_tree = builder.root(&tree, &StatePlace::root());
    let titles = builder.titles(&tree);
    let delays = std::mem::take(&mut builder.delays);
    let vocabulary = machine_vocabulary(&delays);
    let compiled = Machine::compile(&machine_tree, &vocabulary);
    problems.append(&mut builder.problems);
    let machine = match compiled {
        Ok((machine, warnings)) => {
            problems.extend(warnings.into_iter().map(regrade));
            machine
        }
        Err(found) => {
            problems.extend(found.into_iter().map(regrade));
            without_follow_ons(problems, before);
            return None;
        }
    };
    super::verified::close_steps(&machine, &mut builder);
    let Plain { closed, context, closure, version, tables } = match english {
        Some(english) => {
            problems.append(&mut builder.problems);
            Plain::of(english)
        }
        None => {
            let closed = verify::verify(&machine, &mut builder, &tree, &head.sections, &head.aliases, &head.links);
            verify::names(&machine, &names, &mut builder);
            params::check(&machine, &head.params, &names, &mut builder);
            problems.append(&mut builder.problems);
            // What a mistake leaves undefined would be said again wherever it is read.
            let mut context = BTreeSet::new();
            if library.is_whole && !problems[before..].iter().any(is_fatal) {
                let defined = super::definite_assignment::check(&machine, &builder);
                problems.extend(defined.problems);
                problems.extend(defined.used.into_iter().flat_map(|used| idle_keys(&tree, &used)));
                context = defined.keys;
            }
            without_follow_ons(problems, before);
            let tables = closure::tables(&builder, library);
            let (closure, version) = closure::of(&builder, &tables, library);
            Plain { closed, context, closure, version, tables }
        }
    };
    if problems[before..].iter().any(is_fatal) {
        return None;
    }
    let pinned = closure::Pinned::of(&builder, &tables, library);
    let mut workflow = Workflow {
        id: id.to_owned(),
        line,
        base: head.base,
        title: head.title,
        titles,
        timezone: head.timezone,
        language: head.language,
        spoken: ENGLISH.to_owned(),
        languages: BTreeMap::new(),
        track,
        presence,
        listed,
        ttl,
        signs_in: head.signs_in,
        version,
        closure,
        machine,
        vocabulary,
        params: head.params,
        values: names,
        scene: head.scene,
        sections: head.sections,
        aliases: head.aliases,
        links: head.links,
        delays: delays.into_iter().map(|(name, (rule, _))| (name, rule)).collect(),
        forms: pinned.forms,
        views: pinned.views,
        tables: pinned.tables,
        texts: builder.texts,
        context,
        stories: library.stories.get(id).cloned().unwrap_or_default(),
        contracts: builder.contracts,
        forbidden: builder.forbidden,
        closed,
        shown: Vec::new(),
        steps: builder.steps,
        invokes: builder.invokes,
    };
    workflow.shown = workflow.machine.nodes().map(|node| workflow.nearest(node.id)).collect();
    Some(workflow)
}

/// What of a workflow no translation changes.
struct Plain {
    closed: BTreeMap<String, String>,
    context: BTreeSet<String>,
    closure: Vec<(String, String)>,
    version: String,
    tables: BTreeSet<String>,
}

impl Plain {
    fn of(workflow: &Workflow) -> Plain {
        Plain {
            closed: workflow.closed.clone(),
            context: workflow.context.clone(),
            closure: workflow.closure.clone(),
            version: workflow.version.clone(),
            tables: workflow.tables.ids().map(str::to_owned).collect(),
        }
    }
}

/// A state that nothing leads to any more is not said beside the mistake for which nothing does.
fn without_follow_ons(problems: &mut Vec<Problem>, before: usize) {
    let is_follow_on = |problem: &Problem| problem.code == "unreachable-state";
    let mut own = problems.split_off(before);
    if own.iter().any(|problem| problem.is_error() && !is_follow_on(problem)) {
        own.retain(|problem| !is_follow_on(problem));
    }
    problems.append(&mut own);
}

/// Keys that the context begins with and that nothing reads or writes: most often another one is misspelt.
fn idle_keys(tree: &Node, used: &BTreeSet<String>) -> Vec<Problem> {
    let idle = tree.get("context").map_or(&[][..], Node::map).iter().filter(|(key, _)| !used.contains(&key.name));
    let problem = |(key, _): &(Key, Node)| {
        let message = format!("nothing reads or writes `{}`", key.name);
        Problem::error("unused", &key.span, message)
            .maybe_hint(did_you_mean(&key.name, used.iter().map(String::as_str)))
    };
    idle.map(problem).collect()
}

struct Head {
    title: String,
    base: String,
    timezone: chrono_tz::Tz,
    language: String,
    signs_in: Option<SignIn>,
    params: Value,
    scene: Option<String>,
    sections: Vec<Section>,
    aliases: BTreeMap<String, String>,
    links: BTreeMap<String, Vec<String>>,
}

fn head(tree: &Node, id: &str, problems: &mut Vec<Problem>) -> Head {
    let mut fields = MapReader { node: tree, problems, what: "a workflow" };
    let title = fields.need_text("title");
    let base = fields.need_text("base");
    if fields.get("base").is_some() && (!base.starts_with('/') || base.len() > 1 && base.ends_with('/')) {
        let at = fields.get("base").map_or(&tree.span, |n| &n.span);
        fields
            .problems
            .push(Problem::error("value", at, "`base` starts with `/` and does not end with it").hint("/parcel-cover"));
    }
    let timezone = timezone(&mut fields).unwrap_or(ZONE);
    let language = fields.text("language").unwrap_or_else(|| "en".into());
    let signs_in = match fields.get("signs_in").and_then(Node::as_str) {
        Some("staff") => Some(SignIn::Staff),
        Some("number") => Some(SignIn::Number),
        Some("email") => Some(SignIn::Email),
        Some("forget") => Some(SignIn::Forget),
        _ => fields.bool("signs_in").then_some(SignIn::Person),
    };
    let params = fields.get("params").map_or(json!({}), Node::to_json);
    if !params.is_object() {
        fields.problems.push(Problem::error("shape", &tree.span, format!("`params` of `{id}` is a map")));
    }
    let scene = fields.text("scene");
    let mut sections: Vec<Section> = Vec::new();
    for item in fields.list("sections") {
        let keys = ["id", "title", "step"];
        let Some(mut entry) = MapReader::open(item, "a section", &keys, fields.problems) else { continue };
        let id = entry.need_text("id");
        let title = entry.need("title").and_then(|at| of_params(at, &params, entry.problems)).unwrap_or_default();
        sections.push(Section { id, title });
        Sections::read(String::new(), item, entry.problems);
    }
    let mut aliases = BTreeMap::new();
    for (key, value) in fields.entries("aliases") {
        match value.as_str() {
            Some(path) => {
                aliases.insert(key.name.clone(), path.to_owned());
            }
            None => fields.wrong(value, "aliases", "a map from paths to paths"),
        }
    }
    let links = super::steps::links(&mut fields);
    Head { title, base, timezone, language, signs_in, params, scene, sections, aliases, links }
}

/// The drawings that the page has, by name; where the table is not there, any name will do.
const SCENES: &str = "shared/scenes";

fn check_scene(tree: &Node, tables: &Tables, problems: &mut Vec<Problem>) {
    let (Some(node), Some(table)) = (tree.get("scene"), tables.get(SCENES)) else { return };
    let rows = table.rows(&Value::Null);
    let names: Vec<&str> = rows.as_array().into_iter().flatten().filter_map(|row| row["scene"].as_str()).collect();
    let given = node.as_str().unwrap_or_default();
    if !names.contains(&given) {
        let message = format!("`{given}` is no drawing of the table `{SCENES}`");
        problems
            .push(Problem::error("value", &node.span, message).maybe_hint(did_you_mean(given, names.iter().copied())));
    }
}

impl Builder<'_> {
    /// Names for `after` of a flow or a part: `{until: CEL, within?: calendar, on_version?}`.
    pub fn delays(&mut self, tree: &Node, prefix: &str) {
        for (key, value) in tree.get("delays").map_or(&[][..], Node::map) {
            let mut problems = std::mem::take(&mut self.problems);
            let parsed = delay(value, self, &mut problems);
            self.problems = problems;
            self.delays.extend(parsed.map(|delay| (format!("{prefix}{}", key.name), delay)));
        }
    }
}

/// What a version does to it, and an expression of milliseconds from now.
fn delay(node: &Node, builder: &mut Builder<'_>, problems: &mut Vec<Problem>) -> Option<(OnVersion, Node)> {
    let mut fields = MapReader::open(node, "a delay", &["until", "within", "on_version"], problems)?;
    let until = fields.need("until")?;
    let Some(text) = until.as_str() else {
        fields.wrong(until, "until", "an expression giving a time");
        return None;
    };
    let rule = match fields.word("on_version", &["keep_deadline", "keep_rest", "restart"]) {
        Some("keep_rest") => OnVersion::KeepRest,
        Some("restart") => OnVersion::Restart,
        _ => OnVersion::KeepDeadline,
    };
    let within = fields.text("within");
    let calendars = builder.library.calendars;
    let is_known = within.as_ref().is_some_and(|name| calendars.get(name).is_some());
    if let (Some(name), Some(at), false) = (&within, fields.get("within"), is_known) {
        fields.problems.push(unknown("calendar", at, name, calendars.names()));
    }
    let moment = match within.filter(|_| is_known) {
        Some(calendar) => format!("next_open({text}, {})", super::cel::quote(&calendar)),
        None => text.to_owned(),
    };
    let ms = Node { value: Source::String(format!("ms_until({moment})")), ..until.clone() };
    Some((rule, ms))
}

/// A text whose places are `params`.
fn of_params(at: &Node, params: &Value, problems: &mut Vec<Problem>) -> Option<String> {
    let text = Text::from_node(at, problems)?.render(&json!({"params": params}));
    text.map_err(|message| problems.push(Problem::error("template", &at.span, message))).ok()
}

/// What is doubtful in a plain machine is wrong in a product workflow.
pub(super) fn regrade(problem: Problem) -> Problem {
    let severity = match problem.code {
        "dead-end" | "unreachable-state" | "endless-always" | "shadowed-transition" | "wildcard" | "no-effect" => {
            Severity::Error
        }
        _ => problem.severity,
    };
    Problem { severity, ..problem }
}
