//! One customer: reads what is drawn, answers legally or not, corrects what they are told to, presses any button.

use crate::answers::answer;
use crate::ways::{Company, Way};
use anyhow::{Context as _, Result, bail, ensure};
use engine_runtime::{Clock as _, Operations};
use engine_store::Store;
use journey_tests::people::password_in;
use journey_tests::server::{TestServer, Visitor};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Steps that one customer takes at most: till they are tired of it, and once they have paid. How often they wait for
/// prices in vain, how often they ask anew on one page, and how long they look at one that waits.
const STEPS_MAX: usize = 45;
const STEPS_PAID: usize = 90;
const PRICELESS_MAX: usize = 4;
const TRIES_MAX: usize = 40;
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Longest wait by the product's clock, which is slow where the machine is busy with others; more than any of its waits
/// without a word.
const WAIT_MAX_MS: i64 = 600_000;
/// Looks at a page that waits, at least: on a busy machine a minute is not long for the partners.
const WAIT_LOOKS: u32 = 20;
const PROMISED_MAX: Duration = Duration::from_secs(5);
/// Pauses between two looks at a page that goes on by itself: the first, and the longest.
pub const LOOK: Duration = Duration::from_millis(200);
const LOOK_MAX: Duration = Duration::from_millis(1_600);

/// Customers of one seed share so many vehicles with their last policies: prices are asked for once, for many of them.
const VEHICLES: u64 = 12;

/// How many are on their way, and how many of them wait for a page to go on.
#[derive(Default)]
pub struct Crowd {
    awake: AtomicI64,
    waiting: AtomicI64,
}

impl Crowd {
    /// The part of all that waits, in percent: time may go by for them, and must not run out for those who type.
    pub fn waits_percent(&self) -> i64 {
        100 * self.waiting.load(Ordering::Relaxed) / self.awake.load(Ordering::Relaxed).max(1)
    }
}

/// Operations that misbehave now and then beside those of the insurer that the customer took, and how: all of it
/// passes.
const SHAKEN: [(&str, &str); 6] = [
    ("gateway", "order"),
    ("gateway", "payments"),
    ("gateway", "refund"),
    ("kyc", "verify"),
    ("pincode", "lookup"),
    ("vahan", "lookup"),
];
const MODES: [&str; 5] = ["fail", "reset", "garbage", "slow", "twice"];

/// What became of a customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    Issued,
    Inspection,
    /// Paid, and a person of ours is at it.
    Promised,
    Refunded,
    /// Left before they paid.
    Tired,
}

/// A button of the gateway's page that the customer pressed.
pub struct Paid {
    /// Money came, now or later.
    pub comes: bool,
}

pub struct Customer {
    crowd: Arc<Crowd>,
    pub server: Arc<TestServer>,
    pub browser: Visitor,
    random: StdRng,
    pub mobile: String,
    /// No other customer has it.
    pub name: String,
    pub line: &'static str,
    kind: &'static str,
    /// How they come, and who is beside them.
    pub way: Way,
    pub company: Company,
    pub trail: Vec<String>,
    /// Dice of the customer, for all that comes after the first prices.
    later: Option<StdRng>,
    /// How often all insurers had answered and none had a price.
    priceless: usize,
    /// What the customer has answered, by page.
    answers: BTreeMap<String, Map<String, Value>>,
    pub view: Value,
    /// The page before it.
    before: Value,
    /// The card that the customer took.
    pub chosen: Value,
    pub paid: Vec<Paid>,
}

impl Customer {
    pub fn new(server: Arc<TestServer>, crowd: Arc<Crowd>, seed: u64, number: u64) -> Customer {
        let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number % VEHICLES);
        let line = if random.random_bool(0.7) { "car" } else { "bike" };
        let kind = *["registered", "unknown", "new"].choose(&mut random).expect("a kind");
        let way = Way::of(number, VEHICLES);
        Customer {
            crowd,
            browser: server.visitor(),
            server,
            random,
            mobile: format!("98{:08}", number + 1),
            name: format!("Asha Quill{}", letters(number)),
            line,
            kind,
            way,
            company: Company::default(),
            trail: vec![format!("customer {number} of seed {seed}: {line}, {kind}, {way:?}")],
            later: Some(StdRng::seed_from_u64(seed * 1_000_000 + VEHICLES + number)),
            priceless: 0,
            answers: BTreeMap::new(),
            view: Value::Null,
            before: Value::Null,
            chosen: Value::Null,
            paid: Vec::new(),
        }
    }

    /// What became of the customer and the way there; an error names the rule that was broken.
    pub async fn buys(mut self) -> Result<(End, Vec<String>)> {
        self.crowd.awake.fetch_add(1, Ordering::Relaxed);
        let walked = self.walks().await;
        self.crowd.awake.fetch_sub(1, Ordering::Relaxed);
        let end = match walked {
            Ok(end) => self.history_agrees().await.map(|()| end),
            Err(broken) => Err(broken),
        };
        let end = end.with_context(|| format!("{}\n{}", self.trail.join(" > "), self.view));
        Ok((end?, self.trail))
    }

    pub fn id(&self) -> &str {
        self.view["journey"]["id"].as_str().unwrap_or_default()
    }

    pub fn is_new(&self) -> bool {
        self.kind == "new"
    }

    /// Price of the card that the customer took, in paise.
    pub fn price(&self) -> Option<i64> {
        self.chosen["price"]["paise"].as_i64()
    }

    /// What the customer said on a page; empty when they were not asked.
    pub fn answered(&self, page: &str, field: &str) -> String {
        let given = self.answers.iter().find(|(step, _)| step.rsplit('.').next() == Some(page));
        match given.and_then(|(_, answers)| answers.get(field)) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        }
    }

    pub fn operations(&self) -> &Operations {
        &self.server.product.runtime.operations
    }

    /// Time by the product's clock.
    pub fn now_ms(&self) -> i64 {
        self.server.clock.now_ms()
    }

    pub async fn store(&self) -> Arc<dyn Store> {
        self.server.store().await
    }

    pub fn blocks(&self) -> Vec<Value> {
        self.view["step"]["view"]["blocks"].as_array().cloned().unwrap_or_default()
    }

    pub fn buttons(&self) -> Vec<Value> {
        self.items_of("actions")
    }

    /// A page that goes on by itself.
    pub fn waits(&self) -> bool {
        ["wait", "tracker"].contains(&self.view["step"]["kind"].as_str().unwrap_or_default())
    }

    fn items_of(&self, kind: &str) -> Vec<Value> {
        let blocks = self.blocks().into_iter().filter(|block| block["block"] == kind);
        blocks.flat_map(|block| block["items"].as_array().cloned().unwrap_or_default()).collect()
    }

    pub fn step(&self) -> &str {
        self.view["step"]["id"].as_str().unwrap_or_default()
    }

    pub fn has_paid(&self) -> bool {
        self.paid.iter().any(|paid| paid.comes)
    }

    /// The page promises a call.
    fn is_promised(&self) -> bool {
        let page = self.view["step"]["view"].to_string();
        ["We'll call you by", "If it doesn't arrive, we'll call you", "Our team is checking it and will call you by"]
            .iter()
            .any(|words| page.contains(words))
    }

    async fn walks(&mut self) -> Result<End> {
        self.arrives().await?;
        let end = self.comes_to_an_end().await?;
        self.leaves().await?;
        Ok(end)
    }

    async fn comes_to_an_end(&mut self) -> Result<End> {
        let plate = if self.line == "car" { "DL-3-CAB-1234" } else { "DL-3-SAB-1234" };
        let first = match self.kind {
            "registered" => json!({"kind": "registered", "registration": plate}),
            kind => json!({"kind": kind}),
        };
        self.view = self.browser.start(&format!("motor/{}", self.line), first).await.ok(201);
        for steps in 0..STEPS_PAID {
            if (steps >= STEPS_MAX || self.priceless >= PRICELESS_MAX) && !self.has_paid() {
                return Ok(End::Tired);
            }
            if !self.waited().await? {
                return self.promised().await;
            }
            let step = self.step().to_owned();
            self.trail.push(step.clone());
            self.sees()?;
            self.is_not_alone().await?;
            if step.ends_with("policy.issued") {
                self.is_sold_rightly()?;
                self.money_has_an_end(true).await?;
                return Ok(End::Issued);
            }
            if step.ends_with("policy.refunded") {
                self.money_has_an_end(false).await?;
                return Ok(End::Refunded);
            }
            if step.ends_with("inspection.wanted") {
                return Ok(End::Inspection);
            }
            if self.random.random_bool(0.05) {
                self.shakes_an_operation().await;
            }
            if self.random.random_bool(0.03) {
                self.uses_an_old_tab().await?;
            }
            self.before = self.view.clone();
            self.does_something().await?;
        }
        bail!("paid, and after {STEPS_PAID} steps there is no end")
    }

    /// True as soon as the page asks the customer for something; false when it does not in time.
    async fn waited(&mut self) -> Result<bool> {
        let (since, since_ms) = (tokio::time::Instant::now(), self.now_ms());
        let (mut pause, mut looks) = (LOOK, 0);
        while self.waits() {
            let waited_ms = self.now_ms() - since_ms;
            let is_over = match self.is_promised() {
                true => since.elapsed() > PROMISED_MAX,
                false => since.elapsed() > WAIT_MAX && waited_ms > WAIT_MAX_MS && looks > WAIT_LOOKS,
            };
            if is_over {
                return Ok(false);
            }
            self.sees()?;
            self.looks_after(&mut pause).await;
            looks += 1;
        }
        Ok(true)
    }

    /// A page that waits for long is one of a paid customer, and says who is at it.
    async fn promised(&mut self) -> Result<End> {
        ensure!(self.is_promised(), "waits for ever");
        self.money_has_an_end(false).await?;
        Ok(End::Promised)
    }

    /// The next call of an operation fails, breaks off, is answered by nonsense or late.
    async fn shakes_an_operation(&mut self) {
        let insurer = self.chosen["action"]["data"]["insurer"].as_str();
        let own =
            insurer.into_iter().flat_map(|slug| ["quote", "proposal", "issue", "document"].map(|one| (slug, one)));
        let shaken: Vec<(&str, &str)> = SHAKEN.into_iter().chain(own).collect();
        let (partner, operation) = *shaken.choose(&mut self.random).expect("an operation");
        let mode = *MODES.choose(&mut self.random).expect("a mode");
        self.trail.push(format!("({partner}/{operation}: {mode})"));
        let switch = json!({"partner": partner, "operation": operation, "mode": mode, "times": 1, "delay_ms": 2_000});
        self.browser.send("POST", "/sandbox/switches", &[], Some(switch.to_string())).await.ok(200);
    }

    /// Sends once more what an older page offered: that is refused or repeated, and breaks nothing.
    async fn uses_an_old_tab(&mut self) -> Result<()> {
        if !self.before["journey"].is_object() || self.has_paid() {
            return Ok(());
        }
        self.trail.push("(old tab)".to_owned());
        let data = self.before["step"]["form"]["data"].clone();
        let data = if data.is_object() { data } else { json!({}) };
        let reply = self.browser.event(&self.before, "submit", data).await;
        ensure!(reply.status < 500 || reply.status == 503, "an old tab: {}", reply.text());
        self.looks().await;
        Ok(())
    }

    async fn does_something(&mut self) -> Result<()> {
        let kind = self.view["step"]["kind"].as_str().unwrap_or_default().to_owned();
        if kind == "redirect" {
            return self.pays().await;
        }
        if self.view["step"]["back"].is_string() && self.random.random_bool(0.03) {
            self.trail.push("back".to_owned());
            return self.sends("back", json!({})).await;
        }
        if kind == "review" {
            return match self.view["step"]["changeable"].as_array().and_then(|all| all.choose(&mut self.random)) {
                Some(page) if self.random.random_bool(0.2) => {
                    let to = page["step"].clone();
                    self.trail.push(format!("change {to}"));
                    self.sends("change", json!({"step": to})).await
                }
                _ => self.sends("submit", json!({})).await,
            };
        }
        if self.step().ends_with(".quotes") {
            return self.chooses().await;
        }
        let buttons = self.buttons();
        let pressed = buttons.choose(&mut self.random).cloned();
        match (self.view["step"]["form"].is_object(), pressed) {
            (true, Some(button)) if self.is_asked_for_files() || self.random.random_bool(0.05) => {
                self.presses(&button).await
            }
            (true, _) => self.fills().await,
            (false, Some(button)) => self.presses(&button).await,
            (false, None) => bail!("nothing to do"),
        }
    }

    /// The form cannot be sent without a file, which these customers have none of.
    fn is_asked_for_files(&self) -> bool {
        let schema = &self.view["step"]["form"]["schema"];
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        required.into_iter().any(|name| schema["properties"][name]["x-ui"]["widget"] == "upload")
    }

    async fn presses(&mut self, button: &Value) -> Result<()> {
        let event = button["event"].as_str().unwrap_or_default();
        self.trail.push(event.to_owned());
        self.sends(event, button["data"].clone()).await
    }

    /// Wants to do something that only some do at this page.
    pub fn is_moved(&mut self) -> bool {
        self.random.random_bool(0.15)
    }

    pub fn email(&self) -> String {
        format!("{}@canary.example", self.name.split(' ').next_back().unwrap_or_default().to_lowercase())
    }

    /// Time may pass meanwhile.
    pub async fn rests(&self, pause: Duration) {
        self.crowd.waiting.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(pause).await;
        self.crowd.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    async fn looks_later(&mut self) {
        self.looks_after(&mut { LOOK }).await;
    }

    /// Looks again after a pause; each is longer than the one before.
    pub async fn looks_after(&mut self, pause: &mut Duration) {
        self.rests(*pause).await;
        *pause = (*pause * 2).min(LOOK_MAX);
        self.looks().await;
    }

    pub async fn looks(&mut self) {
        self.view = self.browser.view(self.id()).await;
    }

    async fn sends(&mut self, event: &str, data: Value) -> Result<()> {
        let data = if data.is_null() { json!({}) } else { data };
        let reply = self.browser.event(&self.view, event, data).await;
        match reply.status {
            200 => self.view = reply.json(),
            409 | 503 => self.looks_later().await,
            _ => bail!("{event}: {}", reply.text()),
        }
        Ok(())
    }

    /// Fills the form as it is drawn and corrects what is refused; the server names each field.
    async fn fills(&mut self) -> Result<()> {
        let step = self.step().to_owned();
        let rules = self.view["step"]["form"]["schema"].clone();
        let required: Vec<&str> =
            rules["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut data = self.view["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
        let messages = self.view["messages"].as_array().cloned().unwrap_or_default();
        for name in messages.iter().filter_map(|message| message["pointer"].as_str()) {
            data.remove(name.trim_start_matches('/'));
        }
        // One page comes twice: what the customer said did not help, so some of it is said anew.
        if self.trail.iter().rev().filter(|entry| !entry.starts_with('(')).nth(1) == Some(&step) {
            data.retain(|_, _| self.random.random_bool(0.6));
        }
        let properties = rules["properties"].as_object().cloned().unwrap_or_default();
        for (name, rule) in &properties {
            let wanted = required.contains(&name.as_str()) || self.random.random_bool(0.2);
            if !data.contains_key(name)
                && wanted
                && let Some(value) = self.answers_to(name, rule, &data).await
            {
                data.insert(name.clone(), value);
            }
        }
        for _ in 0..TRIES_MAX {
            let reply = self.browser.event(&self.view, "submit", Value::Object(data.clone())).await;
            match reply.status {
                200 => {
                    self.view = reply.json();
                    self.answers.insert(step, data);
                    return Ok(());
                }
                422 if reply.code() == "invalid" => self.corrects(&mut data, &properties, &reply.json()).await?,
                409 | 503 => {
                    self.looks_later().await;
                    return Ok(());
                }
                _ => bail!("{}", reply.text()),
            }
        }
        bail!("the form cannot be filled: {data:?}")
    }

    async fn corrects(
        &mut self,
        data: &mut Map<String, Value>,
        properties: &Map<String, Value>,
        problem: &Value,
    ) -> Result<()> {
        for error in problem["errors"].as_array().into_iter().flatten() {
            let name = error["pointer"].as_str().unwrap_or_default().trim_start_matches('/');
            let name = name.split('/').next().unwrap_or_default();
            let rule = properties.get(name).with_context(|| format!("{error} is about no field of the form"))?;
            data.remove(name);
            if error["code"] == "unknown" {
                continue;
            }
            match self.answers_to(name, rule, data).await {
                Some(value) => drop(data.insert(name.to_owned(), value)),
                // Nothing in the list goes with what the customer chose before.
                None => {
                    let before = rule["x-ui"]["filter"].as_object().into_iter().flatten();
                    for pointer in before.filter_map(|(_, pointer)| pointer.as_str()) {
                        data.remove(pointer.trim_start_matches('/'));
                    }
                }
            }
        }
        Ok(())
    }

    async fn answers_to(&mut self, name: &str, rule: &Value, so_far: &Map<String, Value>) -> Option<Value> {
        if name == "code" {
            return self.password().await.map(Value::String);
        }
        if name.contains("mobile") {
            return Some(json!(self.mobile));
        }
        if name == "registration" && self.random.random_bool(0.5) {
            return Some(json!(if self.line == "car" { "DL-3-CAB-1234" } else { "DL-3-SAB-1234" }));
        }
        let drawn = answer(&self.browser, &mut self.random, name, rule, so_far).await?;
        let words: Vec<&str> = self.name.split(' ').collect();
        Some(match name {
            "name" => json!(self.name),
            "proposer_first_name" => json!(words.first()),
            "proposer_last_name" => json!(words.last()),
            "proposer_email" if drawn != "a@b" => json!(self.email()),
            _ => drawn,
        })
    }

    /// The newest one-time password that the fake SMS partner has got for the customer.
    async fn password(&self) -> Option<String> {
        let path = format!("/sandbox/inbox.json?to={}", self.mobile);
        for _ in 0..600 {
            let inbox = self.browser.get(&path).await.ok(200);
            let mut texts = inbox["messages"].as_array().into_iter().flatten().filter_map(|one| one["text"].as_str());
            let code = texts.find_map(password_in);
            if let Some(code) = code {
                return Some(code.to_owned());
            }
            tokio::time::sleep(LOOK).await;
        }
        None
    }

    /// Changes the cover now and then, else takes one of the offers.
    async fn chooses(&mut self) -> Result<()> {
        self.random = self.later.take().unwrap_or_else(|| self.random.clone());
        let mut pause = LOOK;
        while self.offers().len() <= 5 && self.step().ends_with(".quotes") && self.view["step"]["waits"][0].is_object()
        {
            self.looks_after(&mut pause).await;
        }
        let offers = self.offers();
        self.priceless += usize::from(offers.is_empty());
        let changes: Vec<Value> =
            self.items_of("facts").into_iter().filter(|fact| fact["change"].is_object()).collect();
        match (offers.choose(&mut self.random).cloned(), changes.choose(&mut self.random)) {
            (_, Some(fact)) if self.random.random_bool(0.03) => {
                let to = fact["change"]["step"].clone();
                self.trail.push(format!("change {to}"));
                self.sends("change", json!({"step": to})).await
            }
            (Some(card), _) if self.random.random_bool(0.85) => {
                self.sends("select", card["action"]["data"].clone()).await?;
                self.chosen = card;
                Ok(())
            }
            _ => self.fills().await,
        }
    }

    fn offers(&self) -> Vec<Value> {
        self.items_of("options").into_iter().filter(|card| card["action"].is_object()).collect()
    }

    /// Pays on the gateway's page, or whatever else happens there.
    async fn pays(&mut self) -> Result<()> {
        let redirect = self.view["step"]["redirect"].clone();
        let fields: Vec<(&str, &str)> = redirect["fields"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
            .collect();
        let field = |name: &str| fields.iter().find(|(field, _)| *field == name).map_or("", |(_, value)| *value);
        self.is_charged_what_was_shown(field("amount").parse().context("an amount")?)?;
        let page = self.posts(redirect["url"].as_str().unwrap_or_default(), &fields).await;
        let (button, comes) = *[
            ("pay", true),
            ("pay", true),
            ("pay", true),
            ("pending", true),
            ("late", true),
            ("fail", false),
            ("wrong", true),
            ("close", false),
        ]
        .choose(&mut self.random)
        .expect("a button");
        self.trail.push(format!("gateway: {button}"));
        self.posts(&page, &[("button", button)]).await;
        self.paid.push(Paid { comes });
        self.posts(field("callback_url"), &[]).await;
        self.looks().await;
        Ok(())
    }

    /// Posts a form as a browser does; where the answer leads.
    async fn posts(&self, url: &str, fields: &[(&str, &str)]) -> String {
        let path = url.find("/sandbox/").or_else(|| url.find("/api/")).map_or(url, |from| &url[from..]);
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
        self.browser.send("POST", path, &headers, Some(body)).await.header("location").to_owned()
    }
}

/// A number in letters, for names.
fn letters(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
}
