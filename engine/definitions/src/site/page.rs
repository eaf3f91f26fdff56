//! Pages of blocks: one address, or one for each row of a table.

use super::listing::{Listing, Rules};
use crate::account::AccountParts;
use crate::endpoint::{self, Who};
use crate::fields::MapReader;
use crate::form::{FieldError, Form};
use crate::frozen::Frozen;
use crate::host::shared_vocabulary;
use crate::policy::Roles;
use crate::prose;
use crate::records::{Records, RecordsAsked};
use crate::shape::{Misfit, Shape};
use crate::source::{Node, Value as Source};
use crate::text::Text;
use crate::variants::Audience;
use crate::view::View;
use engine_statechart::expression::{Expression, Scope};
use engine_statechart::source::{Span, digest_of};
use engine_statechart::{EvalError, Host, Problem};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

const KEYS: [&str; 28] = [
    "path",
    "query",
    "records",
    "calculates",
    "line",
    "instead",
    "also",
    "speaks",
    "who",
    "roles",
    "asks",
    "submit",
    "on",
    "each",
    "as",
    "takes",
    "title",
    "description",
    "hide",
    "noindex",
    "canonical",
    "kind",
    "changed",
    "published",
    "about",
    "paper",
    "blocks",
    "intro",
];

/// The end of the address at which a page is a paper.
pub const PAPER_ENDING: &str = ".pdf";

/// Pages that stand where another one cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Special {
    /// An address that is not there; `data.base`, `data.title` are of a page of its name at another place, else `/` and
    /// empty.
    NotFound,
    /// A fault of ours.
    Failed,
    /// A service with too much to do, or in an outage.
    Unavailable,
    /// A journey that is not there, or not of this visitor; `data.base`, `data.title` are of its flow.
    Gone,
    /// A journey that nobody went on with; `data.base`, `data.title` are of its flow.
    Expired,
    /// A later step without its journey; `data.base`, `data.title` are of its flow.
    Without,
    /// A page of somebody who is not signed in.
    Login,
    /// A page of somebody who is not signed in, and has shown a number whose account is closed.
    Claimed,
    /// A link of a message before it is followed; `data.title` is of the journey's flow.
    Link,
    /// A link of a message that is unknown, over, or leads nowhere any more.
    LinkOver,
    /// A session before it goes along to another host.
    Pass,
    /// A code for that which is over; `data.base` is the page that was asked for.
    PassOver,
    /// Behind the code of a paper: `data.record` is what stands on its customer's account, without what is personal.
    Proof,
}

impl Special {
    /// Whether its one button posts to the address of the page itself.
    pub fn asks(self) -> bool {
        matches!(self, Special::Expired | Special::Link | Special::Pass)
    }
}

pub(crate) const SPECIALS: [(&str, Special); 13] = [
    ("not_found", Special::NotFound),
    ("failed", Special::Failed),
    ("unavailable", Special::Unavailable),
    ("gone", Special::Gone),
    ("expired", Special::Expired),
    ("without", Special::Without),
    ("login", Special::Login),
    ("claimed", Special::Claimed),
    ("link", Special::Link),
    ("link_over", Special::LinkOver),
    ("pass", Special::Pass),
    ("pass_over", Special::PassOver),
    ("proof", Special::Proof),
];

#[derive(Debug)]
pub struct Page {
    /// Address of the page, or a pattern: `/parcels/{slug}`. Empty for a page instead of another.
    pub path: String,
    /// Further addresses, answered like the first.
    pub also: Vec<String>,
    /// Addresses at which the page is always in one language: language → address. `None`: below the site's folders of
    /// languages.
    speaks: Option<BTreeMap<String, String>>,
    pub special: Option<Special>,
    /// Parts of the frame that are left out.
    pub hide: Vec<String>,
    /// Who may see it; a person's page reads `data.account`.
    pub who: Who,
    /// Roles of those who are signed in that alone may see it.
    pub roles: Roles,
    /// A form below its blocks.
    pub asks: Option<Asks>,
    /// What the button of a page says that asks before something is done.
    submit: Option<Text>,
    /// Events of its buttons, and the endpoint that each calls.
    pub on: BTreeMap<String, String>,
    /// Endpoints that it calls, and where it says so.
    pub(crate) calls: Vec<(String, Span)>,
    /// Whether search engines shall keep none of its addresses.
    is_hidden: bool,
    listing: Rules,
    /// Whether the page is a paper too, at its address with [`PAPER_ENDING`].
    pub paper: bool,
    pub view: View,
    /// Parameters of its address: `data.query`; others are passed over.
    query: Shape,
    /// Records of the person, as `data.records`.
    records: Option<Records>,
    /// The form whose answers its address has, as `data.query`: its block `calculator` works out what follows.
    pub calculates: Option<(String, Span)>,
    /// What it reads of `data.account`.
    pub account: AccountParts,
    description: Option<Text>,
    /// The rows, and the name of one in `data`.
    each: Option<(Expression, String)>,
    /// What anybody may put in the place of its address: its name in `data`, and what it is made of.
    takes: Option<Taken>,
    /// Places of the addresses that the page names literally.
    pub(super) links: BTreeMap<String, Span>,
    /// The journey that stands in it.
    pub(super) journey: Option<Embedded>,
    pub(super) span: Span,
    /// Which pages say the same, with overwhelming likelihood.
    pub(super) digest: u64,
}

/// A journey that stands in a page.
#[derive(Debug)]
pub(super) struct Embedded {
    /// The workflow, `{column}` being a cell of the page's row.
    named: String,
    pub at: Node,
}

/// A word of an address that is no row of anything: letters, digits and hyphens, and no more than these. One of them is
/// a digit: a mere word is no number of anything, but an address that is not there.
#[derive(Debug)]
struct Taken {
    name: String,
    max: usize,
}

impl Taken {
    fn fits(&self, word: &str) -> bool {
        let is_made_of = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        word.len() <= self.max && word.bytes().all(is_made_of) && word.bytes().any(|byte| byte.is_ascii_digit())
    }
}

/// A form of a person's page: it begins with what is known of the person, an endpoint takes it.
#[derive(Debug)]
pub struct Asks {
    pub form: String,
    /// Path of the endpoint.
    pub to: String,
    /// Text of the form's button.
    pub submit: String,
    pub(super) span: Span,
}

/// One address of a page.
#[derive(Clone, Debug)]
pub struct Address {
    pub page: Arc<Page>,
    /// The address that search engines shall know.
    pub path: String,
    pub listing: Listing,
    /// Addresses at which it is always in one language.
    pub speaks: Vec<(String, String)>,
    pub(super) row: Row,
}

/// Row of an address, under its name, as JSON: there are tens of thousands, and few are looked at before they change.
#[derive(Clone, Debug, Hash)]
pub(super) struct Row(Arc<str>);

impl Row {
    pub fn read(&self) -> Map<String, Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

/// Rows of all languages: those that read alike take the room of one.
#[derive(Default)]
pub(crate) struct Rows(Mutex<HashSet<Arc<str>>>);

impl Rows {
    fn keep(&self, row: &Map<String, Value>) -> Row {
        let text = serde_json::to_string(row).unwrap_or_default();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(text.as_str()) {
            return Row(Arc::clone(known));
        }
        let text: Arc<str> = text.into();
        all.insert(Arc::clone(&text));
        Row(text)
    }
}

/// What the address of a page that calculates says.
pub struct Calculated {
    pub schema: Frozen,
    /// Answers that fit, the form's own where none do.
    pub data: Value,
    /// What stands in the fields.
    pub shown: Value,
    pub errors: Vec<FieldError>,
}

/// A page as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendered {
    pub title: String,
    /// What the button says that posts to the page's own address; empty: nothing was said.
    pub submit: String,
    pub description: String,
    pub blocks: Vec<Value>,
    /// What was left out of the blocks because it is of another kind than its key takes.
    pub misfits: Vec<Misfit>,
}

impl Page {
    pub(super) fn read(file: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<Page> {
        let mut fields = MapReader::open(node, "a page", &KEYS, problems)?;
        let words = SPECIALS.map(|(word, _)| word);
        let special = fields.word("instead", &words);
        let special = special.and_then(|word| SPECIALS.iter().find(|(known, _)| *known == word)).map(|(_, of)| *of);
        let path = match special {
            Some(_) => String::new(),
            None => fields.need_text("path"),
        };
        let is_given = fields.get("speaks").is_some();
        let speaks = fields.entries("speaks").iter();
        let speaks = speaks.filter_map(|(key, to)| Some((key.name.clone(), to.as_str()?.to_owned())));
        let speaks: Option<BTreeMap<String, String>> = is_given.then(|| speaks.collect());
        let mut also = fields.texts("also");
        also.extend(speaks.iter().flat_map(BTreeMap::values).cloned());
        if special.is_none() {
            for one in std::iter::once(&path).chain(&also).filter(|one| !one.starts_with('/')) {
                fields.problems.push(Problem::error("value", &node.span, format!("`{one}` does not start with `/`")));
            }
        }
        fields.need("title");
        let who = Who::read(&mut fields, &[Who::Anyone, Who::Person]);
        let own = special.is_some() || who != Who::Anyone;
        let asks = fields.get("asks").and_then(|asks| Asks::read(asks, fields.problems));
        let on = fields.entries("on").iter().filter_map(|(key, to)| Some((key.name.clone(), to.as_str()?, &to.span)));
        let on: Vec<(String, &str, &Span)> = on.collect();
        let calls = on.iter().map(|(_, to, span)| ((*to).to_owned(), (*span).clone()));
        let calls = calls.chain(asks.iter().map(|asks| (asks.to.clone(), asks.span.clone()))).collect();
        let on: BTreeMap<String, String> = on.into_iter().map(|(event, to, _)| (event, to.to_owned())).collect();
        let knows_who = who == Who::Person || special == Some(Special::Claimed);
        if (asks.is_some() || !on.is_empty()) && !knows_who {
            let message = "`asks` and `on` are of `who: person` and `instead: claimed`";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let submit = fields.get("submit").and_then(|text| Text::from_node(text, fields.problems));
        if submit.is_some() && !special.is_some_and(Special::asks) {
            let message = "`submit` is the button of `instead: expired`, `link` and `pass`";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let query = fields.get("query").map_or_else(Shape::empty, |query| Shape::read(query, fields.problems));
        let records = fields.get("records");
        let records =
            records.and_then(|records| Records::read(records, shared_vocabulary(), &["data"], fields.problems));
        if let Some(at) = fields.get("records").filter(|_| who != Who::Person) {
            fields.problems.push(Problem::error("value", &at.span, "`records` are of `who: person`"));
        }
        let calculates = fields.text("calculates").zip(fields.get("calculates").map(|at| at.span.clone()));
        if let Some((_, at)) = calculates.as_ref().filter(|_| own) {
            let message = "`calculates` is of pages that are everybody's";
            fields.problems.push(Problem::error("value", at, message));
        }
        let roles = Roles::read(node, fields.problems);
        let (hide, is_hidden) = (fields.texts("hide"), own || fields.get("takes").is_some());
        let listing = Rules::read(&mut fields);
        let paper = fields.bool("paper");
        if let Some(at) = fields.get("paper").filter(|_| own) {
            let message = "`paper` is of pages that are everybody's";
            fields.problems.push(Problem::error("value", &at.span, message));
        }
        for name in hide.iter().filter(|name| !super::around::PARTS.contains(&name.as_str())) {
            let at = fields.get("hide").unwrap_or(node);
            fields.problems.push(crate::fields::unknown("part of a page", at, name, super::around::PARTS));
        }
        let description = fields.get("description").and_then(|text| Text::from_node(text, fields.problems));
        let name = fields.text("as").unwrap_or_else(|| "item".into());
        let each = fields.get("each").and_then(|each| {
            let read = crate::expressions::expression(each, shared_vocabulary(), &[], fields.problems)?;
            Some((read, name))
        });
        let takes = fields.get("takes").and_then(|takes| Taken::read(takes, &path, &also, fields.problems));
        if (each.is_some() || takes.is_some()) != path.contains('{') || each.is_some() && takes.is_some() {
            let message = "`each` makes one page per row, and `{column}` in `path` is what differs: both or none";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        let view = View::of(if path.is_empty() { file } else { &path }, file, node, shared_vocabulary(), problems)?;
        for (event, at) in view.named("event").filter(|(event, _)| !on.contains_key(*event)) {
            problems.push(crate::fields::unknown("event of the page", at, event, on.keys().map(String::as_str)));
        }
        for at in roles.at().chain(view.roles()).filter(|_| who != Who::Person) {
            let problem =
                Problem::error("value", &at.span, "`roles` are of `who: person`: other pages are everybody's");
            problems.push(problem);
        }
        let mut links = BTreeMap::new();
        named(node, &mut links);
        let journey = Embedded::read(node, problems);
        Some(Page {
            path,
            also,
            speaks,
            special,
            hide,
            who,
            roles,
            asks,
            submit,
            on,
            calls,
            is_hidden,
            listing,
            paper,
            account: AccountParts::of(view.expressions(), "data", &["account"]),
            query,
            records,
            calculates,
            view,
            description,
            each,
            takes,
            links,
            journey,
            span: node.span.clone(),
            digest: digest_of(node),
        })
    }

    /// What kind of page it is, one of [`super::PAGE_KINDS`].
    pub fn kind(&self) -> &'static str {
        self.listing.kind
    }

    /// Addresses of the page with their rows; `site` is what all pages read, `folders` where pages stand that search
    /// engines may keep, in further languages.
    pub(super) fn addresses(
        self: &Arc<Self>,
        (site, host): (&Value, &dyn Host),
        folders: &BTreeMap<String, String>,
        rows: &Rows,
        problems: &mut Vec<Problem>,
    ) -> Vec<(String, Arc<Address>)> {
        let mut all = Vec::new();
        let mut failed = Vec::new();
        let mut add = |row: Map<String, Value>, of: &Value| -> Result<(), String> {
            let path = fill(&self.path, of)?;
            let speaks = self.speaks.iter().flatten().map(|(language, one)| Ok((language.clone(), fill(one, of)?)));
            let speaks: Vec<(String, String)> = speaks.collect::<Result<_, String>>()?;
            let mut listing = self.searched(site, &row, host).unwrap_or_else(|error| {
                failed.push(Problem::error("evaluation", &error.span, error.message));
                Listing::default()
            });
            listing.noindex |= self.is_hidden;
            let mut address =
                Address { page: Arc::clone(self), path: path.clone(), listing, speaks, row: rows.keep(&row) };
            let mut below = Vec::new();
            if self.speaks.is_none() && address.is_kept() {
                below.extend(folders.iter().map(|(language, at)| (language.clone(), within(at, &path))));
                address.speaks.clone_from(&below);
            }
            let address = Arc::new(address);
            all.extend(below.into_iter().map(|(_, at)| (at, address.clone())));
            for one in &self.also {
                all.push((fill(one, of)?, address.clone()));
            }
            if self.paper {
                all.push((format!("{path}{PAPER_ENDING}"), address.clone()));
            }
            all.push((path, address));
            Ok(())
        };
        let Some((each, name)) = &self.each else {
            if self.takes.is_some() {
                return all;
            }
            if let Err(message) = add(Map::new(), &Value::Null) {
                problems.push(Problem::error("value", &self.span, message));
            }
            problems.append(&mut failed);
            return all;
        };
        let scope = Scope::new().with_host(host);
        match each.eval(&scope) {
            Ok(Value::Array(found)) => {
                for (at, row) in found.iter().enumerate() {
                    if let Err(message) = add(Map::from_iter([(name.clone(), row.clone())]), row) {
                        let message = format!("row {}: {message}", at + 1);
                        problems.push(Problem::error("page-row", each.span(), message));
                    }
                }
            }
            Ok(_) => problems.push(Problem::error("page-row", each.span(), "`each` of a page is a list of rows")),
            Err(error) => problems.push(Problem::error("evaluation", &error.span, error.message)),
        }
        problems.append(&mut failed);
        all
    }

    fn searched(&self, site: &Value, row: &Map<String, Value>, host: &dyn Host) -> Result<Listing, EvalError> {
        let mut data = if self.listing.reads_rows() { site.clone() } else { Value::Null };
        if let Value::Object(data) = &mut data {
            data.extend(row.clone());
        }
        self.listing.of(&data, host)
    }

    /// Address of the page with a word that anybody may have put there.
    pub(super) fn open_address(self: &Arc<Self>, path: &str) -> Option<Address> {
        let takes = self.takes.as_ref()?;
        let word = std::iter::once(&self.path).chain(&self.also).find_map(|pattern| {
            let (before, after) = pattern.split_once('{')?;
            path.strip_prefix(before).filter(|word| after == format!("{}}}", takes.name) && takes.fits(word))
        })?;
        let row = Rows::default().keep(&Map::from_iter([(takes.name.clone(), json!(word))]));
        let listing = Listing { noindex: true, ..Listing::default() };
        Some(Address { page: Arc::clone(self), path: path.to_owned(), listing, speaks: Vec::new(), row })
    }

    /// The workflow of the journey that stands in it at the address of a row, and where it is named. A name that cannot
    /// be made is told when the page is drawn.
    pub(super) fn journey_of(&self, row: &Map<String, Value>) -> Option<(String, &Node)> {
        let journey = self.journey.as_ref()?;
        let row = self.each.as_ref().and_then(|(_, name)| row.get(name)).unwrap_or(&Value::Null);
        Some((journey.workflow(row).ok()?, &journey.at))
    }

    /// Whether it says more than a title and a description.
    pub fn has_blocks(&self) -> bool {
        self.view.has_blocks()
    }

    /// An address of a page that takes any word, for the check.
    pub(super) fn sample(self: &Arc<Self>) -> Option<Address> {
        let takes = self.takes.as_ref()?;
        self.open_address(&self.path.replace(&format!("{{{}}}", takes.name), "sample-1"))
    }

    /// The page as it is drawn with this data besides the site's. An error says which expression failed.
    pub fn render(&self, data: Value, more: Map<String, Value>, host: &dyn Host) -> Rendering {
        self.part(data, more, (host, &[]), &self.path, 1)
    }

    /// The `number`th part of its paged list, for who has these roles. `None`: there is no such part.
    fn part(
        &self,
        mut data: Value,
        more: Map<String, Value>,
        (host, roles): (&dyn Host, &[String]),
        path: &str,
        number: usize,
    ) -> Rendering {
        if let Value::Object(data) = &mut data {
            data.extend(more);
        }
        let said = |text: &Option<Text>, key: &str| match text {
            Some(text) => text.render_with(|name| data.get(name)).map_err(|message| EvalError {
                message,
                span: self.span.clone(),
                expression: key.to_owned(),
            }),
            None => Ok(String::new()),
        };
        let (description, submit) = (said(&self.description, "description")?, said(&self.submit, "submit")?);
        let (mut rendered, misfits) = self.view.render(&data, roles, &Scope::new().with_host(host))?;
        let title = rendered.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
        let Some(Value::Array(mut blocks)) = rendered.get_mut("blocks").map(Value::take) else {
            return Ok((number == 1).then(|| Rendered { title, submit, description, blocks: Vec::new(), misfits }));
        };
        if let Some(journey) = &self.journey {
            let row = self.each.as_ref().and_then(|(_, name)| data.get(name)).unwrap_or(&Value::Null);
            let workflow = journey.workflow(row)?;
            let of_journey = blocks.iter_mut().filter(|block| block["block"] == "journey");
            of_journey.for_each(|block| block["workflow"] = workflow.as_str().into());
        }
        let there = paged(&mut blocks, number, path);
        Ok(there.then_some(Rendered { title, submit, description, blocks, misfits }))
    }

    /// What an address of this page asks for, as `data.query`.
    pub fn parse_query<'q>(&self, query: impl Iterator<Item = (&'q str, &'q str)>) -> Result<Value, Misfit> {
        endpoint::parse_query(&self.query, query)
    }

    /// What an address says to its form: `given` reads it by the form's schema.
    pub fn calculate(
        &self,
        form: &Form,
        given: impl FnOnce(&Value) -> Map<String, Value>,
        host: &dyn Host,
    ) -> Result<Calculated, EvalError> {
        let context = json!({});
        let scope = Scope::new().with("context", &context).with_host(host);
        let fields = form.fields(&Audience::default(), &scope)?;
        let answers = |given: &Map<String, Value>| -> Result<(Value, Vec<FieldError>), EvalError> {
            let mut data = Value::Object(fields.data(&[given]));
            let errors = form.check_known(&fields, &mut data)?;
            Ok((data, errors))
        };
        let given = &given(&fields.view().schema);
        let (mut data, errors) = answers(given)?;
        if !errors.is_empty() {
            // what is wrong counts as if it were not said
            let wrong = |name: &String| errors.iter().any(|error| error.pointer.trim_start_matches('/') == name);
            let rest = given.iter().filter(|(name, _)| !wrong(name));
            data = answers(&rest.map(|(name, value)| (name.clone(), value.clone())).collect())?.0;
        }
        let shown = if errors.is_empty() { data.clone() } else { Value::Object(fields.data(&[given])) };
        Ok(Calculated { schema: fields.view().schema, data, shown, errors })
    }

    /// The records that it lists for this query, if it lists any.
    pub fn records(&self, query: &Value, host: &dyn Host) -> Result<Option<RecordsAsked>, EvalError> {
        let Some(records) = &self.records else { return Ok(None) };
        records.evaluate(&Scope::new().with("data", &json!({"query": query})).with_host(host)).map(Some)
    }

    /// Every role that it names.
    pub(super) fn named_roles(&self) -> Vec<String> {
        self.roles.at().chain(self.view.roles()).filter_map(Node::as_str).map(str::to_owned).collect()
    }

    /// Place at which it says which address stands for one of its own.
    pub(super) fn canonical_at(&self) -> &Span {
        self.listing.canonical_at().unwrap_or(&self.span)
    }

    /// Where it stands.
    pub(crate) fn place(&self) -> &Span {
        &self.span
    }

    /// Place at which this page names an address, or else the row that it draws: `written`.
    pub(super) fn place_of<'a>(&'a self, address: &str, written: &'a BTreeMap<String, Span>) -> &'a Span {
        self.links.get(address).or_else(|| written.get(address)).unwrap_or(&self.span)
    }
}

impl Taken {
    fn read(node: &Node, path: &str, also: &[String], problems: &mut Vec<Problem>) -> Option<Taken> {
        let mut fields = MapReader::open(node, "what an address takes", &["name", "max"], problems)?;
        let (name, max) = (fields.need_text("name"), fields.int("max").unwrap_or(40).clamp(1, 200) as usize);
        let end = format!("/{{{name}}}");
        for one in std::iter::once(path).chain(also.iter().map(String::as_str)).filter(|one| !one.ends_with(&end)) {
            let message = format!("`{one}` does not end in `{end}`");
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        Some(Taken { name, max })
    }
}

/// The address of a page in a folder.
fn within(folder: &str, path: &str) -> String {
    if path == "/" { folder.to_owned() } else { format!("{folder}{path}") }
}

impl Asks {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Asks> {
        let mut fields = MapReader::open(node, "a form of a page", &["form", "to", "submit"], problems)?;
        let (form, to, submit) = (fields.need_text("form"), fields.need_text("to"), fields.need_text("submit"));
        Some(Asks { form, to, submit, span: node.span.clone() })
    }
}

pub type Rendering = Result<Option<Rendered>, EvalError>;

impl Address {
    /// Whether it stands there as it stands at its own address, but for the language.
    pub fn is_in_folder(&self, path: &str) -> bool {
        self.page.speaks.is_none() && self.language(path).is_some()
    }

    /// Its address in this language.
    pub fn spoken(&self, language: &str) -> &str {
        self.speaks.iter().find(|(one, _)| one == language).map_or(&self.path, |(_, at)| at)
    }

    /// Language in which the page always is at this one of its addresses.
    pub fn language(&self, path: &str) -> Option<&str> {
        self.speaks.iter().find(|(_, at)| at == path).map(|(language, _)| language.as_str())
    }

    /// The address that search engines know for it, where one of a language was asked for that of the language.
    pub fn canonical(&self, spoken: Option<&str>) -> &str {
        match (spoken.map_or(&*self.path, |language| self.spoken(language)), self.listing.canonical.as_str()) {
            (own, "") => own,
            (own, _) if own != self.path => own,
            (_, canonical) => canonical,
        }
    }

    /// Whether its row says that it is a sample.
    pub(crate) fn is_sample(&self) -> bool {
        self.row.read().values().any(|row| row["sample"] == true)
    }

    /// Whether search engines may keep it, under its own address.
    pub fn is_kept(&self) -> bool {
        !self.listing.noindex && (self.listing.canonical.is_empty() || self.listing.canonical == self.path)
    }

    /// The workflow of the journey that stands in it, and where it is named.
    pub(super) fn journey(&self) -> Option<(String, &Node)> {
        self.page.journey.as_ref()?;
        self.page.journey_of(&self.row.read())
    }

    /// The page with the row of this address; of a paged list its `number`th part, `None` when there is none.
    pub fn render(&self, data: Value, host: &dyn Host, number: usize) -> Rendering {
        self.page.part(data, self.row.read(), (host, &[]), &self.path, number)
    }

    /// The page as somebody who is signed in with these roles sees it: `own` has what is theirs, `{account, query,
    /// records}`.
    pub fn render_for(&self, data: Value, own: Map<String, Value>, roles: &[String], host: &dyn Host) -> Rendering {
        let more = self.row.read().into_iter().chain(own).collect();
        self.page.part(data, more, (host, roles), &self.path, 1)
    }
}

impl Embedded {
    /// Reads the journey of a page's blocks: one at most, so that no two fields have one id.
    fn read(page: &Node, problems: &mut Vec<Problem>) -> Option<Embedded> {
        let is_journey = |block: &&Node| block.get("block").and_then(Node::as_str) == Some("journey");
        let mut all = page.get("blocks").map_or(&[][..], Node::list).iter().filter(is_journey);
        let block = all.next()?;
        let mut told = |at: &Node, message: &str| problems.push(Problem::error("value", &at.span, message));
        for other in all {
            told(other, "a page holds one journey, and there is one already");
        }
        let is_name = |hash: &str| !hash.is_empty() && hash.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let by_itself = ["after_ms", "idle_ms"].map(|key| block.get(key));
        match block.get("hash") {
            Some(hash) if !hash.as_str().is_some_and(is_name) => told(hash, "a hash is letters, digits and hyphens"),
            None if by_itself.iter().any(Option::is_some) => told(block, "what opens by itself needs a `hash`"),
            _ => {}
        }
        if let [Some(_), Some(idle)] = by_itself {
            told(idle, "it opens after a time or after idling: `after_ms` or `idle_ms`");
        }
        let workflow = block.get("workflow")?;
        Some(Embedded { named: workflow.as_str()?.to_owned(), at: workflow.clone() })
    }

    /// The workflow at the address of a row.
    pub fn workflow(&self, row: &Value) -> Result<String, EvalError> {
        let told = |message| EvalError { message, span: self.at.span.clone(), expression: self.named.clone() };
        fill(&self.named, row).map_err(told)
    }
}

/// Cuts the list of the block with `page` (entries of one part) to its `number`th part, and says in `pager` which of
/// how many it is. False: there is no such part.
fn paged(blocks: &mut [Value], number: usize, path: &str) -> bool {
    let block = blocks.iter_mut().filter_map(Value::as_object_mut).find(|block| block.contains_key("page"));
    let Some(block) = block else { return number == 1 };
    let size = block.remove("page").as_ref().and_then(Value::as_u64).unwrap_or(20).max(1) as usize;
    let Some(list) = ["items", "rows"].into_iter().find(|key| block.get(*key).is_some_and(Value::is_array)) else {
        return number == 1;
    };
    let Some(Value::Array(all)) = block.get_mut(list) else { return false };
    let parts = all.len().div_ceil(size).max(1);
    if number == 0 || number > parts {
        return false;
    }
    *all = std::mem::take(all).into_iter().skip((number - 1) * size).take(size).collect();
    block.insert("pager".into(), json!({"page": number, "pages": parts, "first": (number - 1) * size, "href": path}));
    true
}

/// A pattern with the cells of a row in its places.
fn fill(pattern: &str, row: &Value) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else {
            return Err(format!("`{{` in `{pattern}` is not closed"));
        };
        let cell = row.get(name).and_then(Value::as_str).ok_or_else(|| format!("it has no text `{name}`"))?;
        let is_slug = |text: &str| {
            !text.is_empty()
                && !text.contains("//")
                && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-+./".contains(&b))
        };
        if !is_slug(cell) {
            return Err(format!("`{cell}` is no part of an address: small letters, digits, hyphens"));
        }
        out.push_str(before);
        out.push_str(cell);
        rest = after;
    }
    Ok(out + rest)
}

/// Addresses that stand literally under `href` and in the Markdown of texts.
fn named(node: &Node, out: &mut BTreeMap<String, Span>) {
    match &node.value {
        Source::Map(entries) => {
            for (key, inner) in entries {
                match (key.name.as_str(), inner.as_str()) {
                    ("href", Some(text)) => {
                        out.entry(text.trim_matches('\'').to_owned()).or_insert_with(|| inner.span.clone());
                    }
                    ("text", Some(_)) => {
                        for (link, span) in prose::links_at(inner) {
                            out.entry(link).or_insert(span);
                        }
                    }
                    _ => named(inner, out),
                }
            }
        }
        Source::List(items) => items.iter().for_each(|item| named(item, out)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_takes_cells_that_are_parts_of_addresses() {
        let row = json!({"slug": "new-delhi", "name": "New Delhi"});
        assert_eq!(fill("/in/{slug}", &row), Ok("/in/new-delhi".into()));
        assert!(fill("/in/{name}", &row).is_err() && fill("/in/{none}", &row).is_err());
    }

    #[test]
    fn a_long_list_is_cut_into_parts() {
        let whole = || vec![json!({"block": "links", "page": 2, "items": [1, 2, 3]})];
        let part = |number| {
            let mut blocks = whole();
            paged(&mut blocks, number, "/in").then(|| blocks.remove(0))
        };
        assert_eq!(
            part(2),
            Some(json!({"block": "links", "items": [3], "pager": {"page": 2, "pages": 2, "first": 2, "href": "/in"}}))
        );
        assert_eq!((part(0), part(3)), (None, None));
        assert!(paged(&mut [json!({"block": "text"})], 1, "/") && !paged(&mut [json!({"block": "text"})], 2, "/"));
    }
}
