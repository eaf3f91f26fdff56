//! One customer: reads what is drawn, answers legally or not, corrects what they are told to, presses any button.

use crate::answers::answer;
use crate::ways::{Company, Way};
use crate::words::OwnWords;
use anyhow::{Context as _, Result, bail, ensure};
use engine_runtime::{Clock as _, Operations};
use engine_store::Store;
use journey_tests::people::{hands_in, password_in};
use journey_tests::server::{Reply, TestServer, Visitor};
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
const STEPS_MAX: usize = 60;
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
    /// The insurer said no, or not yet; nothing was charged.
    Declined,
    /// The insurer thinks about it; nothing was charged.
    Referred,
    /// An advisor goes on with it.
    Told,
    /// Paid, and a person of ours is at it.
    Promised,
    Refunded,
    /// Left before they paid.
    Tired,
}

/// What a customer came to buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    Car,
    Bike,
    Lorry,
    Health,
    Term,
    Investment,
    Travel,
    Pet,
    Shop,
    Fire,
}

/// Of twelve customers.
const LINES: [Line; 12] = [
    Line::Car,
    Line::Health,
    Line::Term,
    Line::Car,
    Line::Lorry,
    Line::Bike,
    Line::Health,
    Line::Travel,
    Line::Term,
    Line::Pet,
    Line::Shop,
    Line::Investment,
];

impl Line {
    /// Every second customer of a shop insures it against fire.
    fn of(number: u64) -> Line {
        let turns = LINES.len() as u64;
        match LINES[usize::try_from(number % turns).expect("small")] {
            Line::Shop if number / turns % 2 == 1 => Line::Fire,
            line => line,
        }
    }

    pub fn workflow(self) -> &'static str {
        match self {
            Line::Car => "motor/car",
            Line::Bike => "motor/bike",
            Line::Lorry => "motor/commercial",
            Line::Health => "health/retail",
            Line::Term => "life/term",
            Line::Investment => "investment/plan",
            Line::Travel => "travel/trip",
            Line::Pet => "pet/cover",
            Line::Shop => "shop/cover",
            Line::Fire => "sme/fire",
        }
    }

    /// Where it begins.
    pub fn landing(self) -> &'static str {
        match self {
            Line::Car => "/car-insurance",
            Line::Bike => "/bike-insurance",
            Line::Lorry => "/commercial-vehicle-insurance",
            Line::Health => "/health-insurance",
            Line::Term => "/life-insurance/term-insurance",
            Line::Investment => "/investment",
            Line::Travel => "/travel-insurance",
            Line::Pet => "/pet-insurance",
            Line::Shop => "/shop-insurance",
            Line::Fire => "/sme/fire-insurance",
        }
    }

    /// Cars and bikes: more is known of what must hold.
    pub fn is_vehicle(self) -> bool {
        matches!(self, Line::Car | Line::Bike)
    }

    /// Nothing is paid here: an advisor goes on.
    fn is_led_on(self) -> bool {
        matches!(self, Line::Investment | Line::Travel | Line::Pet | Line::Shop | Line::Fire)
    }
}

/// A button of the gateway's page that the customer pressed.
pub struct Paid {
    /// Money came, now or later.
    pub comes: bool,
    /// What was asked for there, in paise.
    pub amount: i64,
}

pub struct Customer {
    crowd: Arc<Crowd>,
    pub server: Arc<TestServer>,
    pub browser: Visitor,
    random: StdRng,
    pub mobile: String,
    /// No other customer has it.
    pub name: String,
    pub line: Line,
    kind: &'static str,
    /// How they come, and who is beside them.
    pub way: Way,
    pub company: Company,
    pub trail: Vec<String>,
    /// How often all insurers had answered and none had a price.
    priceless: usize,
    /// What the customer has answered, by page.
    answers: BTreeMap<String, Map<String, Value>>,
    pub words: OwnWords,
    pub view: Value,
    /// The page before it.
    before: Value,
    /// The card that the customer took.
    pub chosen: Value,
    /// Price that a page said last before money was asked for, in paise.
    pub said: Option<i64>,
    /// The bank was told to keep money ready, or to take it month by month.
    pub has_agreed: bool,
    pub paid: Vec<Paid>,
}

impl Customer {
    pub fn new(server: Arc<TestServer>, crowd: Arc<Crowd>, seed: u64, number: u64) -> Customer {
        let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number);
        let line = Line::of(number);
        let kind = *["registered", "unknown", "new"].choose(&mut random).expect("a kind");
        let way = Way::of(number, LINES.len() as u64);
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
            trail: vec![format!("customer {number} of seed {seed}: {line:?}, {kind}, {way:?}")],
            priceless: 0,
            answers: BTreeMap::new(),
            words: OwnWords::default(),
            view: Value::Null,
            before: Value::Null,
            chosen: Value::Null,
            said: None,
            has_agreed: false,
            paid: Vec::new(),
        }
    }

    /// Comes another way than the number says.
    pub fn comes(&mut self, way: Way) {
        self.way = way;
        self.trail.push(format!("({way:?})"));
    }

    /// What became of the customer and the way there; an error names the rule that was broken.
    pub async fn buys(mut self) -> Result<(Line, End, Vec<String>)> {
        self.crowd.awake.fetch_add(1, Ordering::Relaxed);
        let walked = self.walks().await;
        self.crowd.awake.fetch_sub(1, Ordering::Relaxed);
        let end = match walked {
            Ok(end) => self.history_agrees().await.map(|()| end),
            Err(broken) => Err(broken),
        };
        let end = end.with_context(|| format!("{}\n{}", self.trail.join(" > "), self.view));
        Ok((self.line, end?, self.trail))
    }

    pub fn id(&self) -> &str {
        self.view["journey"]["id"].as_str().unwrap_or_default()
    }

    pub fn is_new(&self) -> bool {
        self.kind == "new"
    }

    /// What the customer was told to pay, in paise: of a vehicle on the card, else on the last page that said it.
    pub fn price(&self) -> Option<i64> {
        match self.line.is_vehicle() {
            true => self.chosen["price"]["paise"].as_i64(),
            false => self.said,
        }
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

    /// The insurer has not decided yet, and the page says what the customer can do meanwhile.
    fn is_referred(&self) -> bool {
        self.view["step"]["kind"] == "tracker" && !self.has_paid() && !self.line.is_vehicle()
    }

    fn is_asked_to_act(&self) -> bool {
        self.is_referred() && self.buttons().iter().any(|button| button["style"] == "primary")
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
        let promises = [
            "We'll call you by",
            "If it doesn't arrive, we'll call you",
            "Our team is checking it and will call you by",
            "It takes up to one working day",
        ];
        promises.iter().any(|words| page.contains(words))
    }

    fn plate(&self) -> &'static str {
        if self.line == Line::Car { "DL-3-CAB-1234" } else { "DL-3-SAB-1234" }
    }

    /// Nobody sells this to the customer, now at least.
    fn is_declined(&self) -> bool {
        let ends = ["declined", "postponed", "nobody", "closed", "kept", "refused"];
        self.view["step"]["kind"] == "message"
            && self.step().rsplit('.').next().is_some_and(|last| ends.contains(&last))
    }

    /// An advisor has the request.
    fn is_told(&self) -> bool {
        self.line.is_led_on() && self.view["step"]["kind"] == "message" && !self.id().is_empty()
    }

    async fn walks(&mut self) -> Result<End> {
        self.arrives().await?;
        let end = self.comes_to_an_end().await?;
        self.leaves().await?;
        Ok(end)
    }

    async fn comes_to_an_end(&mut self) -> Result<End> {
        let first = match self.kind {
            "registered" => json!({"kind": "registered", "registration": self.plate()}),
            kind => json!({"kind": kind}),
        };
        self.view = match self.line.is_vehicle() {
            true => self.browser.start(self.line.workflow(), first).await.ok(201),
            false => self.browser.get(&format!("/api/v1/workflows/{}/start", self.line.workflow())).await.ok(200),
        };
        for steps in 0..STEPS_PAID {
            if (steps >= STEPS_MAX || self.priceless >= PRICELESS_MAX) && !self.has_paid() {
                return Ok(End::Tired);
            }
            if !self.waited().await? {
                return self.promised().await;
            }
            let step = self.step().to_owned();
            self.trail.push(step.clone());
            self.reads_the_price()?;
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
            if self.is_declined() {
                self.money_has_an_end(false).await?;
                return Ok(End::Declined);
            }
            if self.is_told() {
                return Ok(End::Told);
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
        while self.waits() && !self.is_asked_to_act() {
            let waited_ms = self.now_ms() - since_ms;
            let is_told = !self.line.is_vehicle() && (self.is_referred() || !self.buttons().is_empty());
            let is_over = match self.is_promised() || is_told {
                true => since.elapsed() > PROMISED_MAX,
                false => since.elapsed() > WAIT_MAX && waited_ms > WAIT_MAX_MS && looks > WAIT_LOOKS,
            };
            if is_over {
                return Ok(!self.line.is_vehicle() && !self.is_promised() && !self.buttons().is_empty());
            }
            self.sees()?;
            self.looks_after(&mut pause).await;
            looks += 1;
        }
        Ok(true)
    }

    /// A page that waits for long is one of a paid customer, and says who is at it.
    async fn promised(&mut self) -> Result<End> {
        if !self.line.is_vehicle() && !self.has_paid() && (self.is_referred() || self.is_promised()) {
            self.money_has_an_end(false).await?;
            return Ok(End::Referred);
        }
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
        if !self.before["journey"]["id"].is_string() || self.has_paid() {
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
        if self.id().is_empty() {
            return self.fills().await;
        }
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
        let main: Vec<Value> = buttons.iter().filter(|button| button["style"] == "primary").cloned().collect();
        let is_straight = self.random.random_bool(0.8);
        let pressed =
            main.choose(&mut self.random).filter(|_| is_straight).or_else(|| buttons.choose(&mut self.random));
        let pressed = pressed.cloned();
        // what such a form says changes the page; a button leads on
        let changes = self.view["step"]["form"]["schema"]["x-ui"]["submit"] == "change";
        let presses = if changes { 0.8 } else { 0.05 };
        match (self.view["step"]["form"].is_object(), pressed) {
            (true, Some(button)) if self.random.random_bool(presses) => self.presses(&button).await,
            (true, _) => self.fills().await,
            (false, Some(button)) => self.presses(&button).await,
            (false, None) => bail!("nothing to do"),
        }
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
        let mut data = self.view["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
        let messages = self.view["messages"].as_array().cloned().unwrap_or_default();
        for pointer in messages.iter().filter_map(|message| message["pointer"].as_str()) {
            if let Some((fields, name, _)) = place(&mut data, &rules, pointer) {
                fields.remove(name);
            }
        }
        // One page comes twice: what the customer said did not help, so some of it is said anew.
        if self.trail.iter().rev().filter(|entry| !entry.starts_with('(')).nth(1) == Some(&step) {
            data.retain(|_, value| has_rows(value) || self.random.random_bool(0.6));
        }
        self.writes(&rules, &mut data).await;
        let mut refused = String::new();
        for _ in 0..TRIES_MAX {
            let reply = self.hands_over(&data).await;
            refused = reply.text();
            match reply.status {
                200 | 201 => {
                    self.view = reply.json();
                    self.words.add(&rules, &data);
                    self.answers.insert(step, data);
                    return Ok(());
                }
                422 if reply.code() == "invalid" => self.corrects(&mut data, &rules, &reply.json()).await?,
                409 | 503 => {
                    self.looks_later().await;
                    return Ok(());
                }
                _ => bail!("{}", reply.text()),
            }
        }
        bail!("the form cannot be filled: {data:?}, {refused}")
    }

    /// Sends the form; the first one begins the journey.
    async fn hands_over(&self, data: &Map<String, Value>) -> Reply {
        let data = Value::Object(data.clone());
        match self.id() {
            "" => self.browser.start(self.line.workflow(), data).await,
            _ => self.browser.event(&self.view, "submit", data).await,
        }
    }

    /// Answers what is asked for and not answered yet, also in rows, and now and then what is not.
    async fn writes(&mut self, rules: &Value, data: &mut Map<String, Value>) {
        let mut open = Vec::new();
        unanswered(rules, data, "", &mut open);
        for (pointer, is_required) in open {
            if !is_required && !self.random.random_bool(0.2) {
                continue;
            }
            let Some((fields, name, rule)) = place(data, rules, &pointer) else { continue };
            if let Some(value) = self.answers_to(name, rule, fields).await {
                fields.insert(name.to_owned(), value);
            }
        }
    }

    async fn corrects(&mut self, data: &mut Map<String, Value>, rules: &Value, problem: &Value) -> Result<()> {
        for error in problem["errors"].as_array().into_iter().flatten() {
            let pointer = error["pointer"].as_str().unwrap_or_default();
            let (fields, name, rule) =
                place(data, rules, pointer).with_context(|| format!("{error} is about no field of the form"))?;
            fields.remove(name);
            // what is not asked for need not be said
            if error["code"] == "unknown" || error["code"] != "required" && self.random.random_bool(0.3) {
                continue;
            }
            match self.answers_to(name, rule, fields).await {
                Some(value) => drop(fields.insert(name.to_owned(), value)),
                // Nothing in the list goes with what the customer chose before.
                None => {
                    let before = rule["x-ui"]["filter"].as_object().into_iter().flatten();
                    for pointer in before.filter_map(|(_, pointer)| pointer.as_str()) {
                        fields.remove(pointer.trim_start_matches('/'));
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
            return Some(json!(self.plate()));
        }
        if rule["x-ui"]["widget"] == "upload" {
            return Some(self.hands_in_a_paper(rule).await);
        }
        let slots: Vec<&Value> = rule["x-ui"]["slots"].as_array().into_iter().flatten().collect();
        let free: Vec<&Value> = slots.into_iter().filter(|slot| slot["full"] == false).collect();
        if let Some(slot) = free.choose(&mut self.random) {
            return Some(slot["key"].clone());
        }
        let drawn = answer(&self.browser, &mut self.random, name, rule, so_far).await?;
        let words: Vec<&str> = self.name.split(' ').collect();
        Some(match name {
            "name" => json!(self.name),
            "proposer_first_name" => json!(words.first()),
            "proposer_last_name" => json!(words.last()),
            "email" => json!(self.email()),
            "proposer_email" if drawn != "a@b" => json!(self.email()),
            _ => drawn,
        })
    }

    /// A paper of the kind that the field takes: one page that nobody else has.
    async fn hands_in_a_paper(&mut self, rule: &Value) -> Value {
        let kind = rule["x-ui"]["kind"].as_str().unwrap_or_default();
        let url = format!("/api/v1/journeys/{}/uploads", self.id());
        let sent = self.browser.get(&url).await.ok(200);
        let mut there = sent["uploads"].as_array().into_iter().flatten();
        if let Some(upload) = there.find(|upload| upload["kind"] == kind && upload["status"] == "ready") {
            let id = upload["id"].clone();
            return if rule["type"] == "array" { json!([id]) } else { id };
        }
        let page = "2 0 obj <</Type/Pages/Count 1>> endobj\n3 0 obj <</Type/Page/Parent 2 0 R>> endobj\n";
        let own: u64 = self.random.random();
        let paper = format!(
            "%PDF-1.4\n% {own}\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n{page}trailer <</Root 1 0 R>>\n%%EOF\n"
        );
        let id = hands_in(&self.browser, &url, kind, ("application/pdf", paper.as_bytes())).await;
        if rule["type"] == "array" { json!([id]) } else { json!(id) }
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
        let mut pause = LOOK;
        while self.offers().len() <= 5 && self.step().ends_with(".quotes") && self.is_answered_later() {
            self.looks_after(&mut pause).await;
        }
        let offers = self.offers();
        if offers.is_empty() {
            self.priceless += 1;
            let states = self.items_of("options").into_iter().map(|card| format!("{} {}", card["id"], card["text"]));
            self.trail.push(format!("(no price: {})", states.collect::<Vec<_>>().join(", ")));
        }
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

    /// Insurers have not answered yet.
    fn is_answered_later(&self) -> bool {
        self.view["step"]["waits"][0].is_object()
            || self.items_of("options").iter().any(|card| card["state"] == "asked")
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
        if !field("mandate_id").is_empty() {
            return self.agrees_at_the_bank(&redirect, &fields, &["agree", "agree", "refuse", "close"]).await;
        }
        let amount = field("amount").parse().context("an amount")?;
        self.is_charged_what_was_shown(amount)?;
        if !field("block_id").is_empty() {
            return self.agrees_at_the_bank(&redirect, &fields, &["agree", "agree", "expire", "refuse", "close"]).await;
        }
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
        self.paid.push(Paid { comes, amount });
        self.posts(field("callback_url"), &[]).await;
        self.looks().await;
        Ok(())
    }

    /// Presses something on the page of the bank that keeps money ready or takes it month by month.
    async fn agrees_at_the_bank(&mut self, redirect: &Value, fields: &[(&str, &str)], buttons: &[&str]) -> Result<()> {
        let page = self.posts(redirect["url"].as_str().unwrap_or_default(), fields).await;
        let button = *buttons.choose(&mut self.random).expect("a button");
        self.trail.push(format!("bank: {button}"));
        self.posts(&page, &[("button", button)]).await;
        self.has_agreed |= button == "agree";
        let back = fields.iter().find(|(field, _)| *field == "callback_url").map_or("", |(_, value)| *value);
        self.posts(back, &[]).await;
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

/// Whether an answer is a list of rows with fields of their own.
fn has_rows(value: &Value) -> bool {
    value.as_array().is_some_and(|rows| rows.iter().any(Value::is_object))
}

/// Pointers of fields without an answer, also in rows, and whether each is asked for.
fn unanswered(rules: &Value, data: &Map<String, Value>, at: &str, open: &mut Vec<(String, bool)>) {
    let required: Vec<&str> = rules["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, rule) in rules["properties"].as_object().into_iter().flatten() {
        match data.get(name) {
            Some(rows) if has_rows(rows) => {
                for (n, row) in rows.as_array().into_iter().flatten().enumerate() {
                    if let Some(row) = row.as_object() {
                        unanswered(row_rule(rule, n), row, &format!("{at}/{name}/{n}"), open);
                    }
                }
            }
            Some(_) => {}
            None => open.push((format!("{at}/{name}"), required.contains(&name.as_str()))),
        }
    }
}

/// The rule of a row of a list: each may have one of its own.
fn row_rule(rule: &Value, at: usize) -> &Value {
    rule["prefixItems"].get(at).unwrap_or(&rule["items"])
}

/// The fields among which a pointer names one, its name, and its rule.
fn place<'d, 'r>(
    data: &'d mut Map<String, Value>,
    rules: &'r Value,
    pointer: &'r str,
) -> Option<(&'d mut Map<String, Value>, &'r str, &'r Value)> {
    let (name, rest) = match pointer.trim_start_matches('/').split_once('/') {
        Some((name, rest)) => (name, Some(rest)),
        None => (pointer.trim_start_matches('/'), None),
    };
    let rule = rules["properties"].get(name)?;
    let within = rest.and_then(|rest| rest.split_once('/')).filter(|_| data.get(name).is_some_and(has_rows));
    let Some((row, inner)) = within else { return Some((data, name, rule)) };
    let rows = data.get_mut(name)?.as_array_mut()?;
    let at = row.parse().ok().or_else(|| rows.iter().position(|one| one["key"] == row))?;
    place(rows.get_mut(at)?.as_object_mut()?, row_rule(rule, at), inner)
}

/// A number in letters, for names.
fn letters(number: u64) -> String {
    number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
}
