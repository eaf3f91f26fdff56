//! The site's content as pages need it: what surrounds a page, content pages, what the app is told.

use crate::app::{App, day_at};
use crate::connection::middleware::requested_host;
use crate::pages::html::{self, AppSite, Brand, EmbeddedJourney, LanguageOffer, OwnForm, Surroundings};
use crate::pages::journey_of;
use crate::pages::posted;
use crate::pages::sitemap;
use crate::problem::Problem;
use crate::visitor::attribution::{self, UrlParams};
use crate::visitor::language;
use crate::visitor::session::{signed_in, token};
use crate::visitor::start::preview;
use axum::http::HeaderMap;
use engine_definitions::{
    AgentChecks, Around, Arrival, Asks, Attribution, Audience, Calculated, Catalog, EvalError, FieldError, Listing,
    Now, PAPER_ENDING, Page as OwnPage, PageRequest, RecordsAsked, Script, SitePage, SitePartner, Special, Workflow,
    ZONE,
};
use engine_runtime::view::FormPart;
use engine_runtime::{Account, Actor, RecordPage, new_id};
use engine_settings::Settings;
use engine_statechart::Host;
use engine_statechart::expression::Scope;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Path to which browsers send their errors.
pub const REPORTS: &str = "/stackTraceApi";

/// What layout rules may ask about a request, and pages about their visitor.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The page's address, without a slash at its end and without the folder of a language.
    pub path: String,
    /// The language in which the page always is at the address that was asked for.
    pub spoken: Option<String>,
    pub host: String,
    /// Language of the visitor.
    pub language: String,
    /// How they came.
    pub came: Attribution,
    /// Roles of the visitor, with those that an id in an address got confirmed: what stands around a page depends on
    /// them, no right does.
    pub roles: Vec<String>,
    pub agent: AgentChecks,
    session: String,
    /// What says to programs that this visitor is signed in.
    mark: Option<String>,
    /// Variants of experiments, as layout rules name them.
    variants: Vec<String>,
}

impl Facts {
    /// What brought the visitor stands in a cookie, and from the first write on in the session.
    pub async fn of(app: &App, path: &str, headers: &HeaderMap) -> Facts {
        let catalog = app.runtime.catalog();
        let mut known = None;
        if catalog.site("").asks_who()
            && let Some(token) = token(headers)
        {
            known = app.runtime.people.session(token).await.ok().flatten();
        }
        let came = attribution::of(&app.runtime, headers, known.as_ref());
        let actor = known.unwrap_or_else(|| Actor::visitor(""));
        let mark = actor.signed_in().and_then(|_| signed_in(headers)).map(str::to_owned);
        let plain = path.trim_end_matches('/');
        let plain = if plain.is_empty() { "/" } else { plain };
        let here = catalog.site("").address(plain);
        let spoken = here.and_then(|address| address.language(plain)).map(str::to_owned);
        let mut facts = Facts {
            path: here.filter(|address| address.is_in_folder(plain)).map_or(plain, |address| &address.path).to_owned(),
            host: requested_host(headers),
            language: match (&spoken, catalog.site("").folder_of(plain)) {
                (Some(spoken), _) => spoken.clone(),
                (None, Some((language, _))) if here.is_none() => language.to_owned(),
                (None, _) => language::of(app, headers),
            },
            spoken,
            came,
            roles: actor.agent.roles().chain(actor.acting_roles()).map(str::to_owned).collect(),
            agent: actor.agent,
            session: actor.session,
            mark,
            variants: Vec::new(),
        };
        facts.draw(&catalog);
        facts
    }

    /// Takes in what the address says; whether anything is known now that was not before.
    pub fn arrive(&mut self, catalog: &Catalog, said: &UrlParams, now_ms: i64) -> bool {
        let channels = &catalog.site("").channels;
        let day = day_at(now_ms);
        let mut came = channels.arrive(&self.came, &Arrival { said, path: &self.path, host: &self.host, day: &day });
        let is_shown = channels.experiments.iter().any(|one| one.is_shown(&self.path));
        if is_shown && came.draw_or(&self.session).is_empty() {
            came.draw = new_id();
        }
        let is_new = came != self.came;
        self.came = came;
        self.draw(catalog);
        is_new
    }

    fn draw(&mut self, catalog: &Catalog) {
        let all = catalog.site("").channels.variants(self.came.draw_or(&self.session));
        self.variants = all.iter().map(|(name, variant)| format!("{name}/{variant}")).collect();
    }

    /// Whether a page may differ for this visitor from what everybody gets.
    pub fn are_personal(&self) -> bool {
        !self.came.is_empty() || !self.session.is_empty()
    }

    /// Whether nothing is known of the visitor but the variants that are drawn.
    pub fn is_anonymous(&self, headers: &HeaderMap) -> bool {
        let Attribution { said, channels, touches, draw: _ } = &self.came;
        let came_plainly = said.is_empty() && channels.is_empty() && touches.is_empty();
        came_plainly && self.session.is_empty() && token(headers).is_none()
    }

    /// Variants of experiments, as layout rules name them.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// The partner who sent the visitor.
    pub fn partner<'c>(&self, catalog: &'c Catalog) -> Option<&'c SitePartner> {
        catalog.site("").channels.partner(&self.came)
    }

    /// The request with this step shown, at its address.
    pub fn at<'a>(&'a self, catalog: &'a Catalog, path: &'a str, step: &'a str) -> PageRequest<'a> {
        PageRequest {
            path,
            step,
            host: &self.host,
            source: self.came.said.get("source").map_or("", String::as_str),
            partner: self.partner(catalog),
            channels: &self.came.channels,
            roles: &self.roles,
            variants: &self.variants,
        }
    }

    /// What stands around a page of this visitor.
    pub fn around<'a>(&'a self, catalog: &'a Catalog, path: &'a str, step: &'a str) -> Around<'a> {
        catalog.site(&self.language).around(&self.at(catalog, path, step))
    }
}

/// Leaves out of blocks what a partner's visitor is not offered: entries whose link leads there, journeys of it.
pub fn offered(catalog: &Catalog, partner: &SitePartner, blocks: &mut Vec<Value>) {
    blocks.retain_mut(|block| is_offered(catalog, partner, block));
}

fn is_offered(catalog: &Catalog, partner: &SitePartner, value: &mut Value) -> bool {
    let site = catalog.site("");
    match value {
        Value::Array(list) => {
            list.retain_mut(|one| is_offered(catalog, partner, one));
            true
        }
        Value::Object(map) => {
            if map.get("block").is_some_and(|block| block == "journey") {
                let workflow = map.get("workflow").and_then(Value::as_str).and_then(|id| catalog.workflow(id));
                let product = workflow.and_then(|workflow| site.product(&workflow.base));
                return partner.offers(product.map(|product| product.id.as_str()));
            }
            // What somebody has begun stays theirs, whoever sends them today.
            if let Some(Value::String(link)) = map.get_mut("href")
                && journey_of(link.split_once('?').map(|(_, query)| query)).is_none()
            {
                let Some(own) = site.offered_link(partner, link) else { return false };
                *link = own;
            }
            map.values_mut()
                .filter(|inner| inner.is_array() || inner.is_object())
                .all(|inner| is_offered(catalog, partner, inner))
        }
        _ => true,
    }
}

/// What stands around a page.
pub fn surroundings<'a>(
    catalog: &'a Catalog,
    language: &'a str,
    around: &Around<'a>,
    path: &'a str,
    partner: Option<&'a SitePartner>,
) -> Surroundings<'a> {
    let site = catalog.site(language);
    let frame = around.frame;
    let lacks = |part: &str| partner.is_some_and(|partner| partner.hide.iter().any(|one| one == part));
    let own_home = partner.and_then(|partner| partner.home.as_ref());
    Surroundings {
        name: &site.name,
        language,
        languages: catalog.languages(),
        path,
        home: own_home.or(frame.map(|frame| &frame.home)).map_or("/", String::as_str),
        without: partner.map_or(&[][..], |partner| &partner.hide),
        logo: !around.hide.iter().any(|part| part == "logo"),
        menu: frame.filter(|_| !lacks("nav")).map(|frame| site.menu(frame, partner)).unwrap_or_default(),
        footer: frame.map(|frame| site.footer(frame, around.product, partner)).unwrap_or_default(),
        partner: partner.map(|partner| {
            let named = site.channels.partners().find(|one| one.slug == partner.slug).unwrap_or(partner);
            Brand { name: &named.title, logo: partner.theme.logo.as_deref() }
        }),
        legal: &site.legal,
        call: frame.map_or(&Value::Null, |frame| &frame.call),
        login: frame.map_or(&Value::Null, |frame| &frame.login),
        words: &site.said,
    }
}

/// What is hidden at each page of a flow, where it is not what this page hides.
pub fn hidden_at(
    catalog: &Catalog,
    workflow: &Workflow,
    facts: &Facts,
    here: &[String],
) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for step in workflow.steps() {
        let Some(path) = &step.path else { continue };
        let address = format!("{}/{path}", workflow.base);
        let hide = facts.around(catalog, address.trim_end_matches('/'), &step.node).hide;
        if hide != here {
            all.insert(path.clone(), hide);
        }
    }
    all
}

/// What the app knows of the site, on a page with these surroundings.
pub fn app_site<'a>(
    catalog: &'a Catalog,
    settings: &Settings,
    language: &'a str,
    around: &'a Around<'a>,
    hide_at: BTreeMap<String, Vec<String>>,
    is_content: bool,
    facts: &'a Facts,
) -> AppSite<'a> {
    let site = catalog.site(language);
    let presence = json!({"every_ms": settings.presence.every_ms, "idle_ms": settings.presence.idle_ms});
    let reports = reports(catalog).map(|set| {
        let of = |name: &str, default: Value| set.get(name).cloned().unwrap_or(default);
        json!({
            "url": REPORTS, "wait_ms": of("wait_ms", json!(5_000)), "max": of("max", json!(20)),
            "libraries": of("libraries", json!([]))
        })
    });
    let address = |script: &Script| match &script.host {
        None => Some(script.path.clone()),
        Some(alias) => {
            let Some(host) = settings.partners.hosts.get(alias).filter(|host| host.script) else {
                return script.sandbox.clone().filter(|_| settings.sandbox.enabled && settings.sandbox.chat);
            };
            Some(format!("{}{}", host.url.trim_end_matches('/'), script.path))
        }
    };
    let (chat, analytics) = (site.chat.as_ref().and_then(address), site.analytics.as_ref().and_then(address));
    let agents = &site.channels.agents;
    let ids = agents.ids_of(&facts.came.said);
    let check = agents.due(&ids, around.product, &facts.agent).and_then(|_| catalog.checks_agents());
    let check = check.map(|endpoint| {
        let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("path", &facts.path).finish();
        format!("{}?{query}", endpoint.path)
    });
    let (name, timers) = (&site.name, &site.timers);
    let words = if is_content { &site.said_everywhere } else { &site.said };
    // Only to who has not chosen.
    let others = catalog.languages().split_first().filter(|(first, _)| *first == language).map(|(_, others)| others);
    let offers = others.into_iter().flatten().filter_map(|other| {
        let said = &catalog.site(other).said_everywhere;
        let of = |name: &str| said.get(name).map(String::as_str);
        Some(LanguageOffer {
            language: other,
            text: of("language_offer")?,
            yes: of("language_yes")?,
            close: of("close")?,
        })
    });
    let offers = offers.collect();
    AppSite {
        name,
        words,
        offers,
        product: around.product,
        category: around.category,
        storage: site.storage(around.product),
        keeps: site.keeps(&facts.path, !facts.came.is_empty()),
        token: facts.mark.as_deref(),
        hide: &around.hide,
        hide_at,
        timers,
        help: &site.help,
        chat,
        analytics,
        check,
        presence,
        reports,
    }
}

/// How browsers report errors; `None` when they shall not.
pub fn reports(catalog: &Catalog) -> Option<&Value> {
    catalog.site("").reports.as_ref().filter(|reports| reports.get("enabled") == Some(&Value::Bool(true)))
}

/// A content page as it is drawn, with the address that search engines shall know.
pub struct ResolvedPage {
    pub page: SitePage,
    pub path: String,
    /// The address that it was asked at, if that speaks one language.
    pub at: String,
    /// The address that search engines shall know, with the part of its list.
    pub canonical: String,
    /// Languages of the page, each with its address; empty where it has one address for all.
    pub alternates: Vec<(String, String)>,
    pub listing: Listing,
    pub kind: &'static str,
    pub hide: Vec<String>,
    /// Asked for as a paper.
    pub is_paper: bool,
    /// Events of its buttons, and the endpoint that each calls.
    pub on: BTreeMap<String, String>,
}

/// The page of an address, evaluated at `now_ms`; of a paged list its `number`th part. `None` when there is none.
pub fn page(
    catalog: &Catalog,
    language: &str,
    path: &str,
    (number, query): (usize, &str),
    now_ms: i64,
    facts: &Facts,
) -> Result<Option<ResolvedPage>, EvalError> {
    let site = catalog.site(language);
    let known = site.address(path).map(Cow::Borrowed);
    let Some(address) = known.or_else(|| site.open_address(path).map(Cow::Owned)) else { return Ok(None) };
    let now = Now::at(now_ms, ZONE);
    let mut data = site.data();
    let drawn = catalog.site("").channels.variants(facts.came.draw_or(&facts.session));
    if let (Value::Object(all), false) = (&mut data["variants"], drawn.is_empty()) {
        all.extend(drawn.iter().map(|(name, variant)| ((*name).to_owned(), json!(variant))));
    }
    let host = catalog.host_in(language, &now);
    let calculated = calculate(catalog, language, &address.page, query, &host)?;
    let said = match &calculated {
        Some(of_form) => of_form.data.clone(),
        None => {
            let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
            let pairs = pairs.iter().map(|(name, text)| (name.as_ref(), text.as_ref()));
            // what does not fit was never said
            address
                .page
                .parse_query(pairs)
                .or_else(|_| address.page.parse_query(std::iter::empty()))
                .unwrap_or_default()
        }
    };
    data["query"] = said;
    let rendered = address.render(data, &host, number);
    let rendered = rendered.inspect_err(|error| tracing::error!(path, %error, "a page of the site failed"))?;
    let is_paper = address.page.paper && path.ends_with(PAPER_ENDING);
    let numbered = |path: &str| if number == 1 { path.to_owned() } else { format!("{path}?page={number}") };
    let spoken = facts.spoken.as_deref();
    let (canonical, path) = (numbered(address.canonical(spoken)), numbered(&address.path));
    let at = spoken.map_or_else(|| path.clone(), |language| numbered(address.spoken(language)));
    let alternates = sitemap::alternates(catalog, &address);
    Ok(rendered.map(|mut page| {
        for misfit in &page.misfits {
            tracing::error!(path, %misfit, "a value of a page of the site is left out");
        }
        if let (Some(of_form), Some((form, _))) = (calculated, &address.page.calculates) {
            let blocks = page.blocks.iter_mut().filter(|block| block["block"] == CALCULATOR);
            blocks.for_each(|block| asks(block, form, &of_form, &at));
        }
        let (listing, kind, hide) = (address.listing.clone(), address.page.kind(), address.page.hide.clone());
        let on = BTreeMap::new();
        ResolvedPage { page, path, at, canonical, alternates, listing, kind, hide, is_paper, on }
    }))
}

/// The block of a page that calculates.
pub const CALCULATOR: &str = "calculator";

/// What a page that calculates says to these answers: `{results, errors}`. `None` where no such page is.
pub fn calculator(catalog: &Catalog, facts: &Facts, query: &str, now_ms: i64) -> Option<Value> {
    let address = catalog.site(&facts.language).address(&facts.path)?;
    address.page.calculates.as_ref()?;
    let found = page(catalog, &facts.language, &facts.path, (1, query), now_ms, facts).ok()??;
    let mut blocks = found.page.blocks.into_iter();
    let block = blocks.find(|block| block["block"] == CALCULATOR)?;
    Some(json!({"results": block["results"], "errors": block["errors"]}))
}

/// What the address says to the form of a page that calculates.
fn calculate(
    catalog: &Catalog,
    language: &str,
    page: &OwnPage,
    query: &str,
    host: &dyn Host,
) -> Result<Option<Calculated>, EvalError> {
    let Some(form) = page.calculates.as_ref().and_then(|(form, _)| catalog.form_in(language, form)) else {
        return Ok(None);
    };
    let said: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    page.calculate(form, |schema| posted::answers(schema, &said, ""), host).map(Some)
}

/// The form of a page that calculates, where its results are drawn.
fn asks(block: &mut Value, form: &str, of_form: &Calculated, path: &str) {
    let named = |error: &FieldError| json!({"pointer": error.pointer, "code": error.code, "text": error.text});
    block["form"] = json!({"id": form, "schema": of_form.schema, "data": of_form.shown, "submit": block["submit"]});
    block["errors"] = of_form.errors.iter().map(named).collect();
    block["to"] = path.into();
}

/// The journey that stands in a page, at its first step: the same for all who came alike.
pub async fn place(app: &App, facts: &Facts, blocks: &[Value]) -> Result<Option<EmbeddedJourney>, Problem> {
    let Some(block) = blocks.iter().find(|block| block["block"] == "journey") else { return Ok(None) };
    let text = |key: &str| block[key].as_str().map(str::to_owned);
    let workflow = text("workflow").unwrap_or_default();
    let visitor = Actor { language: facts.language.clone(), ..Actor::visitor("") };
    let view = preview(app, &visitor, &workflow, &facts.came).await?;
    let mut view = html::on_day(view, &app.today());
    if let Some(form) = view.step.form.as_mut() {
        // The page itself says what the flow's own first page says around the form.
        view.step.view = None;
        if let (Value::Object(data), Some(presets)) = (&mut form.data, block["presets"].as_object()) {
            data.extend(presets.clone());
        }
    }
    Ok(Some(EmbeddedJourney {
        view,
        hash: text("hash"),
        after_ms: block["after_ms"].as_u64(),
        idle_ms: block["idle_ms"].as_u64(),
        goes_on: block["goes_on"] == true,
        end: text("end"),
    }))
}

/// What an address of a person's page asks for.
pub struct AskedOwn {
    pub query: Value,
    pub records: Option<RecordsAsked>,
}

/// `None`: there is no such page.
pub fn resolve_own_page(catalog: &Catalog, page: &OwnPage, query: &str, now_ms: i64) -> Option<AskedOwn> {
    let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
    let query = page.parse_query(pairs.iter().map(|(name, text)| (name.as_ref(), text.as_ref()))).ok()?;
    let records = page.records(&query, &catalog.host(&Now::at(now_ms, ZONE), None));
    let records = records.inspect_err(|error| tracing::error!(path = page.path, %error, "a page of the site failed"));
    Some(AskedOwn { records: records.ok()?, query })
}

/// What a page of a person reads about that person.
pub struct Theirs<'a> {
    pub account: &'a Account,
    pub roles: &'a [String],
    pub query: &'a Value,
    pub records: &'a RecordPage,
}

impl Theirs<'_> {
    /// `older`: the query of the next page of the list, empty on the last one.
    fn data(&self) -> Map<String, Value> {
        let RecordPage { rows, before } = self.records;
        let mut older = url::form_urlencoded::Serializer::new(String::new());
        let said = self.query.as_object().into_iter().flatten().filter(|(name, _)| *name != "before");
        for (name, text) in
            said.filter_map(|(name, value)| Some((name, value.as_str().filter(|text| !text.is_empty())?)))
        {
            older.append_pair(name, text);
        }
        let older = if before.is_empty() { String::new() } else { older.append_pair("before", before).finish() };
        Map::from_iter([
            ("account".to_owned(), json!(self.account)),
            ("query".to_owned(), self.query.clone()),
            ("records".to_owned(), json!({"rows": rows, "older": older})),
        ])
    }
}

/// The page of an address for whom it is.
pub fn own_page(
    catalog: &Catalog,
    language: &str,
    path: &str,
    theirs: &Theirs<'_>,
    now_ms: i64,
) -> Result<Option<ResolvedPage>, EvalError> {
    let Some(address) = catalog.site(language).address(path) else { return Ok(None) };
    let now = Now::at(now_ms, ZONE);
    let (data, host) = (catalog.site(language).data(), catalog.host_in(language, &now));
    let rendered = address.render_for(data, theirs.data(), theirs.roles, &host);
    let rendered = rendered.inspect_err(|error| tracing::error!(path, %error, "a page of the site failed"))?;
    let (path, hide, on) = (address.path.clone(), address.page.hide.clone(), address.page.on.clone());
    let (listing, kind) = (address.listing.clone(), address.page.kind());
    Ok(rendered.map(|page| ResolvedPage {
        page,
        canonical: path.clone(),
        at: path.clone(),
        path,
        alternates: Vec::new(),
        listing,
        kind,
        hide,
        is_paper: false,
        on,
    }))
}

/// The form of such a page, with what is known of the person, and of what they ask for.
pub fn own_form<'a>(
    catalog: &'a Catalog,
    language: &str,
    asks: Option<&'a Asks>,
    known: &[&Value],
    now_ms: i64,
) -> Result<Option<OwnForm<'a>>, EvalError> {
    let Some((asks, form)) = asks.and_then(|asks| Some((asks, catalog.form_in(language, &asks.form)?))) else {
        return Ok(None);
    };
    let now = Now::at(now_ms, ZONE);
    let (host, context) = (catalog.host_in(language, &now), json!({}));
    let fields = form.fields(&Audience::default(), &Scope::new().with("context", &context).with_host(&host))?;
    let known: Vec<&Map<String, Value>> = known.iter().filter_map(|known| known.as_object()).collect();
    let form = FormPart {
        id: asks.form.clone(),
        schema: fields.view().schema,
        data: Value::Object(fields.data(&known)),
        rows: BTreeMap::new(),
        draft: false,
        submit: asks.submit.clone(),
    };
    Ok(Some(OwnForm { form, to: &asks.to }))
}

/// What a page that stands for another one is about.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// Where its way on leads.
    pub base: &'a str,
    /// Title of the flow, or the number of whom it speaks to.
    pub title: &'a str,
    /// What a link was sent for, as the flow names it; empty for every other page.
    pub purpose: &'a str,
}

impl Default for About<'_> {
    fn default() -> Self {
        About { base: "/", title: "", purpose: "" }
    }
}

/// The page that stands for this case.
pub fn special(catalog: &Catalog, language: &str, special: Special, about: About<'_>, now_ms: i64) -> Option<SitePage> {
    let said = [("base", about.base), ("title", about.title), ("purpose", about.purpose)];
    let more = said.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    special_about(catalog, language, special, more, now_ms)
}

/// Address and title of a page of this name at another place of the site.
pub fn namesake(catalog: &Catalog, language: &str, path: &str, now_ms: i64) -> Option<(String, String)> {
    let site = catalog.site(language);
    let other = site.namesake(path)?;
    let now = Now::at(now_ms, ZONE);
    let rendered = other.render(site.data(), &catalog.host_in(language, &now), 1).ok().flatten()?;
    Some((other.path.clone(), rendered.title))
}

/// The page that stands for this case, with what it is about as `data`.
pub fn special_about(
    catalog: &Catalog,
    language: &str,
    special: Special,
    more: Map<String, Value>,
    now_ms: i64,
) -> Option<SitePage> {
    let page = catalog.site(language).special(special)?;
    let now = Now::at(now_ms, ZONE);
    let rendered = page.render(catalog.site(language).data(), more, &catalog.host_in(language, &now));
    rendered.inspect_err(|error| tracing::error!(?special, %error, "a page of the site failed")).ok().flatten()
}

/// `/robots.txt`: addresses of one person are not looked for. What is only not to be kept says so itself, and must be
/// read for that.
pub fn robots(public_url: &str) -> String {
    let closed: String = ["/api/", "/r/", "/*?request="].iter().map(|path| format!("Disallow: {path}\n")).collect();
    format!("User-agent: *\n{closed}Sitemap: {public_url}{}\n", sitemap::INDEX)
}
