//! Views: blocks for the renderer, made from a step's data. What may stand under each key of a block says
//! `keys::blocks`; `{text: …}` and `{cel: …}` say it themselves. Any map inside a list may carry `when`, `each`, `as` and
//! `roles`.

mod compile;
mod unanswered;

use crate::fields::{MapReader, unknown_keys};
use crate::host::late_vocabulary;
use crate::keys::retain_fitting;
use crate::layout;
use crate::policy::Roles;
use crate::policy::is_fatal;
use crate::shape::Misfit;
use crate::source::{Key, Node, Nodes, Value as Source};
use crate::text::Text;
use crate::variants::{Alternatives, Audience, Patches, Variant, keyed_blocks, unkeyed_blocks};
use compile::Compiler;
use engine_statechart::expression::Expression;
use engine_statechart::expression::rows::ColumnRead;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Problem, Scope, Vocabulary};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use unanswered::Unanswered;

/// What every view may read of the site beside its own data.
pub const COMPANY: &str = "company";

/// What a text with marks becomes: a block of its own, whose code comes only where it stands.
const PROSE: &str = "prose";

const ITEMS_MAX: usize = 1_000;

/// A compiled view.
#[derive(Debug)]
pub struct View {
    pub id: String,
    /// The file it came from, and those whose blocks stand among its own.
    pub path: String,
    pub others: Vec<String>,
    title: Option<ViewPart>,
    intro: Option<ViewPart>,
    blocks: ViewPart,
    data_names: BTreeSet<String>,
    uses: Vec<Expression>,
    columns: Vec<ColumnRead>,
    /// Key and literal of every name of an event, a step or an address, with its place.
    named: Vec<(&'static str, Node)>,
    /// Events with the keys of the data that goes with them.
    sent: Vec<(String, Vec<Key>)>,
    /// Roles that parts of it are for.
    roles: Vec<Roles>,
    /// What it is for those whom its variants are for.
    alternatives: Alternatives<View>,
}

/// Keys of a view that its variants may change.
const CHANGED: [&str; 3] = ["title", "intro", "blocks"];

/// A view in whose list of blocks `{view: shared/x/y}` became the blocks of that view, with the files of these.
pub(crate) fn with_others(node: &Node, nodes: &Nodes, problems: &mut Vec<Problem>) -> (Node, Vec<String>) {
    let (mut whole, mut others) = (node.clone(), Vec::new());
    let blocks = whole.map_mut().and_then(|map| map.iter_mut().find(|(k, _)| k.name == "blocks")).map(|(_, b)| b);
    let Some(blocks) = blocks.filter(|blocks| blocks.is_list()) else { return (whole, others) };
    let mut list = Vec::with_capacity(blocks.list().len());
    for item in blocks.list().to_vec() {
        let Some(named) = item.get("view") else {
            list.push(item);
            continue;
        };
        unknown_keys(&item, "the blocks of another view", &["view"], problems);
        let file = layout::view_file(&layout::id_of(named.as_str().unwrap_or_default(), named));
        match nodes.get(&file).map(|other| other.get("blocks").map_or(&[][..], Node::list)) {
            Some(found) => list.extend_from_slice(found),
            None => problems.push(Problem::error("unknown-name", &named.span, format!("no file {file}"))),
        }
        others.push(file);
    }
    blocks.value = Source::List(list);
    (whole, others)
}

#[derive(Debug)]
enum ViewPart {
    Literal(Value),
    Text(Text, Span),
    Cel(Expression),
    Map(Vec<Field>),
    List(Vec<Item>),
    /// An item of a list that is as many as gave no offer.
    Unanswered(Box<Unanswered>),
}

#[derive(Debug)]
struct Field {
    key: String,
    part: ViewPart,
    /// Whether null is as if the field was not there.
    is_optional: bool,
}

#[derive(Debug)]
struct Item {
    /// Roles that alone see the item; none named: everybody sees it.
    roles: Roles,
    when: Option<Expression>,
    each: Option<(Expression, String)>,
    part: ViewPart,
}

/// Who reads, and what texts may name: `data` and the variables of the enclosing `each`.
#[derive(Clone)]
struct Names<'a> {
    roles: &'a [String],
    known: Vec<(&'a str, &'a Value)>,
}

impl View {
    /// Whether it has blocks.
    pub(crate) fn has_blocks(&self) -> bool {
        !matches!(&self.blocks, ViewPart::List(items) if items.is_empty())
    }

    /// `node` has the blocks of the files `others` among its own: see [`with_others`].
    pub fn compile(
        id: &str,
        path: &str,
        node: &Node,
        others: Vec<String>,
        problems: &mut Vec<Problem>,
    ) -> Option<View> {
        let keys = ["title", "intro", "blocks", "variants", "description"];
        let fields = MapReader::open(node, "a view", &keys, problems)?;
        let blocks = fields.node.get("blocks").map_or(&[][..], Node::list);
        for block in blocks.iter().filter(|block| block.get("block").and_then(Node::as_str) == Some("journey")) {
            let message = "a journey stands in pages of the site, not in a step of another one";
            fields.problems.push(Problem::error("value", &block.span, message));
        }
        let mut view = View::of(id, path, fields.node, late_vocabulary(), problems)?;
        let written = node.get("variants").map_or(&[][..], Node::items);
        if !written.is_empty() {
            let base = keyed_blocks(node);
            let patches = Patches::read(written, &base, ("view", &CHANGED), problems);
            view.alternatives = patches.alternatives(&base, |tree| {
                let tree = unkeyed_blocks(tree, problems);
                View::of(id, path, &tree, late_vocabulary(), problems)
            });
            view.take_in_alternatives();
        }
        Some(View { others, ..view })
    }

    /// What its variants name counts as named by the view.
    fn take_in_alternatives(&mut self) {
        for other in self.alternatives.all() {
            self.data_names.extend(other.data_names.iter().cloned());
            self.uses.extend(other.uses.iter().cloned());
            self.columns.extend(other.columns.iter().cloned());
            self.named.extend(other.named.iter().cloned());
            self.sent.extend(other.sent.iter().cloned());
            self.roles.extend(other.roles.iter().cloned());
        }
    }

    /// Its variants, as they are written.
    pub(crate) fn variants(&self) -> &[Variant] {
        self.alternatives.variants()
    }

    /// Compiles a map that has `title`, `intro` and `blocks` among other keys: pages of the site.
    pub(crate) fn of(
        id: &str,
        path: &str,
        node: &Node,
        vocabulary: &Vocabulary,
        problems: &mut Vec<Problem>,
    ) -> Option<View> {
        let before = problems.len();
        let mut compiler = Compiler::new(vocabulary, problems);
        let title = node.get("title").map(|n| compiler.words("title", n));
        let intro = node.get("intro").map(|n| compiler.words("intro", n));
        let blocks = compiler.blocks(node);
        let Compiler { data_names, uses, columns, named, sent, roles, .. } = compiler;
        (!problems[before..].iter().any(is_fatal)).then(|| View {
            id: id.to_owned(),
            path: path.to_owned(),
            others: Vec::new(),
            title,
            intro,
            blocks,
            data_names,
            uses,
            columns,
            named,
            sent,
            roles,
            alternatives: Alternatives::default(),
        })
    }

    /// Names that the view reads from `data`.
    pub fn data_names(&self) -> impl Iterator<Item = &str> {
        self.data_names.iter().map(String::as_str)
    }

    pub fn reads(&self, name: &str) -> bool {
        self.data_names.contains(name)
    }

    /// Tables that it reads.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().flat_map(crate::references::tables)
    }

    /// What stands literally under `event`, `step` or `href`, with its place.
    pub(crate) fn named(&self, key: &str) -> impl Iterator<Item = (&str, &Node)> {
        self.named.iter().filter(move |(of, _)| *of == key).filter_map(|(_, node)| Some((node.as_str()?, node)))
    }

    /// Events of its buttons, with the keys of the data that goes with them.
    pub(crate) fn button_events(&self) -> impl Iterator<Item = (&str, &[Key])> {
        self.sent.iter().map(|(event, keys)| (event.as_str(), keys.as_slice()))
    }

    /// Every role that it names, where it does.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Node> {
        self.roles.iter().flat_map(Roles::at)
    }

    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.uses.iter()
    }

    /// Columns of tables that it reads, also by variables of its lists.
    pub(crate) fn columns(&self) -> &[ColumnRead] {
        &self.columns
    }

    /// The view as this audience gets it.
    pub fn of_audience(&self, audience: &Audience) -> &View {
        self.alternatives.find(audience).unwrap_or(self)
    }

    /// `{title?, intro?, blocks}` of the API, as somebody with these roles sees it, and what is left out of it because
    /// it is of another kind than its key takes. `scope` carries `data` and a host with now, today, journey and params.
    pub fn render(&self, data: &Value, roles: &[String], scope: &Scope<'_>) -> Result<(Value, Vec<Misfit>), EvalError> {
        let scope = scope.clone().with("data", data);
        let names = Names { roles, known: vec![("data", data)] };
        let mut out = Map::new();
        for (key, part) in [("title", &self.title), ("intro", &self.intro)] {
            if let Some(part) = part {
                out.insert(key.into(), part.render(&scope, &names)?);
            }
        }
        let mut blocks = self.blocks.render(&scope, &names)?;
        let misfits = retain_fitting(&mut blocks).into_iter().map(|misfit| misfit.below("blocks")).collect();
        out.insert("blocks".into(), blocks);
        Ok((Value::Object(out), misfits))
    }
}

impl ViewPart {
    fn nothing() -> ViewPart {
        ViewPart::Literal(Value::Null)
    }

    fn render(&self, scope: &Scope<'_>, names: &Names<'_>) -> Result<Value, EvalError> {
        match self {
            ViewPart::Literal(value) => Ok(value.clone()),
            ViewPart::Cel(expression) => expression.eval(scope),
            ViewPart::Text(text, span) => {
                let find = |name: &str| {
                    let variable = names.known.iter().rev().find(|(n, _)| *n == name).map(|(_, v)| *v);
                    variable.or_else(|| names.known.first().and_then(|(_, data)| data.get(name)))
                };
                let wrong = |message| EvalError { message, span: span.clone(), expression: String::from("text") };
                text.render_with(find).map(Value::String).map_err(wrong)
            }
            ViewPart::Map(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for Field { key, part, is_optional } in entries {
                    let value = part.render(scope, names)?;
                    if !(value.is_null() && *is_optional) {
                        map.insert(key.clone(), value);
                    }
                }
                settle_block(&mut map);
                Ok(Value::Object(map))
            }
            ViewPart::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    item.render(scope, names, &mut list)?;
                }
                Ok(Value::Array(list))
            }
            ViewPart::Unanswered(cards) => {
                let mut list = Vec::new();
                cards.render(scope, names, &mut list)?;
                Ok(Value::Array(list))
            }
        }
    }
}

/// What follows from a block's values: a text with marks is drawn by another block, and the heading of a column of
/// amounts stands where they do.
fn settle_block(block: &mut Map<String, Value>) {
    match block.get("block").and_then(Value::as_str) {
        Some("text") if block.get("text").is_some_and(Value::is_array) => {
            block.insert("block".into(), PROSE.into());
        }
        Some("table") => {
            let rows = || block.get("rows").and_then(Value::as_array).into_iter().flatten();
            let widest = rows().filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0);
            let amounts: Vec<bool> = (0..widest).map(|at| rows().any(|row| row[at].get("paise").is_some())).collect();
            let columns = block.get_mut("columns").and_then(Value::as_array_mut).into_iter().flatten();
            for column in
                columns.zip(amounts).filter_map(|(column, is_amount)| column.as_object_mut().filter(|_| is_amount))
            {
                column.entry("align").or_insert("right".into());
            }
        }
        _ => {}
    }
}

impl Item {
    /// An item that is always there, once.
    fn plain() -> Item {
        Item { roles: Roles::default(), when: None, each: None, part: ViewPart::nothing() }
    }

    fn render(&self, scope: &Scope<'_>, names: &Names<'_>, list: &mut Vec<Value>) -> Result<(), EvalError> {
        if !self.roles.include(names.roles.iter().map(String::as_str)) {
            return Ok(());
        }
        let Some((each, name)) = &self.each else { return self.one(scope, names, list) };
        let rows = match each.eval(scope)? {
            Value::Array(rows) => rows,
            Value::Object(map) => map.into_iter().map(|(key, value)| json!({"key": key, "value": value})).collect(),
            Value::Null => Vec::new(),
            _ => {
                return Err(EvalError {
                    message: "`each` takes a list or a map".into(),
                    span: each.span().clone(),
                    expression: each.text().to_owned(),
                });
            }
        };
        for row in rows.iter().take(ITEMS_MAX) {
            let mut names = names.clone();
            names.known.push((name, row));
            self.one(&scope.clone().with(name, row), &names, list)?;
        }
        Ok(())
    }

    fn one(&self, scope: &Scope<'_>, names: &Names<'_>, list: &mut Vec<Value>) -> Result<(), EvalError> {
        let shown = self.when.as_ref().map_or(Ok(true), |w| w.eval_bool(scope))?;
        match &self.part {
            _ if !shown => Ok(()),
            ViewPart::Unanswered(cards) => cards.render(scope, names, list),
            part => {
                list.push(part.render(scope, names)?);
                Ok(())
            }
        }
    }
}
