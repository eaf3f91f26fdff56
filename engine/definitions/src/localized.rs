//! What versions pin, as it reads in each language: everything that needs no partner. A translation changes words alone,
//! so what reads the same in another language is the same, and what was found of the English holds.

use crate::contract::{self, Contracts};
use crate::fields::unknown;
use crate::form::{Form, Messages, SHARED_MESSAGES, read as read_form};
use crate::layout::{self, FileKind, kind_of};
use crate::load::{collect, spread};
use crate::source::{Node, Nodes, Value as Source};
use crate::table::{Table, Tables, rows_in_files, with_rows};
use crate::text::ENGLISH;
use crate::texts::Texts;
use crate::translation::Read;
use crate::view::View;
use crate::workflow::{Library, Workflow, compile as compile_workflow};
use engine_statechart::Problem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) struct Parts<'n> {
    pub nodes: &'n Nodes,
    pub forms: BTreeMap<String, Arc<Form>>,
    pub views: BTreeMap<String, Arc<View>>,
    pub tables: Tables,
    pub contracts: Contracts,
    pub texts: BTreeMap<String, Arc<Texts>>,
}

/// What reads otherwise in each language.
pub(crate) type Spoken<'n> = BTreeMap<String, Parts<'n>>;

/// Files as they read in the languages of the translations.
pub(crate) type TranslatedFiles = BTreeMap<String, Nodes>;

pub(crate) fn translate_files(read: &Read, problems: &mut Vec<Problem>) -> TranslatedFiles {
    read.languages().map(|language| (language.to_owned(), read.translate(language, problems))).collect()
}

/// What they mean; a mistake that is also there in English is told once.
pub(crate) fn read_languages<'n>(
    english: &Parts<'_>,
    said: &'n TranslatedFiles,
    problems: &mut Vec<Problem>,
) -> Spoken<'n> {
    let mut spoken = Spoken::new();
    for (language, nodes) in said {
        let (parts, found) = collect(|problems| english.read_translated(language, nodes, problems));
        problems.extend(found.into_iter().filter(of_translation));
        spoken.insert(language.clone(), parts);
    }
    spoken
}

pub(crate) fn of_translation(problem: &Problem) -> bool {
    layout::translation(&problem.span.file).is_some()
}

/// A workflow, and how it reads in other languages.
pub(crate) fn in_languages(
    id: &str,
    library: &Library<'_>,
    spoken: &Spoken<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Workflow> {
    let mut workflow = compile_workflow(id, library, None, problems)?;
    for (language, parts) in spoken {
        let Parts { nodes, forms, views, tables, texts, contracts } = parts;
        let library = Library { nodes, forms, views, tables, texts, contracts, ..*library };
        let (said, found) = collect(|problems| compile_workflow(id, &library, Some(&workflow), problems));
        problems.extend(found.into_iter().filter(of_translation));
        if let Some(said) = said {
            let said = Workflow { spoken: language.clone(), ..said };
            workflow.languages.insert(language.clone(), Arc::new(said));
        }
    }
    Some(workflow)
}

impl<'n> Parts<'n> {
    /// `masters`: names that look-up widgets may read; empty: not checked.
    pub fn read(nodes: &'n Nodes, masters: &BTreeSet<String>, problems: &mut Vec<Problem>) -> Parts<'n> {
        let contracts = contract::compile(nodes, problems);
        let parts = PartsReader { language: ENGLISH, nodes, english: None }.read(contracts, problems);
        for (source, span) in parts.forms.values().flat_map(|form| &form.lookups) {
            if !masters.is_empty() && !masters.contains(source) {
                let at = Node::new(span.clone(), Source::Null);
                problems.push(unknown("master data", &at, source, masters.iter().map(String::as_str)));
            }
        }
        parts
    }

    fn read_translated<'s>(&self, language: &str, nodes: &'s Nodes, problems: &mut Vec<Problem>) -> Parts<'s> {
        // Nobody reads a contract in another language.
        PartsReader { language, nodes, english: Some(self) }.read(self.contracts.clone(), problems)
    }
}

struct PartsReader<'r, 'n> {
    language: &'r str,
    nodes: &'n Nodes,
    english: Option<&'r Parts<'r>>,
}

/// What a file is read as.
enum Made {
    Table(String, Option<Arc<Table>>),
    Texts(String, Arc<Texts>),
    View(String, Arc<View>),
    Form(String, Arc<Form>),
}

impl<'n> PartsReader<'_, 'n> {
    fn read(&self, contracts: Contracts, problems: &mut Vec<Problem>) -> Parts<'n> {
        let messages = self.nodes.get(SHARED_MESSAGES).map(|n| Messages::compile(n, problems)).unwrap_or_default();
        let messages = Arc::new(messages.in_language(self.language));
        let files: Vec<(&String, &Arc<Node>)> = self.nodes.iter().collect();
        let made = spread(&files, |(path, node)| collect(|problems| self.one(path, node, &messages, problems)));
        let mut parts = Parts {
            nodes: self.nodes,
            forms: BTreeMap::new(),
            views: BTreeMap::new(),
            tables: Tables::default(),
            contracts,
            texts: BTreeMap::new(),
        };
        for (made, found) in made {
            problems.extend(found);
            match made {
                Some(Made::Table(_, Some(table))) => parts.tables.insert(table),
                Some(Made::Table(id, None)) => parts.tables.mark_broken(id),
                Some(Made::Texts(folder, texts)) => drop(parts.texts.insert(folder, texts)),
                Some(Made::View(id, view)) => drop(parts.views.insert(id, view)),
                Some(Made::Form(id, form)) => drop(parts.forms.insert(id, form)),
                None => {}
            }
        }
        parts
    }

    fn one(&self, path: &str, node: &Node, messages: &Arc<Messages>, problems: &mut Vec<Problem>) -> Option<Made> {
        let same = self.same(path);
        Some(match kind_of(path)? {
            FileKind::Table(id) => {
                let are_same = || rows_in_files(&id, self.nodes).all(|(row, _)| self.same(row).is_some());
                let same = same.filter(|_| are_same());
                let table = match same {
                    Some(english) => english.tables.get(&id).cloned(),
                    None => Table::compile(&id, &with_rows(&id, node, self.nodes), problems).map(Arc::new),
                };
                Made::Table(id, table)
            }
            FileKind::Texts(folder) => {
                let texts = same.and_then(|english| english.texts.get(&folder).cloned());
                let texts = texts.unwrap_or_else(|| Arc::new(Texts::compile(node, problems)));
                Made::Texts(folder, texts)
            }
            FileKind::View(id) => {
                let (whole, others) = crate::view::with_others(node, self.nodes, problems);
                let same = same.filter(|_| others.iter().all(|other| self.same(other).is_some()));
                let view = match same {
                    Some(english) => english.views.get(&id).cloned(),
                    None => View::compile(&id, path, &whole, others, problems).map(Arc::new),
                };
                Made::View(id, view?)
            }
            // Never the same: what is said by default is in its language.
            FileKind::Form(id) if node.get("schema").is_some() || node.get("title").is_some() => {
                let form = read_form(&id, path, self.nodes, messages, problems)?;
                let is_schema = self.english.is_some() || form.is_schema(node, problems);
                Made::Form(id, is_schema.then(|| Arc::new(form))?)
            }
            FileKind::Form(_) if path != SHARED_MESSAGES && node.get("$defs").is_none() => {
                problems.push(Problem::error("missing", &node.span, "a form needs `title` and `properties`"));
                return None;
            }
            _ => return None,
        })
    }

    /// What the English has of a file, when it reads the same in this language.
    fn same(&self, path: &str) -> Option<&Parts<'_>> {
        let english = self.english?;
        Arc::ptr_eq(english.nodes.get(path)?, self.nodes.get(path)?).then_some(english)
    }
}
