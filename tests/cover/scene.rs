//! A purchase, from the number plate to the papers, with everybody who is not its customer beside it.

use crate::watcher::{CANARIES, MOBILES, NAME, Watcher, answers};
use anyhow::{Context as _, Result, ensure};
use engine_definitions::Files;
use journey_tests::buyer::{Buyer, Errand, Next};
use journey_tests::people::{brings, comes_by, confirms_by, follows, holds, logs_in, messages, read_out, sitting};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// How somebody comes to help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Help {
    /// Begins the request; the customer confirms it by a link.
    Begins,
    /// The customer lets them in with a code.
    Code,
    /// Begins it in a session with a service token: the number is confirmed later.
    Token,
}

/// What is bought, who helps with it and how, and in which language they read it.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    pub line: &'static str,
    pub role: &'static str,
    pub help: Help,
    pub language: &'static str,
}

/// What a scene came to.
#[derive(Default)]
pub struct Seen {
    pub found: BTreeSet<String>,
    pub opened: usize,
    pub watchers: usize,
    /// Pages that were looked at.
    pub steps: BTreeSet<String>,
}

impl Seen {
    pub fn adds(&mut self, other: Seen) {
        self.found.extend(other.found);
        self.steps.extend(other.steps);
        self.opened += other.opened;
        self.watchers += other.watchers;
    }
}

const LOOK: Duration = Duration::from_millis(20);
/// Somebody else who is signed in.
const OTHER: &str = "9811111111";
/// More steps than a purchase has, with all of its waits.
const STEPS_MAX: usize = 2_000;

/// The product with these definitions.
pub async fn shop(files: Files) -> TestServer {
    TestServer::start_with(files, |settings| {
        (settings.limits.rate_per_s, settings.limits.rate_burst) = (0, 1_000_000);
        (settings.limits.write_rate_per_s, settings.limits.write_rate_burst) = (0, 1_000_000);
        settings.limits.starts_per_hour = 0;
        settings.otp.resend_ms = 0;
        settings.otp.per_hour = 1_000;
        settings.otp.per_day = 1_000;
        settings.otp.block_hour = 1_000_000;
        settings.otp.per_address_hour = 1_000_000;
        settings.otp.unproven_per_address_hour = 1_000_000;
        settings.otp.proof_bits = 4;
        settings.sandbox.delay_percent = 0;
    })
    .await
}

impl Scene {
    /// Plays it to a page that ends so, by default to the papers of the policy; `n` tells its people from those of
    /// others.
    pub async fn plays(self, server: &TestServer, n: u8, till: &str) -> Result<Seen> {
        let who = format!("{} who {} ({}, {})", self.role, self.help.words(), self.line, self.language);
        let mut helper = Watcher::new(server, &who, self.helper(server, n).await?);
        helper.browser.get(&format!("/?lang={}", self.language)).await;
        let mut buyer = match self.help {
            Help::Code => self.arrives(server, n).await?,
            Help::Begins | Help::Token => {
                helper.wrote = Some("contact.asking");
                self.is_begun(server, &helper, n).await?
            }
        };
        // Who has nothing to do with it need not come to every purchase of a shop.
        let mut all = if n == 1 { others(server, n).await? } else { Vec::new() };
        all.push(helper);
        let mut beside = Beside {
            scene: self,
            server,
            mobile: mobile(n),
            helper: all.len() - 1,
            all,
            let_in: false,
            steps: BTreeSet::new(),
        };
        let mut before = String::new();
        for _ in 0..STEPS_MAX {
            let step = buyer.step().to_owned();
            if buyer.view["step"]["kind"] != "wait" && step != before {
                before.clone_from(&step);
                beside.look(&mut buyer).await.context(step.clone())?;
                if step.ends_with(till) {
                    return Ok(beside.seen());
                }
                // Meanwhile it may have gone on by itself.
                continue;
            }
            match buyer.goes_on().await {
                Next::Ended => {
                    buyer.sends("summary", json!({})).await;
                }
                Next::Acted if buyer.step() != step => {}
                Next::Acted | Next::Waits => tokio::time::sleep(LOOK).await,
            }
        }
        anyhow::bail!("{who}: the purchase does not come to {till}, but to {}", buyer.view["step"]["id"])
    }

    async fn helper(self, server: &TestServer, n: u8) -> Result<Visitor> {
        if self.help != Help::Token {
            return Ok(sitting(server, self.role, n).await);
        }
        let people = &server.product.runtime.people;
        let token = people.new_service_token("dialer", self.role, &["inbound".to_owned()], 8).await;
        let token = token.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?;
        let browser = server.visitor();
        comes_by(&browser, "inbound").await;
        ensure!(holds(&browser, &token).await.status == 200, "the token is not taken");
        Ok(browser)
    }

    fn buyer(server: &TestServer, n: u8, browser: Visitor) -> Buyer {
        let buyer = Buyer::new(Errand::Car, n.into(), TestServer::first_day(), browser, server.visitor());
        buyer.saying(answers(&mobile(n)))
    }

    fn plate(self) -> Value {
        let plate = if self.line == "motor/bike" { "DL-3-SAB-1234" } else { "DL-3-CAB-1234" };
        json!({"kind": "registered", "registration": plate})
    }

    /// The customer begins alone.
    async fn arrives(self, server: &TestServer, n: u8) -> Result<Buyer> {
        let browser = server.visitor();
        let view = browser.start(self.line, self.plate()).await.ok(201);
        let mut buyer = Scene::buyer(server, n, browser);
        buyer.returns(view["journey"]["id"].as_str().context("a journey")?).await;
        Ok(buyer)
    }

    /// The helper begins, up to what only the customer may do; then it is theirs too.
    async fn is_begun(self, server: &TestServer, helper: &Watcher<'_>, n: u8) -> Result<Buyer> {
        let begun = helper.browser.start(self.line, self.plate()).await.ok(201);
        let id = begun["journey"]["id"].as_str().context("a journey")?.to_owned();
        let there = async || Some(helper.browser.view(&id).await).filter(|view| ends(view, "contact.asking"));
        let view = server.until("the contact", there).await;
        helper.browser.event(&view, "submit", json!({"name": NAME, "mobile": mobile(n)})).await.ok(200);
        if self.help == Help::Token {
            let caller = helper.browser.moved(server.product.url());
            let own = json!({"mobile": mobile(n)}).as_object().cloned().unwrap_or_default();
            let mut caller = Scene::buyer(server, n, caller).saying(own);
            caller.returns(&id).await;
            caller.comes_to("confirming.inviting").await;
        }
        let phone = confirms_by(server, &mobile(n), &id).await;
        let mut buyer = Scene::buyer(server, n, phone);
        buyer.returns(&id).await;
        if self.help == Help::Token {
            corrects(&mut buyer).await;
        }
        Ok(buyer)
    }
}

/// Everybody beside a customer.
struct Beside<'a> {
    scene: Scene,
    server: &'a TestServer,
    /// Mobile number of the customer.
    mobile: String,
    all: Vec<Watcher<'a>>,
    /// Which of them helps.
    helper: usize,
    /// The helper came with a code.
    let_in: bool,
    steps: BTreeSet<String>,
}

impl<'a> Beside<'a> {
    /// All of them look at the page that the customer has come to.
    async fn look(&mut self, buyer: &mut Buyer) -> Result<()> {
        let (id, step) = (buyer.id().to_owned(), buyer.step().to_owned());
        self.steps.insert(step.clone());
        if self.scene.help == Help::Code && !self.let_in && step.ends_with(".vehicle") {
            buyer.sends("invite", json!({})).await;
            let code = read_out(&buyer.view);
            ensure!(brings(&self.all[self.helper].browser, &code).await.status == 200, "the code is not taken");
            self.let_in = true;
        }
        let (documents, number) = (documents(&buyer.view), number(&buyer.view));
        for watcher in &mut self.all {
            watcher.number = number.clone().or(watcher.number.take());
            watcher.looks(&id, &documents).await;
        }
        if let Some(link) = self.shares(&id).await? {
            self.all.push(link);
        }
        if step.ends_with("issued") {
            for watcher in &mut self.all {
                watcher.looks_around(&id, &self.mobile).await;
            }
        } else if step.ends_with("check") {
            self.all[self.helper].looks_around(&id, &self.mobile).await;
            self.opens_each_step(buyer).await?;
        }
        buyer.returns(&id).await;
        Ok(())
    }

    /// The helper goes back to every step that they may change; the customer comes here again.
    async fn opens_each_step(&mut self, buyer: &mut Buyer) -> Result<()> {
        let id = buyer.id().to_owned();
        let view = self.all[self.helper].browser.get(&format!("/api/v1/journeys/{id}")).await;
        let view = if view.status == 200 { view.json() } else { return Ok(()) };
        let steps = view["step"]["changeable"].as_array().into_iter().flatten();
        // The later first: after the first page again, some are no longer asked.
        for step in steps.rev().filter_map(|one| one["step"].as_str()) {
            let helper = &mut self.all[self.helper];
            let view = helper.browser.view(&id).await;
            let opened = helper.browser.event(&view, "change", json!({"step": step})).await;
            ensure!(opened.status == 200, "{step} is not opened: {}", opened.text());
            helper.looks(&id, &[]).await;
            buyer.returns(&id).await;
            buyer.comes_to("check").await;
        }
        Ok(())
    }

    /// Whoever opens the link that the helper sends from this page, where one can be sent.
    async fn shares(&self, id: &str) -> Result<Option<Watcher<'a>>> {
        let helper = &self.all[self.helper].browser;
        let reply = helper.get(&format!("/api/v1/journeys/{id}")).await;
        if reply.status != 200 || !may(&reply.json(), "share_sms") {
            return Ok(None);
        }
        let (view, before) = (reply.json(), messages(self.server, &self.mobile).await);
        ensure!(helper.event(&view, "share_sms", json!({})).await.status == 200, "a link is not sent");
        let new = async || {
            let all = messages(self.server, &self.mobile).await;
            all.into_iter().find(|text| !before.contains(text) && text.contains("/r/"))
        };
        let (link, browser) = (self.server.until("a link", new).await, self.server.visitor());
        ensure!(follows(&browser, &link).await.status == 303, "the link does not open");
        let at = view["step"]["id"].as_str().unwrap_or_default();
        Ok(Some(Watcher::new(self.server, &format!("whoever has the link to {at}"), browser)))
    }

    fn seen(self) -> Seen {
        let mut seen = Seen { watchers: self.all.len(), steps: self.steps, ..Seen::default() };
        for watcher in self.all {
            seen.found.extend(watcher.found);
            seen.opened += watcher.opened;
        }
        seen
    }
}

/// The customer of a scene: no two share a number, and all of them its beginning.
fn mobile(n: u8) -> String {
    format!("{MOBILES}{n:03}")
}

impl Help {
    const fn words(self) -> &'static str {
        match self {
            Help::Begins => "began it",
            Help::Code => "was let in",
            Help::Token => "holds a token",
        }
    }
}

fn ends(view: &Value, end: &str) -> bool {
    view["step"]["id"].as_str().is_some_and(|step| step.ends_with(end))
}

fn may(view: &Value, event: &str) -> bool {
    view["step"]["events"].as_array().is_some_and(|events| events.iter().any(|one| one["type"] == event))
}

fn blocks<'v>(view: &'v Value, kind: &'v str) -> impl Iterator<Item = &'v Value> {
    let blocks = view["step"]["view"]["blocks"].as_array().into_iter().flatten();
    blocks.filter(move |block| block["block"] == kind).flat_map(|block| block["items"].as_array().into_iter().flatten())
}

/// Files of the journey that are for its customer.
fn documents(view: &Value) -> Vec<String> {
    let names = blocks(view, "documents").filter_map(|item| item["document"].as_str());
    names.filter(|name| *name != "paper").map(str::to_owned).collect()
}

fn number(view: &Value) -> Option<String> {
    let fact = blocks(view, "facts").find(|item| item["label"] == "Policy number")?;
    fact["value"].as_str().map(str::to_owned)
}

/// The customer writes what is theirs over what was written for them.
async fn corrects(buyer: &mut Buyer) {
    for end in ["owner", "address", "nominee"] {
        buyer.comes_to("vehicle_details").await;
        let line = buyer.step().split('.').next().unwrap_or_default().to_owned();
        buyer.sends("change", json!({"step": format!("{line}.{end}")})).await;
        buyer.goes_on().await;
    }
}

/// Everybody else there is.
async fn others(server: &TestServer, n: u8) -> Result<Vec<Watcher<'_>>> {
    let catalog = server.product.runtime.catalog();
    let mut all = Vec::new();
    for (at, (role, _)) in (n.wrapping_mul(16)..).zip(catalog.policy().roles()) {
        let browser = sitting(server, role, at.wrapping_add(100)).await;
        all.push(Watcher::new(server, &format!("another {role}"), browser));
    }
    if let Some(operator) = all.iter_mut().find(|one| one.who == "another operator") {
        let token = server.product.runtime.people.new_operator(&format!("asha {n}"), 8).await;
        operator.bearer = format!("Bearer {}", token.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?);
    }
    let customer = server.visitor();
    logs_in(server, &customer, OTHER).await;
    all.push(Watcher::new(server, "another customer", customer));
    let led = server.visitor();
    led.get("/car-insurance?_aid=A7&_uid=A8").await;
    all.push(Watcher::new(server, "whoever an agent sent", led));
    Ok(all)
}

/// Nothing of what a customer writes is in what everybody sees before there is one.
pub fn are_rare(files: &Files) -> bool {
    let texts = files.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).to_lowercase());
    texts.into_iter().all(|text| CANARIES.iter().all(|canary| !text.contains(canary)))
}
