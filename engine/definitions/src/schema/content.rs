//! Forms, tables, texts, views, pages, calendars, notes on reference data.

use super::{
    Kinds, any, cel, closed_map, flag, int, list_of, map_of, needs, one_or_list, text, texts, words, words_or_template,
};
use crate::calendar::DELAYED;
use crate::channels::THEME;
use crate::keys::{blocks, widgets};
use crate::policy;
use crate::releases::OF_STORIES;
use crate::site::{MENU_KEYS, PAGE_KINDS, PARTS, ROLES, SPECIALS, Serves};
use crate::table::{KINDS, MATCHES};
use crate::variants::TARGETS;
use serde_json::{Value, json};

pub fn all() -> Kinds {
    vec![
        ("form.json", "A form: forms/<line>/<name>.json", form()),
        ("table.json", "A table: workflows/<line>/tables/<name>.yaml", table()),
        ("texts.json", "Texts: workflows/<line>/<flow>/texts.yaml", map_of(text())),
        ("translation.json", "A file in another language: <file>.<language>.yaml beside it", map_of(map_of(text()))),
        (
            "view.json",
            "A view: workflows/<line>/<flow>/views/<name>.yaml",
            view(&[(
                "variants",
                "Patches for some of those who see it",
                variants("title, intro, and `blocks` by their ids"),
            )]),
        ),
        ("page.json", "A page: workflows/site/pages/<name>.yaml", page()),
        ("site.json", "The site: workflows/site/<name>.yaml", site()),
        ("calendars.json", "Calendars: workflows/calendars.yaml", map_of(calendar())),
        ("roles.json", "Who may do what: workflows/roles.yaml", roles()),
        (
            "releases.json",
            "What a change must have stood: workflows/releases.yaml",
            closed_map(&[("stories", "What a story that fails does", words(&OF_STORIES))]),
        ),
        ("master.json", "A note on reference data: workflows/master/<name>.yaml", master()),
    ]
}

fn roles() -> Value {
    let right = closed_map(&[
        ("own", "Begun by them, or theirs by their number", texts()),
        ("linked", "Opened to them by a link of a message", texts()),
        ("any", "Anybody's", texts()),
    ]);
    let rights: Vec<&str> = policy::RIGHTS.iter().map(|(name, _)| *name).collect();
    let asks: Vec<&str> = rights.iter().copied().chain([policy::NOTHING]).collect();
    let rights: Vec<_> = rights.into_iter().map(|name| (name, "", right.clone())).collect();
    let routes: Vec<_> = policy::ROUTES.into_iter().map(|route| (route, "", words(&asks))).collect();
    let event = needs(closed_map(&[("roles", "Who may send it, where they may send any", texts())]), &["roles"]);
    let keys = [
        ("roles", "Name and who that is", map_of(text())),
        ("rights", "What may be done with whose, by which roles", closed_map(&rights)),
        ("routes", "What each route of the program asks for; `open`: nobody is asked", closed_map(&routes)),
        ("events", "Events that fewer may send than `send` says", map_of(event)),
        ("assists", "Roles that act for customers", texts()),
        ("plain", "Kinds of personal data that they see whole", texts()),
        ("hidden", "Kinds of personal data that they see no part of", texts()),
        (
            "sources",
            "What brought customers whose numbers a session with a token for it need not verify at first",
            texts(),
        ),
    ];
    needs(closed_map(&keys), &["roles", "rights", "routes"])
}

/// Patches on something for some of those who get it; `of`: the keys that they may change.
pub(super) fn variants(of: &str) -> Value {
    list_of(needs(closed_map(&variant(of)), &["for", "merge"]))
}

fn variant(of: &str) -> [(&'static str, &'static str, Value); 4] {
    let audience = TARGETS.map(|name| (name, "", texts()));
    let mut merge = map_of(any());
    merge["description"] = format!("RFC 7396 on {of}").into();
    [
        ("for", "One of each list; all lists that are given", closed_map(&audience)),
        ("merge", "", merge),
        ("over", "Pointer → what the merge replaced: another value there now is an error", map_of(any())),
        ("description", "", text()),
    ]
}

fn form() -> Value {
    let mut of_form = variant("title, intro, groups, properties, x-ui, messages").to_vec();
    of_form.push(("require", "+field, -field, -list/field", list_of(text())));
    let group = closed_map(&[
        ("title", "", any()),
        ("show", "Conditions on other answers", map_of(any())),
        ("in", "The group around it", text()),
        ("collapsed", "", flag()),
    ]);
    let names: Vec<&str> = widgets::WIDGETS.iter().map(|w| w.name).collect();
    let own = widgets::WIDGETS.iter().flat_map(|w| w.keys);
    let mut ui = closed_map(&[]);
    for key in widgets::COMMON.iter().chain(widgets::ROWS).chain(own) {
        ui["properties"][key.name] = super::of_ui(key);
    }
    ui["properties"]["widget"] = words(&names);
    let field = json!({"type": "object", "properties": {"x-ui": ui}});
    let keys = [
        ("title", "", any()),
        ("intro", "", any()),
        ("groups", "Fields that are shown, required and kept together", map_of(group)),
        ("required", "Required when shown", list_of(text())),
        ("properties", "JSON Schema 2020-12 of each field, in their order", map_of(field)),
        (
            "x-ui",
            "",
            closed_map(&[
                ("submit", widgets::FORM[0].note, words(&["change"])),
                ("tells", widgets::FORM[1].note, text()),
            ]),
        ),
        ("variants", "Patches for some of those who get it", list_of(needs(closed_map(&of_form), &["for"]))),
        ("messages", "/field → keyword → text", map_of(map_of(text()))),
        ("description", "", text()),
    ];
    needs(closed_map(&keys), &["title", "properties"])
}

fn table() -> Value {
    let column = closed_map(&[
        ("kind", "", words(&KINDS)),
        ("default", "What a row has that does not say it", any()),
        ("unique", "No value stands twice", flag()),
        ("refers", "The table or reference data that has a row of this key", text()),
        ("within", "From which to which number its cells are: `1-5`", text()),
    ]);
    let column = needs(column, &["kind"]);
    let keys = [
        ("title", "", text()),
        ("source", "Public source of the figures", text()),
        ("sample", "The figures are samples", flag()),
        ("note", "", text()),
        ("match", "Column → how an input is held against it", map_of(words(&MATCHES))),
        ("columns", "Column → kind, or more of it", map_of(json!({"anyOf": [words(&KINDS), column]}))),
        (
            "rows",
            "Lists in the order of the columns, or maps; first fit wins",
            list_of(json!({"type": ["array", "object"]})),
        ),
    ];
    needs(closed_map(&keys), &["columns"])
}

fn view(more: &[(&'static str, &'static str, Value)]) -> Value {
    let mut keys = vec![
        ("title", "", words_or_template()),
        ("intro", "", words_or_template()),
        ("blocks", "", list_of(super::shared_shape("block"))),
        ("description", "", text()),
    ];
    keys.extend(more.iter().cloned());
    needs(closed_map(&keys), &["blocks"])
}

/// A block of a view or a page: one of them all, by its name.
pub fn block() -> Value {
    let one = blocks::BLOCKS.iter().map(|block| {
        let mut one = super::of_keys(&[blocks::HEAD, block.keys].concat(), true);
        one["properties"]["block"] = json!({"const": block.name, "description": block.note});
        if let Some(required) = one["required"].as_array_mut() {
            required.insert(0, json!("block"));
        }
        one
    });
    let other = needs(closed_map(&[("view", "The blocks of another view stand here", text())]), &["view"]);
    json!({"oneOf": one.chain([other]).collect::<Vec<_>>()})
}

fn page() -> Value {
    let parts = one_or_list(words(&PARTS));
    let schema = view(&[
        ("path", "Address, or with `each` a pattern: /parcels/{slug}", text()),
        ("instead", "The page stands where another one cannot", words(&SPECIALS.map(|(word, _)| word))),
        ("submit", "Of `instead: expired`, `link`, `pass`: the button that does what the page asks about", text()),
        ("also", "Further addresses, answered alike", one_or_list(text())),
        ("who", "Who may see it; the page of a person reads `data.account`", words(&["anyone", "person"])),
        ("roles", "Of those who are signed in, who alone may see it", texts()),
        ("query", "Of a person's page: parameters of its address, as `data.query`", map_of(any())),
        ("line", "Of which line it asks the shared values", text()),
        ("calculates", "A form whose answers the address has, as data.query", text()),
        (
            "records",
            "Records of the person whose page it is, as `data.records {rows, older}`",
            needs(
                closed_map(&[
                    ("kinds", "CEL: a list of kinds", cel()),
                    ("search", "CEL: part of a title, or a mobile number", cel()),
                    ("before", "CEL: `data.query` of the page before", cel()),
                    ("limit", "Journeys of a page", int()),
                ]),
                &["kinds"],
            ),
        ),
        (
            "asks",
            "A form below its blocks; it begins with `data.account.profile` and `data.query`",
            needs(
                closed_map(&[("form", "", text()), ("to", "Path of the endpoint", text()), ("submit", "", text())]),
                &["form", "to", "submit"],
            ),
        ),
        (
            "on",
            "Events of its buttons, and the endpoint that each calls",
            json!({"type": "object", "additionalProperties": text()}),
        ),
        (
            "takes",
            "Letters, hyphens and at least one digit in the place `{name}` at the end of the address: data.<name>",
            closed_map(&[("name", "", text()), ("max", "Characters", int())]),
        ),
        ("each", "Rows: one address for each", cel()),
        ("as", "Name of a row in `data`", text()),
        ("hide", "Parts of the frame", parts),
        (
            "speaks",
            "Addresses at which it is always in one language: language → address; `{}`: none, and no `language_folders`",
            map_of(text()),
        ),
        ("noindex", "Search engines leave it out: true, or CEL over the row", json!({"type": ["boolean", "string"]})),
        ("canonical", "CEL over the row: the address that stands for this one, of a page that is its twin", cel()),
        ("kind", "List of the sitemap in which it stands, and what programs are told it is", words(&PAGE_KINDS)),
        ("changed", "Day on which what it says last changed, or CEL over the row", text()),
        ("published", "Day on which it was first there, or CEL over the row", text()),
        ("about", "CEL over the row: the thing or place that it is about, `{type, name, brand?}` for programs", cel()),
        ("paper", "It is a PDF too, at its address with `.pdf`", flag()),
    ]);
    needs(schema, &["title", "blocks"])
}

fn site() -> Value {
    let link = json!({"$ref": "#/$defs/item"});
    let keys = MENU_KEYS.into_iter().chain([ROLES]).map(|key| {
        let shape = match key {
            "subMenus" => list_of(link.clone()),
            "desktop_only" | "mobile_only" | "selfTarget" => flag(),
            ROLES => texts(),
            _ => text(),
        };
        (key, "", shape)
    });
    let mut item = closed_map(&keys.collect::<Vec<_>>());
    item["required"] = json!(["text"]);
    let redirect = closed_map(&[
        ("from", "", text()),
        ("parts", "In place of `from`: any address with these parts …", one_or_list(text())),
        ("under", "Of `parts`: only below this address", text()),
        ("query", "… whose query has this name", text()),
        ("to", "", text()),
        ("status", "", int()),
        ("passes", "To another host of ours: who is signed in takes the session along, by a one-use code", flag()),
    ]);
    let gate = closed_map(&[
        ("under", "Starts of addresses", one_or_list(text())),
        ("roles", "Who opens them", one_or_list(text())),
        ("open", "Everybody does", flag()),
        ("to", "Where others are led", text()),
    ]);
    let group = closed_map(&[
        ("title", "", text()),
        ("links", "", list_of(link.clone())),
        ("products", "", one_or_list(text())),
    ]);
    let frame = closed_map(&[
        ("home", "Where the logo leads", text()),
        ("menu", "By default the one of the frame's name", text()),
        ("footer", "By default the one of the frame's name", text()),
        ("call", "", map_of(any())),
        ("login", "", closed_map(&[("text", "", text()), ("link", "", text())])),
    ]);
    let several = || one_or_list(text());
    let rule = closed_map(&[
        ("parts", "Whole parts of the address, or joined by a hyphen", several()),
        ("under", "Starts of the address", several()),
        ("product", "", several()),
        ("step", "Ids of states", several()),
        ("host", "", several()),
        ("source", "Who sent the visitor", several()),
        ("partner", "", several()),
        ("channel", "One that the visitor came by", several()),
        ("role", "One that the visitor has", several()),
        ("variant", "experiment/variant", several()),
        ("device", "Below or from 768 px", words(&["phone", "desktop"])),
        ("frame", "", text()),
        ("hide", "", one_or_list(words(&PARTS))),
        ("show", "Takes an earlier `hide` back", one_or_list(words(&PARTS))),
        ("description", "", text()),
    ]);
    let help = closed_map(&[
        ("call", "", closed_map(&[("number", "", words_or_template()), ("display", "", words_or_template())])),
        ("whatsapp", "Address of a conversation", text()),
        ("call_back", "The page where one asks to be called", text()),
        ("questions", "The call that gives what people ask at a step, by `path`; for pages without questions", text()),
    ]);
    let unsubscribe = closed_map(&[("label", "", words_or_template()), ("href", "", text())]);
    let letterhead = closed_map(&[
        ("lines", "Below `legal`: whoever is somebody by law is named in full", list_of(words_or_template())),
        ("unsubscribe", "Below offers: how to get no more of them", needs(unsubscribe, &["label", "href"])),
    ]);
    let keys = [
        ("name", "", text()),
        ("legal", "Below every page", words_or_template()),
        ("letterhead", "What messages bear: the site's name before short ones, these below e-mails", letterhead),
        (
            "company",
            "What pages read as `data.company`; words that are read in another language are `{text: …}`",
            map_of(any()),
        ),
        ("languages", "The first is the default", list_of(text())),
        (
            "language_folders",
            "Folder in which every page that search engines may keep stands in a further language: language → `/hi`",
            map_of(text()),
        ),
        ("leads_to", "Hosts of others that pages, menus, redirects and messages may lead to", list_of(text())),
        ("clients", "Keys by which programs name themselves; no secrets", list_of(text())),
        ("reports", "How browsers report errors", map_of(any())),
        ("browser", "What the web app says by itself, by name", map_of(map_of(text()))),
        ("timers", "Times of the browser", map_of(any())),
        (
            "help",
            "Ways to a person, where nobody answers in writing; comes at `timers.chat_load` to pages that have a chat",
            help,
        ),
        ("chat", "Of a partner who answers in writing; comes in the place of the help", script()),
        ("analytics", "Comes at `timers.analytics` to who agrees", script()),
        ("menus", "", map_of(list_of(link.clone()))),
        ("footers", "", map_of(list_of(group))),
        ("frames", "What stands around pages of an audience; the first is the usual one", map_of(frame)),
        (
            "products",
            "",
            map_of(closed_map(&[
                ("under", "Starts of its addresses", several()),
                ("category", "Number by which programs know it", int()),
            ])),
        ),
        ("layout", "Rules in their order", list_of(rule)),
        ("redirects", "", list_of(needs(redirect, &["to"]))),
        (
            "hosts",
            "Host → partner/operation of the contract site/frame, which gives its header and footer",
            map_of(text()),
        ),
        (
            "subdomains",
            "First part of a host → what it serves: the site, the site hidden from search engines, files alone",
            map_of(words(&Serves::ALL.map(|(name, _)| name))),
        ),
        (
            "storage",
            "Keys under which browsers keep what was begun in them: `all`, or the products",
            map_of(one_or_list(text())),
        ),
        (
            "keeps",
            "What browsers keep of answers of our own calls, by its name in their storage",
            map_of(needs(kept_answer(), &["call", "take"])),
        ),
        ("gates", "Pages for some roles", list_of(needs(gate, &["under", "to"]))),
    ];
    let mut site = closed_map(&[&keys[..], &channels()].concat());
    site["$defs"] = json!({"item": item});
    site
}

fn kept_answer() -> Value {
    let keys = [
        ("call", "Path of the endpoint, by GET", text()),
        ("take", "Names that lead to the value in its answer", text()),
        ("under", "Address at and below which everybody's browser keeps it", text()),
        ("of", "Of who came by an agent, a partner, a campaign: for the tab", words(&["visitor"])),
        ("encoded", "It lies there encoded", json!({"type": "boolean"})),
    ];
    closed_map(&keys)
}

fn script() -> Value {
    let keys = [
        ("script", "Its path", text()),
        ("host", "Alias of a host in the settings: while they do not name it, the script does not come", text()),
        ("sandbox", "Path of ours of what stands in for it in the sandbox", text()),
    ];
    needs(closed_map(&keys), &["script"])
}

/// How visitors come here.
fn channels() -> [(&'static str, &'static str, Value); 5] {
    let several = || one_or_list(text());
    let attribution = closed_map(&[
        ("names", "What is read from addresses and taken out of them → further spellings", map_of(several())),
        ("records", "Names that are kept together under one", map_of(texts())),
        ("secret", "Names for the checks of agents only", texts()),
        ("referrer", "The name under which the page that linked here is kept", text()),
    ]);
    let when = closed_map(&[
        ("says", "Name → values, of which the address says one", map_of(several())),
        ("parts", "Whole parts of the address, or joined by a hyphen", several()),
        ("under", "Starts of the address", several()),
        ("host", "", several()),
    ]);
    let gives = || closed_map(&[("source", "", text()), ("sub_source", "", text()), ("medium", "", text())]);
    let colour = || json!({"type": "string", "pattern": "^#[0-9a-f]{6}$"});
    let colours = THEME.map(|name| (name, "White words stand on it", colour()));
    let theme = closed_map(&[&colours[..], &[("logo", "Address of a picture", text())]].concat());
    let config = closed_map(&[
        ("lob", "Products that are offered; without it all", several()),
        ("home", "Page in place of the home page", text()),
        ("hide", "Parts of the frame", one_or_list(words(&PARTS))),
        ("links", "The part that links get where there is such a page", text()),
        ("theme", "", theme),
    ]);
    let partner = closed_map(&[
        ("title", "", text()),
        ("source", "", text()),
        ("sub_source", "", text()),
        ("medium", "", text()),
        ("config", "", config),
    ]);
    let partner = needs(partner, &["title", "source", "sub_source", "medium"]);
    let channel = closed_map(&[
        ("title", "", text()),
        ("when", "One of them must hold", one_or_list(when)),
        ("partners", "Known by source and sub_source together", map_of(partner)),
        ("gives", "What its journeys say", gives()),
    ]);
    let sources = closed_map(&[
        ("product", "", several()),
        ("order", "Channels; others follow in the order of the file", texts()),
        ("gives", "Where nothing else says it", gives()),
    ]);
    let check = closed_map(&[
        ("product", "Without it all others", several()),
        ("call", "partner/operation, of the contract agent/check", text()),
        ("role", "That a confirmed agent has", text()),
    ]);
    let staff =
        closed_map(&[("channel", "Without it the role's name", text()), ("gives", "What their requests say", gives())]);
    let agents = closed_map(&[
        ("ids", "What an id is called once it is confirmed → the name of an address", map_of(text())),
        ("checks", "The first of a product", list_of(needs(check, &["call", "role"]))),
        ("staff", "Role → what requests say that somebody signed in with it begins for customers", map_of(staff)),
    ]);
    let experiment = closed_map(&[
        ("title", "", text()),
        ("under", "Where pages show it", several()),
        ("variants", "Name → percent, 100 in all", map_of(int())),
    ]);
    [
        ("attribution", "What is read from addresses", attribution),
        ("channels", "Ways to come here", map_of(channel)),
        ("sources", "Which channel counts first, by product", list_of(sources)),
        ("agents", "How agents are known and confirmed", agents),
        ("experiments", "Variants with weights", map_of(experiment)),
    ]
}

fn calendar() -> Value {
    let keys = [
        ("title", "", text()),
        ("timezone", "", text()),
        ("messages", "Purposes of messages that go out only while it is open", one_or_list(words(&DELAYED))),
        ("week", "mon … sun or mon-fri → 10:00-19:00", map_of(texts())),
        ("holidays", "", list_of(text())),
    ];
    needs(closed_map(&keys), &["week"])
}

fn master() -> Value {
    let keys = [
        ("title", "", text()),
        ("source", "", text()),
        ("licence", "", text()),
        ("version", "", any()),
        ("columns", "Column → kind; text by default", map_of(words(&["int", "money", "bool", "text"]))),
        ("offered", "Column → value of the rows that a search offers; a key finds every row", map_of(text())),
        ("note", "", text()),
    ];
    needs(closed_map(&keys), &["source"])
}
