//! From files to a catalog: parse everything, then compile kind by kind, each kind knowing what it may
//! name. Files and kinds are worked on in parallel.

use crate::calendar::Calendars;
use crate::catalog::{Catalog, Endpoints};
use crate::channels::AGENT_CHECK;
use crate::endpoint::{self, Endpoint};
use crate::fields::unknown;
use crate::files::Files;
use crate::host::ProductHost;
use crate::layout::{self, FileKind, kind_of};
use crate::localized::{self, Parts, Spoken, in_languages, of_translation};
use crate::master::{Master, Masters};
use crate::message::{Live, Message};
use crate::outside::Outside;
use crate::partner::{PartnerReferences, Partners, RehearsalHost};
use crate::pinned::{self, PinnedParts, PinnedVersion};
use crate::policy::{self, MAKEABLE, Policy, is_fatal};
use crate::prose;
use crate::records::{KEPT, KEPT_FILE, Law};
use crate::references::References;
use crate::releases::{self, Releases};
use crate::site::{FRAME, Rows, Site};
use crate::source::{self, Node, Nodes};
use crate::story::{self, Story};
use crate::text::ENGLISH;
use crate::translation::{OUT_OF_DATE, Read, Sheet};
use crate::uploads::{FILE_KINDS, FILE_KINDS_FILE, UploadKind};
use crate::workflow::{Library, LineValues, Workflow};
use engine_statechart::source::Span;
use engine_statechart::{Host, Problem};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Moment at which examples are held to their expectations and pages are drawn for the check: 1 January 2026.
const SAMPLE_MS: i64 = 1_767_225_600_000;
/// Moment at which fake partners play examples: 25 November 2026, 10:00 in India.
const REHEARSAL_MS: i64 = 1_795_581_000_000;

/// A catalog when no problem is an error; all problems, sorted by place.
pub struct Loaded {
    pub catalog: Option<Arc<Catalog>>,
    pub problems: Vec<Problem>,
    read: Read,
}

impl Loaded {
    /// Every file that has words, in each language that some are translated into.
    pub fn sheets(&self) -> BTreeMap<String, Vec<Sheet>> {
        self.read.languages().map(|language| (language.to_owned(), self.read.sheets(language))).collect()
    }
}

/// Reads and checks everything. Reference data is indexed on first use, not here.
pub fn load(files: &Files) -> Loaded {
    load_with(files, &[], For::Authors)
}

/// Reads what is to be tried by its stories or values: everything is checked but pages, which are not drawn for it; files
/// that were found good are only read.
pub fn load_to_try(files: &Files) -> Loaded {
    load_with(files, &[], if files.were_found_good() { For::Service } else { For::Trial })
}

/// Reads what is served already, beside versions that are still in use: their rows go on making partners. The files
/// were checked when they were published, by the rules of that time: no page is drawn and no way followed for it again.
pub fn load_beside(files: &Files, held: &[PinnedVersion]) -> Loaded {
    load_with(files, held, For::Service)
}

/// Reads and checks what is to be published: what is live must serve the journeys of these versions too. Their
/// contracts must still be met, and the partners, operations and messages that they name be there.
pub fn publishable(files: &Files, held: &[PinnedVersion]) -> Loaded {
    let digest = held.is_empty().then(|| files.digest());
    // Two that begin together read the same files once.
    let _alone = digest.is_some().then(|| READING.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(known) = digest.as_ref().and_then(Recent::find) {
        return known;
    }
    let is_known = files.were_found_good() && held.is_empty();
    let mut loaded = load_with(files, held, if is_known { For::Service } else { For::Publication });
    if let Some(digest) = digest {
        Recent::note(digest, &loaded);
    }
    let broken = loaded.catalog.as_deref().map(|catalog| pinned::left_behind(held, catalog)).unwrap_or_default();
    if !broken.is_empty() {
        loaded.problems.extend(broken);
        finish(&mut loaded.problems);
        loaded.catalog = None;
    }
    loaded
}

/// What was read a moment ago and is still served somewhere in this process: the same files make the same catalog, so
/// that a second node, or a test beside another, does not read them once more.
struct Recent {
    digest: String,
    catalog: Weak<Catalog>,
    problems: Vec<Problem>,
}

const RECENT_MAX: usize = 8;
static READING: Mutex<()> = Mutex::new(());
static RECENT: Mutex<Vec<Recent>> = Mutex::new(Vec::new());

impl Recent {
    fn find(digest: &String) -> Option<Loaded> {
        let all = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|one| one.digest == *digest)?;
        let catalog = known.catalog.upgrade()?;
        Some(Loaded { catalog: Some(catalog), problems: known.problems.clone(), read: Read::default() })
    }

    fn note(digest: String, loaded: &Loaded) {
        let Some(catalog) = &loaded.catalog else { return };
        let mut all = RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.catalog.strong_count() > 0 && one.digest != digest);
        if all.len() == RECENT_MAX {
            all.remove(0);
        }
        all.push(Recent { digest, catalog: Arc::downgrade(catalog), problems: loaded.problems.clone() });
    }
}

/// Why definitions are read.
#[derive(Clone, Copy, PartialEq)]
enum For {
    Authors,
    Publication,
    Trial,
    Service,
}

/// Problems of rules that grow with the program: who may do what, which is refused where it is missing, and what a widget
/// has to be told, where it goes on as it did before it was asked; whom a variant is for.
const OF_AUTHORS_ALONE: [&str; 4] = ["agreement", "audience", "route", "widget"];

fn load_with(files: &Files, held: &[PinnedVersion], purpose: For) -> Loaded {
    let mut problems = Vec::new();
    for (path, _) in files.iter().filter(|(path, _)| kind_of(path).is_none()) {
        let at = Span::new(&Arc::from(path), 1, 1);
        let problem = Problem::error("place", &at, "no definition is read from here");
        problems.push(problem.hint("workflows/README.md says which file lies where"));
    }
    let masters = masters(files, &mut problems);
    let read = parse(files, &mut problems);
    for (path, row) in &read.nodes {
        if let Some(FileKind::Row(id)) = kind_of(path)
            && !files.contains(&layout::table_file(&id))
        {
            let message = format!("this is a row of {}, which is not there", layout::table_file(&id));
            problems.push(Problem::error("place", &row.span, message));
        }
    }
    let catalog = catalog(files, &read, masters, held, purpose, &mut problems);
    finish(&mut problems);
    Loaded { catalog: catalog.map(Arc::new).filter(|_| !problems.iter().any(Problem::is_error)), problems, read }
}

/// What was read means this, or all that is wrong with it.
fn catalog(
    files: &Files,
    read: &Read,
    masters: Masters,
    held: &[PinnedVersion],
    purpose: For,
    problems: &mut Vec<Problem>,
) -> Option<Catalog> {
    let parts = Parts::read(&read.nodes, &masters.names().map(str::to_owned).collect(), problems);
    let is_unread = |problem: &Problem| {
        let file = &*problem.span.file;
        files.contains(file) && !file.ends_with(".csv") && !parts.nodes.contains_key(file)
    };
    if problems.iter().any(|problem| problem.is_error() && is_unread(problem)) {
        // What names something of a file that cannot be read would be said to name nothing.
        problems.retain(is_unread);
        return None;
    }
    parts.tables.check_references(&masters, problems);
    let is_whole = !problems.iter().any(is_fatal);
    let said = localized::translate_files(read, problems);
    let calendars = match parts.nodes.get("workflows/calendars.yaml") {
        Some(node) => Calendars::compile(node, problems),
        None => Calendars::default(),
    };
    let policy = match parts.nodes.get(policy::FILE) {
        Some(node) => Policy::compile(node, problems),
        None => Policy::default(),
    };
    let releases = match parts.nodes.get(releases::FILE) {
        Some(node) => Releases::compile(node, problems),
        None => Releases::default(),
    };
    if let (Some(node), Some(kept)) = (parts.nodes.get(KEPT_FILE), parts.tables.get(KEPT)) {
        Law::verify(kept, node, problems);
    }
    if let (Some(node), Some(kinds)) = (parts.nodes.get(FILE_KINDS_FILE), parts.tables.get(FILE_KINDS)) {
        UploadKind::verify(kinds, node, problems);
    }
    let endpoints = endpoints(parts.nodes, problems);
    let mut said_endpoints = BTreeMap::new();
    for (language, nodes) in &said {
        let (spoken, found) = collect(|problems| self::endpoints(nodes, problems));
        problems.extend(found.into_iter().filter(of_translation));
        said_endpoints.insert(language.clone(), spoken);
    }
    let held: Vec<PinnedParts<'_>> = held.iter().map(PinnedParts::read).collect();
    held.iter().filter(|_| purpose == For::Publication).for_each(|held| held.check(&parts, problems));
    let (partners, spoken) = std::thread::scope(|scope| {
        let partners =
            scope.spawn(|| collect(|problems| self::partners(files, &parts, &masters, &calendars, &held, problems)));
        let spoken = localized::read_languages(&parts, &said, problems);
        (partners.join().unwrap_or_default(), spoken)
    });
    let has_all_partners = !partners.1.iter().any(is_fatal);
    problems.extend(partners.1);
    let partners = partners.0;
    if let (Some(node), Some(kinds), true) =
        (parts.nodes.get(FILE_KINDS_FILE), parts.tables.get(FILE_KINDS), has_all_partners)
    {
        let contract_of = |name: &str| {
            let (partner, operation) = name.split_once('/')?;
            partners.partners.get(partner)?.operation(operation)?.contract_id().map(str::to_owned)
        };
        UploadKind::verify_operations(kinds, node, contract_of, problems);
    }
    let outside = Outside::read(parts.nodes);
    outside.check(parts.nodes, problems);
    let stories = self::stories(parts.nodes, problems);
    let mut sites = self::sites(&parts, &spoken, problems);
    let letterhead = &sites.get(ENGLISH).map(|site| site.letterhead.clone()).unwrap_or_default();
    let live = Live { calendars: &calendars, outside: &outside, letterhead };
    let messages = self::messages(parts.nodes, &spoken, &live, problems);
    let library = Library {
        files,
        nodes: parts.nodes,
        forms: &parts.forms,
        views: &parts.views,
        tables: &parts.tables,
        texts: &parts.texts,
        contracts: &parts.contracts,
        partners: &partners.partners,
        messages: &messages,
        masters: &masters,
        calendars: &calendars,
        stories: &stories,
        languages: &spoken.keys().cloned().collect::<Vec<_>>(),
        is_whole,
        was_checked: purpose == For::Service,
        has_all_partners,
    };
    names(&library, &policy, problems);
    let of_endpoints = endpoints.values().flat_map(BTreeMap::values);
    let of_endpoints = of_endpoints.flat_map(|endpoint| endpoint.caller.roles.at().chain(endpoint.asks.roles()));
    let of_site = sites.get(ENGLISH).into_iter().flat_map(Site::roles);
    of_endpoints.chain(of_site).for_each(|role| policy.knows(role, problems));
    let ids: Vec<String> = workflow_ids(parts.nodes).collect();
    let workflows = workflows(&ids, &library, &spoken, problems);
    if let Some(site) = sites.get(ENGLISH) {
        audiences(&library, &workflows, site, problems);
    }
    unique_bases(&workflows, parts.nodes, problems);
    no_first_files(&workflows, problems);
    if is_whole {
        check_stories(&workflows, &policy, parts.nodes, problems);
    }
    if workflows.len() == ids.len() {
        let now = crate::values::Now::at(SAMPLE_MS, crate::values::ZONE);
        let (english, masters, calendars) = (&parts.tables, &masters, &calendars);
        let known: &[Problem] = problems;
        let texts = parts.nodes.iter().filter(|(path, _)| matches!(kind_of(path), Some(FileKind::Row(_))));
        let texts = texts.filter_map(|(_, row)| row.get(source::BODY));
        let written: BTreeMap<String, Span> = texts.flat_map(prose::links_at).collect();
        let rows = Rows::default();
        let settle = |language: &str, site: &mut Site| {
            let tables = spoken.get(language).map_or(english, |parts| &parts.tables);
            let host = ProductHost { language, ..ProductHost::plain(&now, tables, masters, calendars) };
            let found = |problems: &mut Vec<Problem>| {
                site.settle(&workflows, &host, &rows, problems);
                if matches!(purpose, For::Authors | For::Publication) {
                    site.verify(&workflows, &parts.forms, &host, (known, &written), problems);
                }
            };
            collect(found).1
        };
        let settled: Vec<Vec<Problem>> = std::thread::scope(|scope| {
            let settle = &settle;
            let each: Vec<_> =
                sites.iter_mut().map(|(language, site)| scope.spawn(move || settle(language, site))).collect();
            each.into_iter().map(|one| one.join().unwrap_or_default()).collect()
        });
        problems.extend(settled.into_iter().flatten());
        workflows.values().for_each(|workflow| who_acts(workflow, &policy, problems));
        let events = events(&workflows);
        crate::partner::are_heard(parts.nodes, &events, problems);
        if let Some(node) = parts.nodes.get(policy::FILE) {
            policy.verify(node, &events, problems);
        }
        let host = ProductHost::plain(&now, english, masters, calendars);
        let known = endpoint::EndpointReferences {
            workflows: &workflows,
            forms: &parts.forms,
            partners: &partners.partners,
            references: References { tables: english, masters, calendars },
            site: sites.get(ENGLISH).map_or(&serde_json::Value::Null, Site::describe),
            host: &host,
        };
        endpoints.values().flat_map(BTreeMap::values).for_each(|endpoint| endpoint.verify(&known, problems));
        let with = |method: &str| -> BTreeSet<&str> {
            endpoints.iter().filter(|(_, here)| here.contains_key(method)).map(|(path, _)| path.as_str()).collect()
        };
        let (taken, given) = (with("POST"), with("GET"));
        sites.values().for_each(|site| site.calls_are_there(&taken, &given, problems));
        let roles: Vec<&str> = policy.roles().map(|(name, _)| name).collect();
        let of = |contract| -> Vec<String> {
            partners.partners.values().flat_map(|partner| partner.operations_of(contract)).collect()
        };
        let (checks, frames) = (of(AGENT_CHECK), of(FRAME));
        if let Some(site) = sites.get(ENGLISH) {
            site.channels_are_known(&roles, has_all_partners.then_some((&checks[..], &frames[..])), problems);
        }
    }
    let of_authors_alone = |code| OF_AUTHORS_ALONE.contains(&code) || MAKEABLE.contains(&code);
    problems.retain(|problem| purpose != For::Service || !of_authors_alone(problem.code));
    if problems.iter().any(Problem::is_error) {
        // The English is mended first.
        problems.retain(|problem| problem.code != OUT_OF_DATE);
        return None;
    }
    let (mut said_forms, mut said_tables) = (BTreeMap::new(), BTreeMap::new());
    for (language, parts) in spoken {
        said_forms.insert(language.clone(), parts.forms);
        said_tables.insert(language, parts.tables);
    }
    let catalog = Catalog {
        workflows,
        sandbox_tables: parts.tables.with(&partners.sandbox_tables),
        partners: partners.partners,
        messages,
        forms: parts.forms,
        tables: parts.tables,
        translated_forms: said_forms,
        translated_tables: said_tables,
        masters,
        calendars,
        policy,
        releases,
        sites,
        endpoints,
        translated_endpoints: said_endpoints,
    };
    examples(&catalog, problems);
    Some(catalog)
}

/// Sorts problems by place and says each once: a file that two workflows share has its mistakes once.
pub(crate) fn finish(problems: &mut Vec<Problem>) {
    problems.sort_by(|a, b| (&a.span, &a.message).cmp(&(&b.span, &b.message)));
    let same = |a: &Problem, b: &Problem| {
        let is_one = core(&a.message) == core(&b.message) || a.code == "unknown-key";
        a.span == b.span && a.span.line > 0 && a.code == b.code && is_one
    };
    problems.dedup_by(|b, a| {
        let is_same = a == b || same(a, b);
        if is_same && a.hint.is_none() {
            a.hint = b.hint.take();
        }
        is_same
    });
}

/// A message without the state that it was met in.
fn core(message: &str) -> &str {
    message.split(" in state `").next().unwrap_or(message)
}

fn partners(
    files: &Files,
    parts: &Parts,
    masters: &Masters,
    calendars: &Calendars,
    held: &[PinnedParts<'_>],
    problems: &mut Vec<Problem>,
) -> Partners {
    let now = crate::values::Now::at(0, crate::values::ZONE);
    let tables = std::iter::once(&parts.tables).chain(held.iter().map(|h| &h.tables));
    let hosts: Vec<ProductHost<'_>> =
        tables.map(|tables| ProductHost::plain(&now, tables, masters, calendars)).collect();
    let hosts: Vec<&dyn Host> = hosts.iter().map(|host| host as &dyn Host).collect();
    crate::partner::partners(
        &PartnerReferences { files, nodes: parts.nodes, contracts: &parts.contracts, hosts: &hosts },
        problems,
    )
}

/// Works on every item in as many threads as there are cores; each thread takes the next one that is
/// left. The order of the results is open.
pub(crate) fn spread<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(work(item));
        }
        done
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        others.into_iter().for_each(|t| done.extend(t.join().unwrap_or_default()));
        done
    })
}

/// Runs one kind with its own list of problems.
pub(crate) fn collect<T>(work: impl FnOnce(&mut Vec<Problem>) -> T) -> (T, Vec<Problem>) {
    let mut problems = Vec::new();
    let value = work(&mut problems);
    (value, problems)
}

/// The middle of a path.
fn within<'a>(path: &'a str, start: &str, end: &str) -> Option<&'a str> {
    path.strip_prefix(start)?.strip_suffix(end)
}

pub(crate) fn parse(files: &Files, problems: &mut Vec<Problem>) -> Read {
    let mut list: Vec<(&str, &Arc<[u8]>)> = files.iter().filter(|(p, _)| !p.ends_with(".csv")).collect();
    // Long files first, so that no thread is left with one at the end.
    list.sort_by_key(|(_, bytes)| std::cmp::Reverse(bytes.len()));
    let parsed = spread(&list, |(path, bytes)| ((*path).to_owned(), source::read(path, bytes)));
    let mut nodes = BTreeMap::new();
    for (path, result) in parsed {
        match result {
            Ok(node) => {
                nodes.insert(path, Arc::new(node));
            }
            Err(found) => problems.extend(found),
        }
    }
    Read::of(nodes)
}

fn masters(files: &Files, problems: &mut Vec<Problem>) -> Masters {
    let mut masters = Masters::default();
    for (path, bytes) in files.iter() {
        let Some(name) = within(path, "workflows/master/", ".csv").filter(|n| !n.contains('/')) else { continue };
        let note_path = format!("workflows/master/{name}.yaml");
        // A broken note is reported when all files are read.
        let note = files.get(&note_path).and_then(|b| source::read(&note_path, b).ok());
        masters.insert(Arc::new(Master::new(name, path, Arc::clone(bytes), note.as_ref(), problems)));
    }
    masters
}

fn messages(
    nodes: &Nodes,
    spoken: &Spoken<'_>,
    live: &Live<'_>,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Arc<Message>> {
    let mut messages = BTreeMap::new();
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    let mut registered: BTreeMap<String, String> = BTreeMap::new();
    for (path, node) in nodes {
        let Some(FileKind::Message(id)) = kind_of(path) else { continue };
        if let Some(other) = seen.insert(id.clone(), path) {
            let message = format!("{other} is called `{id}` too: messages are known by their name alone");
            problems.push(Problem::error("duplicate-id", &node.span, message));
        }
        let others = spoken.iter().filter_map(|(language, parts)| Some((language.as_str(), &**parts.nodes.get(path)?)));
        let differs = |other: &Node| !std::ptr::eq(other, &**node) && other.to_json() != node.to_json();
        let others: Vec<(&str, &Node)> = others.filter(|(_, other)| differs(other)).collect();
        if let Some(message) = Message::compile(&id, node, &others, live, problems) {
            // The regulator gives each text a number of its own.
            let other = message.template_id.clone().and_then(|template| registered.insert(template, id.clone()));
            if let (Some(other), Some(at)) = (other, node.get("template_id")) {
                let said = format!("the message `{other}` has this template");
                problems.push(Problem::error("duplicate-id", &at.span, said));
            }
            messages.insert(id, Arc::new(message));
        }
    }
    messages
}

/// The site in each of its languages.
fn sites(parts: &Parts<'_>, spoken: &Spoken<'_>, problems: &mut Vec<Problem>) -> BTreeMap<String, Site> {
    let mut sites = BTreeMap::from([(ENGLISH.to_owned(), site(parts.nodes, problems))]);
    for (language, parts) in spoken {
        let (site, found) = collect(|problems| site(parts.nodes, problems));
        sites.insert(language.clone(), site);
        problems.extend(found.into_iter().filter(of_translation));
    }
    sites
}

fn site(nodes: &Nodes, problems: &mut Vec<Problem>) -> Site {
    let mut site = Site::default();
    let files: Vec<&Node> =
        nodes.iter().filter(|(p, _)| kind_of(p) == Some(FileKind::Site)).map(|(_, node)| &**node).collect();
    files.iter().for_each(|node| site.read(node, problems));
    site.resolve_company_texts(&files, problems);
    let mut values = LineValues::new(nodes);
    for (path, node) in nodes.iter().filter(|(p, _)| kind_of(p) == Some(FileKind::Page)) {
        site.add_page(path, &values.bound(node, problems), problems);
    }
    site
}

/// Endpoints by path, then by method.
fn endpoints(nodes: &Nodes, problems: &mut Vec<Problem>) -> Endpoints {
    let mut all = Endpoints::new();
    let mut values = LineValues::new(nodes);
    for (path, node) in nodes {
        let Some(FileKind::Endpoint(id)) = kind_of(path) else { continue };
        let Some(endpoint) = Endpoint::compile(&id, &values.bound(node, problems), problems) else { continue };
        let of_path = all.entry(endpoint.path.clone()).or_default();
        if let Some(other) = of_path.insert(endpoint.method, Arc::new(endpoint)) {
            let message = format!("{} {} is already `{}`", other.method, other.path, other.id);
            problems.push(Problem::error("duplicate-id", &node.span, message));
        }
    }
    let open: Vec<&Arc<Endpoint>> =
        all.values().flat_map(BTreeMap::values).filter(|endpoint| !endpoint.address.is_fixed()).collect();
    for (place, one) in open.iter().enumerate() {
        let same = |other: &&&Arc<Endpoint>| other.method == one.method && other.address.meets(&one.address);
        for other in open.iter().skip(place + 1).filter(same) {
            let message = format!("an address fits both {} {} and {}", one.method, one.path, other.path);
            problems.push(Problem::error("duplicate-id", &other.span, message));
        }
    }
    all
}

fn stories(nodes: &Nodes, problems: &mut Vec<Problem>) -> BTreeMap<String, Vec<Arc<Story>>> {
    let mut stories: BTreeMap<String, Vec<Arc<Story>>> = BTreeMap::new();
    for (path, node) in nodes {
        if let Some(FileKind::Story(flow)) = kind_of(path)
            && let Some(story) = Story::compile(path, &flow, node, problems)
        {
            stories.entry(story.workflow.clone()).or_default().push(Arc::new(story));
        }
    }
    stories
}

/// Tables and reference data that forms and views name.
fn names(library: &Library<'_>, policy: &Policy, problems: &mut Vec<Problem>) {
    let of_forms = library.forms.values().flat_map(|form| form.roles());
    let of_views = library.views.values().flat_map(|view| view.roles());
    let of_variants = library.views.values().flat_map(|view| view.variants()).flat_map(|variant| &variant.roles_at);
    of_forms.chain(of_variants).for_each(|role| policy.knows(role, problems));
    of_views.for_each(|role| policy.knows_sender(role, problems));
    let forms = library.forms.values().flat_map(|f| f.expressions());
    let views = library.views.values().flat_map(|v| v.expressions());
    for expression in forms.map(|(expression, _)| expression).chain(views) {
        library.references().check(expression, problems);
    }
    library.forms.values().for_each(|form| library.references().check_columns(form.columns(), problems));
    library.views.values().for_each(|view| library.references().check_columns(view.columns(), problems));
}

/// Partners, channels, languages and experiments that variants are for.
fn audiences(
    library: &Library<'_>,
    workflows: &BTreeMap<String, Arc<Workflow>>,
    site: &Site,
    problems: &mut Vec<Problem>,
) {
    let of_forms = library.forms.values().flat_map(|form| &form.variants);
    let of_views = library.views.values().flat_map(|view| view.variants());
    let of_workflows = workflows.values().flat_map(|workflow| workflow.variants());
    for (kind, at) in of_forms.chain(of_views).chain(of_workflows).flat_map(|variant| &variant.named_at) {
        let known = match *kind {
            "language" => std::iter::once(ENGLISH.to_owned()).chain(library.languages.iter().cloned()).collect(),
            kind => site.channels.audiences(kind),
        };
        let name = at.as_str().unwrap_or_default();
        if !known.iter().any(|one| one == name) {
            let known = known.iter().map(String::as_str);
            problems.push(Problem { code: "audience", ..unknown(kind, at, name, known) });
        }
    }
}

/// Who sends an event has a role that is there, and nobody agrees to anything for a customer.
fn who_acts(workflow: &Workflow, policy: &Policy, problems: &mut Vec<Problem>) {
    workflow.variants().flat_map(|variant| &variant.roles_at).for_each(|role| policy.knows(role, problems));
    for step in workflow.steps() {
        step.accepts.values().flat_map(|accept| &accept.by_at).for_each(|by| policy.knows_sender(by, problems));
        let form = step.form.as_deref().filter(|_| step.only.is_none()).and_then(|form| workflow.form(form));
        if let Some(field) = form.and_then(|form| form.needed_consent()) {
            let message = format!("`{field}` has to be agreed to, which nobody does for a customer");
            problems.push(Problem::error("agreement", &step.span, message).hint("only: verified"));
        }
    }
}

/// Every event that a workflow takes.
fn events(workflows: &BTreeMap<String, Arc<Workflow>>) -> BTreeSet<&str> {
    let machines = workflows.values().map(|workflow| &workflow.machine);
    machines.flat_map(|machine| machine.nodes().flat_map(|node| machine.events_of(node.id))).collect()
}

fn workflow_ids(nodes: &Nodes) -> impl Iterator<Item = String> {
    nodes.keys().filter_map(|path| match kind_of(path) {
        Some(FileKind::Flow(id)) => Some(id),
        _ => None,
    })
}

fn workflows(
    ids: &[String],
    library: &Library<'_>,
    spoken: &Spoken<'_>,
    problems: &mut Vec<Problem>,
) -> BTreeMap<String, Arc<Workflow>> {
    let done = spread(ids, |id| {
        collect(|problems| Some((id.clone(), Arc::new(in_languages(id, library, spoken, problems)?))))
    });
    let mut workflows = BTreeMap::new();
    for (list, found) in done {
        workflows.extend(list);
        problems.extend(found);
    }
    workflows
}

/// What stories name, where the workflow itself is sound.
fn check_stories(
    workflows: &BTreeMap<String, Arc<Workflow>>,
    policy: &Policy,
    nodes: &Nodes,
    problems: &mut Vec<Problem>,
) {
    let roles: Vec<&str> = policy.roles().map(|(name, _)| name).collect();
    for (path, node) in nodes {
        if let Some(FileKind::Story(flow)) = kind_of(path)
            && let Some(workflow) = workflows.get(&flow)
        {
            story::check(node, workflow, &roles, problems);
        }
    }
}

fn unique_bases(workflows: &BTreeMap<String, Arc<Workflow>>, nodes: &Nodes, problems: &mut Vec<Problem>) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (id, workflow) in workflows {
        if let Some(other) = seen.insert(&workflow.base, id) {
            let node = nodes.get(&layout::flow_file(id));
            let span = node.map_or_else(Span::unknown, |n| n.get("base").unwrap_or(n).span.clone());
            problems.push(Problem::error(
                "duplicate-id",
                &span,
                format!("`{}` is also the base of `{other}`", workflow.base),
            ));
        }
    }
}

/// Refuses files at a flow's first step: before there is a journey none could belong to it.
fn no_first_files(workflows: &BTreeMap<String, Arc<Workflow>>, problems: &mut Vec<Problem>) {
    for workflow in workflows.values() {
        for step in workflow.steps().filter(|step| step.path.as_deref() == Some("")) {
            let form = step.form.as_deref().and_then(|form| workflow.form(form));
            if form.is_some_and(|form| !form.upload_kinds().is_empty()) {
                let message = "the first step has no files: there is no journey yet that they could belong to";
                problems.push(Problem::error("uploads", &step.span, message));
            }
        }
    }
}

/// Every example of an operation goes through both of its mappings, and its fake partner plays it.
fn examples(catalog: &Catalog, problems: &mut Vec<Problem>) {
    let now = crate::values::Now::at(SAMPLE_MS, crate::values::ZONE);
    let keys = crate::partner::ExampleHost;
    let host = catalog.host(&now, Some(&keys));
    let (rehearsed_at, memory) = (crate::values::Now::at(REHEARSAL_MS, crate::values::ZONE), RehearsalHost::default());
    let script = ProductHost { extra: Some(&memory), ..catalog.sandbox_host(&rehearsed_at) };
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for partner in catalog.partners.values() {
        for operation in partner.operations.values().filter(|o| done.insert(&o.path)) {
            for example in &operation.examples {
                if let Some(name) = &example.partner {
                    let fake = catalog.partners.get(name).and_then(|fake| Some((fake, fake.operation(&operation.id)?)));
                    let wrong = match fake {
                        Some((fake, operation)) => operation.rehearse(fake, example, (&script, &memory), &host),
                        None => Some(format!("`{name}` has no such operation")),
                    };
                    let said = |wrong| format!("example `{}`: in the sandbox of `{name}`, {wrong}", example.name);
                    problems.extend(wrong.map(|wrong| Problem::error("example", &example.span, said(wrong))));
                }
                if let Err(message) = operation.try_example(partner, example, &host) {
                    let message = format!("example `{}`: {message}", example.name);
                    problems.push(Problem::error("example", &example.span, message));
                }
            }
        }
    }
}
