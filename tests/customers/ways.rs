//! Ways in which customers come, beside alone in one browser: what must hold then, too.

use crate::answers::ILLNESS;
use crate::customer::{Customer, LOOK};
use anyhow::{Context as _, Result, ensure};
use journey_tests::people::{brings, password_in, places, read_out, sitting};
use journey_tests::server::Visitor;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// An example in the words that explain a plan to everybody.
const EXPLAINED: &str = "for diabetes at some insurers";
/// What an agent's links say; the partner confirms these ids.
const AGENT: &str = "_aid=A7&_uid=A8";
/// Looks until a one-time password must have come.
const LOOKS_MAX: usize = 400;
/// Two looks at one page, until nothing has happened between them.
const TWICE_MAX: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Alone,
    /// Has the account open from the start.
    SignedIn,
    /// Somebody else logs in afterwards, in the same browser.
    Shared,
    /// Comes by an address of an agent.
    Led,
    /// Somebody of the staff helps.
    Helped,
    /// Goes on with another device, found by this door.
    Returns(Door),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Home,
    Landing,
    Dashboard,
}

const WAYS: [Way; 9] = [
    Way::Alone,
    Way::SignedIn,
    Way::Helped,
    Way::Returns(Door::Home),
    Way::Shared,
    Way::Led,
    Way::Returns(Door::Landing),
    Way::Alone,
    Way::Returns(Door::Dashboard),
];

impl Way {
    /// The way of a customer: after so many lines those of one line each come another way.
    pub fn of(number: u64, lines: u64) -> Way {
        let at = (number + number / lines) % WAYS.len() as u64;
        usize::try_from(at).ok().and_then(|at| WAYS.get(at)).copied().unwrap_or(Way::Alone)
    }
}

/// Who is beside a customer.
#[derive(Default)]
pub struct Company {
    /// A staff member who helps, once they were let in.
    helper: Option<Visitor>,
    /// The customer in another browser.
    twin: Option<Visitor>,
    has_returned: bool,
}

impl Customer {
    /// Before the first page.
    pub async fn arrives(&self) -> Result<()> {
        match self.way {
            Way::SignedIn => self.signs_in(&self.browser, &self.mobile).await,
            Way::Led => {
                let opened = self.browser.get(&format!("{}?{AGENT}", self.line.landing())).await;
                ensure!([200, 302].contains(&opened.status), "an agent's address: {}", opened.status);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Checks a page that asks for something, by the customer's way.
    pub async fn is_not_alone(&mut self) -> Result<()> {
        let step = self.step().to_owned();
        match self.way {
            Way::SignedIn => ensure!(!step.contains(".otp."), "who is signed in is asked for a code"),
            Way::Led if self.is_proved().await? => self.sees_what_others_see().await?,
            Way::Helped => self.is_helped(&step).await?,
            Way::Returns(door) => self.returns_by(door, &step).await?,
            _ => {}
        }
        Ok(())
    }

    /// After the last page.
    pub async fn leaves(&mut self) -> Result<()> {
        let inbox = self.browser.get(&format!("/sandbox/inbox.json?to={}", self.mobile)).await;
        ensure!(!inbox.text().contains(ILLNESS), "a message speaks of an illness");
        match self.way {
            Way::Shared if self.is_proved().await? => self.is_followed_by_another().await,
            Way::Led => {
                for page in ["/staff", "/staff/records"] {
                    ensure!(self.browser.get(page).await.status == 404, "an agent's address opens {page}");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The number of the journey is shown to be theirs.
    async fn is_proved(&self) -> Result<bool> {
        Ok(self.store().await.journey(self.id()).await?.is_some_and(|journey| journey.person.is_some()))
    }

    /// One-time passwords that were sent to a number, the newest first.
    async fn passwords(&self, mobile: &str) -> Vec<String> {
        let inbox = self.browser.get(&format!("/sandbox/inbox.json?to={mobile}")).await.ok(200);
        let texts = inbox["messages"].as_array().into_iter().flatten().filter_map(|one| one["text"].as_str());
        texts.filter_map(password_in).map(str::to_owned).collect()
    }

    /// Logs in with this number; another code than the last may not be sent at once.
    async fn signs_in(&self, browser: &Visitor, mobile: &str) -> Result<()> {
        let before = self.passwords(mobile).await.len();
        let begun = browser.start("account/login", json!({"mobile": mobile})).await.ok(201);
        let login = begun["journey"]["id"].as_str().context("a login")?.to_owned();
        for _ in 0..LOOKS_MAX {
            self.rests(LOOK).await;
            let view = browser.view(&login).await;
            // where none was sent a code can only be asked for again
            let events = view["step"]["events"].as_array().into_iter().flatten();
            if !events.into_iter().any(|event| event["type"] == "resend") {
                continue;
            }
            let codes = self.passwords(mobile).await;
            let sent = match codes.first().filter(|_| codes.len() > before) {
                Some(code) => browser.event(&view, "submit", json!({"code": code})).await,
                None => browser.event(&view, "resend", json!({})).await,
            };
            ensure!([200, 409].contains(&sent.status), "a login: {}", sent.text());
            if sent.status == 200 && sent.json()["step"]["path"] == "in" {
                return Ok(());
            }
        }
        anyhow::bail!("nobody can log in with {mobile}")
    }

    /// Words of theirs that nobody else's pages have.
    fn own_words(&self) -> Vec<String> {
        let name = self.name.split(' ').next_back().unwrap_or_default();
        let words = [self.mobile.as_str(), name, &self.email(), ILLNESS].map(str::to_lowercase);
        words.into_iter().chain(self.words.written.iter().cloned()).collect()
    }

    /// Who logs in next in this browser finds nothing of what was proved here to be another's.
    async fn is_followed_by_another(&mut self) -> Result<()> {
        let other = format!("97{}", &self.mobile[2..]);
        self.trail.push("(another logs in)".to_owned());
        self.signs_in(&self.browser, &other).await?;
        let (id, mut words) = (self.id().to_owned(), self.own_words());
        let journey = format!("/api/v1/journeys/{id}");
        let documents = self.store().await.documents_in(std::slice::from_ref(&id)).await?;
        let documents = documents.iter().map(|document| format!("{journey}/documents/{}", document.id));
        for path in [journey.clone(), format!("{journey}/stream")].into_iter().chain(documents) {
            ensure!(self.browser.get(&path).await.status == 404, "who logs in next opens {path}");
        }
        words.push(id);
        for path in places(&self.server) {
            let reply = self.browser.get(&path).await;
            has_none_of("who logs in next", &path, &format!("{:?} {}", reply.headers, reply.text()), &words)?;
        }
        Ok(())
    }

    /// Checks that the customer is shown the same in a browser that no agent's address has brought.
    async fn sees_what_others_see(&mut self) -> Result<()> {
        if self.company.twin.is_none() {
            let twin = self.server.visitor();
            self.signs_in(&twin, &self.mobile).await?;
            self.company.twin = Some(twin);
        }
        let Some(twin) = &self.company.twin else { return Ok(()) };
        for _ in 0..TWICE_MAX {
            let (led, plain) = (self.browser.view(self.id()).await, twin.view(self.id()).await);
            if led["journey"]["seq"] == plain["journey"]["seq"] {
                let (led, plain) = (shown(&led), shown(&plain));
                ensure!(led == plain, "an agent's address changes what is seen: {led} instead of {plain}");
                return Ok(());
            }
        }
        Ok(())
    }

    /// Somebody is let in with a code, and sees each page with the customer's own words covered.
    async fn is_helped(&mut self, step: &str) -> Result<()> {
        let may_invite = events(&self.view).contains(&"invite");
        if self.company.helper.is_none() && may_invite && self.is_proved().await? {
            let view = self.browser.event(&self.view, "invite", json!({})).await.ok(200);
            // Each has a session of their own: it goes on under another token.
            let staff = self.mobile.bytes().fold(0_u8, |sum, digit| sum.wrapping_mul(10).wrapping_add(digit));
            let helper = sitting(&self.server, "call-centre", staff).await;
            let brought = brings(&helper, &read_out(&view)).await;
            ensure!(brought.status == 200, "a code is not taken: {}", brought.text());
            self.trail.push("(help)".to_owned());
            self.company.helper = Some(helper);
            self.looks().await;
        }
        let Some(helper) = &self.company.helper else { return Ok(()) };
        let (id, words) = (self.id(), self.own_words());
        let reply = helper.get(&format!("/api/v1/journeys/{id}")).await;
        let is_told = codes(&self.view).contains(&"journey.helped");
        ensure!(is_told == (reply.status == 200), "told of help: {is_told}, and who helps gets {}", reply.status);
        if !is_told {
            // The customer has sent them away; whoever is let in again comes later, by the product's clock.
            self.company.helper = None;
            self.rests(2 * LOOK).await;
            return Ok(());
        }
        has_none_of("the helper", step, &reply.text(), &words)?;
        let view = reply.json();
        let said = format!("{} {} {}", view["step"]["view"], view["step"]["review"], view["messages"]);
        let illnesses: Vec<String> = self.words.illnesses.iter().cloned().collect();
        has_none_of("whoever helps", step, &said.replace(EXPLAINED, ""), &illnesses)?;
        let page = view["step"]["url"].as_str().unwrap_or_default().to_owned();
        for path in [page.as_str(), "/staff", "/api/v1/journeys", "/api/v1/account/records"] {
            has_none_of("the helper", path, &helper.get(path).await.text(), &words)?;
        }
        for document in self.store().await.documents_in(&[id.to_owned()]).await? {
            let file = helper.get(&format!("/api/v1/journeys/{id}/documents/{}", document.id)).await;
            ensure!(file.status == 404, "the helper opens a document");
        }
        Ok(())
    }

    /// Goes on with another device: the request is there once, behind each door.
    async fn returns_by(&mut self, door: Door, step: &str) -> Result<()> {
        let is_time = step.ends_with("check") || self.is_moved();
        if self.company.has_returned || self.has_paid() || !is_time || !self.is_proved().await? {
            return Ok(());
        }
        let there = self.server.visitor();
        self.signs_in(&there, &self.mobile).await?;
        let (page, list) = match door {
            Door::Home => ("/".to_owned(), "/api/v1/journeys"),
            Door::Landing => (self.line.landing().to_owned(), "/api/v1/journeys"),
            Door::Dashboard => ("/dashboard".to_owned(), "/api/v1/account/dashboard"),
        };
        ensure!(there.get(&page).await.status == 200, "the door {page}");
        let listed = there.get(list).await.ok(200);
        let all = listed["data"]["journeys"].as_array().or(listed.as_array()).or(listed["journeys"].as_array());
        let own: Vec<&Value> = all.into_iter().flatten().filter(|one| one["id"] == self.id()).collect();
        ensure!(own.len() == 1, "{page} has the request {} times", own.len());
        let url = own.first().and_then(|one| one["url"].as_str()).context("an address of the request")?;
        ensure!(there.get(url).await.status == 200, "{page} leads to {url}");
        self.trail.push(format!("(another device: {page})"));
        self.company.has_returned = true;
        self.browser = there;
        self.looks().await;
        Ok(())
    }
}

fn has_none_of(whose: &str, place: &str, text: &str, words: &[String]) -> Result<()> {
    let small = text.to_lowercase();
    for word in words {
        ensure!(!small.contains(word.as_str()), "{whose} sees {word} of a customer at {place}");
    }
    Ok(())
}

fn codes(view: &Value) -> Vec<&str> {
    view["messages"].as_array().into_iter().flatten().filter_map(|message| message["code"].as_str()).collect()
}

fn events(view: &Value) -> Vec<&str> {
    view["step"]["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect()
}

/// What a page lets its reader do, asks and says.
fn shown(view: &Value) -> Value {
    let step = &view["step"];
    let properties = step["form"]["schema"]["properties"].as_object();
    let asked: BTreeSet<&String> = properties.into_iter().flatten().map(|(name, _)| name).collect();
    let may: BTreeSet<&str> = events(view).into_iter().collect();
    json!({"step": step["id"], "events": may, "changeable": step["changeable"], "asked": asked,
        "data": step["form"]["data"], "review": step["review"], "view": step["view"]})
}
