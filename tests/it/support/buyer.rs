//! A customer of the shipped definitions who does at every page what leads to the end of their errand. No two have the
//! same vehicle, so that every one of them asks every partner.

use crate::people::password_in;
use crate::server::{PATIENCE, Visitor};
use chrono::{Days, NaiveDate};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The name of the cookie of a session.
pub const SESSION: &str = "__Host-session";

/// What the customer came for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Errand {
    /// A car's policy.
    Car,
    /// An advisor at the customer's home.
    Visit,
    /// The customer's account.
    Login,
}

/// Steps of a visit that is booked: today's, and that of the kept databases.
const BOOKED: [&str; 2] = ["visit.appointment.waiting", "visit.open.booked"];

/// What came of a look at the customer's page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The customer did what the page asks for.
    Acted,
    /// The page waits for somebody else; the customer has looked again.
    Waits,
    /// The policy is there, the visit is booked, the customer is signed in.
    Ended,
}

/// What a request was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A start or an event whose answer is a page to go on from.
    Step,
    /// A start or an event whose answer waits for partners, for a second at most.
    Call,
    /// A look at the journey.
    Look,
}

pub struct Buyer {
    errand: Errand,
    shop: Visitor,
    /// The fake partners' pages and inbox.
    partners: Visitor,
    random: StdRng,
    mobile: String,
    registration: String,
    today: NaiveDate,
    /// What the customer answers instead of what others do, by field.
    says: Map<String, Value>,
    pub view: Value,
    /// How long each request took since somebody looked.
    pub taken: Vec<(Asked, Duration)>,
}

impl Buyer {
    /// The customer of this number: whoever has the same one has their mobile and their car too.
    pub fn new(errand: Errand, number: u64, today: NaiveDate, shop: Visitor, partners: Visitor) -> Buyer {
        let mut random = StdRng::seed_from_u64(number);
        let series: String = ["A", "B"].map(|_| char::from(random.random_range(b'A'..=b'R'))).iter().collect();
        Buyer {
            errand,
            shop,
            partners,
            mobile: format!("9{:09}", 1 + (number * 7) % 999_000_000),
            registration: format!("DL-3-C{series}-{:04}", 1 + number % 9_999),
            random,
            today,
            says: Map::new(),
            view: Value::Null,
            taken: Vec::new(),
        }
    }

    /// The customer with answers of their own, by field; the mobile is one.
    pub fn saying(mut self, says: Map<String, Value>) -> Buyer {
        if let Some(mobile) = says.get("mobile").and_then(Value::as_str) {
            mobile.clone_into(&mut self.mobile);
        }
        self.says = says;
        self
    }

    pub fn id(&self) -> &str {
        self.view["journey"]["id"].as_str().unwrap_or_default()
    }

    pub fn step(&self) -> &str {
        self.view["step"]["id"].as_str().unwrap_or_default()
    }

    /// Comes back to a journey that the customer began before.
    pub async fn returns(&mut self, journey: &str) {
        self.view = self.shop.view(journey).await;
    }

    /// The customer's browser.
    pub fn browser(&self) -> &Visitor {
        &self.shop
    }

    /// The session's cookie: whoever has it is the customer.
    pub fn cookie(&self) -> String {
        self.shop.cookie(SESSION)
    }

    /// Looks at the customer's page, and does what leads on from it. Panics where an answer is not what the API
    /// promises.
    pub async fn goes_on(&mut self) -> Next {
        if self.view.is_null() {
            let (workflow, data) = match self.errand {
                Errand::Car => ("motor/car", json!({"kind": "registered", "registration": self.registration})),
                Errand::Visit => (
                    "health/advisor-at-home",
                    json!({"name": "Asha Rao", "mobile": self.mobile, "pincode": "560001", "consent": true}),
                ),
                Errand::Login => ("account/login", json!({"mobile": self.mobile})),
            };
            let (reply, took) = timed(self.shop.start(workflow, data)).await;
            return self.came(reply.ok(201), took);
        }
        // The one vehicle's steps are the other's.
        let step = self.step().replacen("bike.", "car.", 1);
        match step.as_str() {
            "car.policy.issued" | "login.in" => Next::Ended,
            booked if BOOKED.iter().any(|step| booked.starts_with(step)) => Next::Ended,
            "car.quotes" => self.chooses().await,
            "car.contact.otp.asking" | "visit.otp.asking" | "login.otp.asking" => match self.password().await {
                Some(_) if self.is_refused() => self.sends("resend", json!({})).await,
                Some(code) => self.sends("submit", json!({"code": code})).await,
                None => self.looks().await,
            },
            "car.purchase.payment.paying" => self.pays().await,
            "car.purchase.payment.failed" => self.sends("retry", json!({})).await,
            _ if ["wait", "tracker"].contains(&self.view["step"]["kind"].as_str().unwrap_or_default()) => {
                self.looks().await
            }
            _ => {
                let data = self.answers(&step);
                self.sends("submit", data).await
            }
        }
    }

    /// Goes on until the customer's page is one that ends so.
    pub async fn comes_to(&mut self, end: &str) {
        let until = Instant::now() + 4 * PATIENCE;
        while !self.step().ends_with(end) {
            assert!(Instant::now() < until, "at {} instead of {end}: {}", self.step(), self.view);
            if self.goes_on().await == Next::Waits {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    /// What is on the form already, and the customer's own answers to what it asks.
    fn answers(&mut self, step: &str) -> Value {
        let form = self.view["step"]["form"].clone();
        let mut data: Map<String, Value> = form["data"].as_object().cloned().unwrap_or_default();
        let ends = self.today.checked_add_days(Days::new(14)).expect("a day").to_string();
        let own = match step {
            "car.contact.asking" => json!({"name": "Asha Rao", "mobile": self.mobile, "consent": true}),
            "car.previous" => {
                json!({"owner_changed": false, "policy_type": "comprehensive", "active": true, "claim": false, "ncb": 20,
                "previous_policy_end_date": ends, "previous_insurer": "10", "third_party_runs": false, "had_add_ons": false})
            }
            "car.owner" => {
                json!({"customer_type": "individual", "proposer_title": "Ms", "proposer_first_name": "Asha", "proposer_last_name": "Rao",
                "proposer_gender": "female", "dob": "1990-04-12", "proposer_mobile": self.mobile, "proposer_email": "asha@example.com"})
            }
            "visit.address" => json!({"address_line_1": "12 Lake View", "address_line_2": "MG Road"}),
            "visit.appointment.time" | "visit.time" => json!({"slot": self.slot()}),
            "car.address" => {
                json!({"pincode": "110001", "address_line_1": "12 Lake View", "address_line_2": "Janpath"})
            }
            "car.nominee" => json!({"nominee_name": "Ravi Rao", "nominee_age": 38, "nominee_relation": "spouse"}),
            "car.vehicle_details" => json!({"previous_policy_number": "OG-25-1234-5678", "terms": true}),
            "car.purchase.kyc.asking" => {
                json!({"document": "pan_card", "pan_number": "ABCPE1234F", "occupation": "salaried", "income_source": "salary",
                "is_politically_exposed_person": false, "kyc_consent": true})
            }
            _ => json!({}),
        };
        data.extend(own.as_object().cloned().unwrap_or_default());
        data.extend(self.says.clone());
        if step == "car.owner" {
            data.entry("is_financed").or_insert(json!(false));
        }
        data.retain(|name, value| !value.is_null() && form["schema"]["properties"].get(name).is_some());
        Value::Object(data)
    }

    /// A free time of the form.
    fn slot(&mut self) -> Value {
        let slots = &self.view["step"]["form"]["schema"]["properties"]["slot"]["x-ui"]["slots"];
        let free: Vec<&Value> = slots.as_array().into_iter().flatten().filter(|slot| slot["full"] == false).collect();
        free.choose(&mut self.random).map(|slot| slot["key"].clone()).unwrap_or_default()
    }

    /// Takes one of the offers; looks again while there is none.
    async fn chooses(&mut self) -> Next {
        let blocks = self.view["step"]["view"]["blocks"].as_array().cloned().unwrap_or_default();
        let cards = blocks.iter().filter(|block| block["block"] == "options");
        let cards = cards.flat_map(|block| block["items"].as_array().cloned().unwrap_or_default());
        let offers: Vec<Value> = cards.filter(|card| card["action"]["label"] == "Buy now").collect();
        match offers.choose(&mut self.random) {
            Some(card) => self.sends("select", card["action"]["data"].clone()).await,
            None => self.looks().await,
        }
    }

    /// The newest one-time password that the fake SMS partner has got for the customer.
    async fn password(&self) -> Option<String> {
        let inbox = self.partners.get(&format!("/sandbox/inbox.json?to={}", self.mobile)).await.ok(200);
        let texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
        texts.filter_map(password_in).next().map(str::to_owned)
    }

    /// Whether the page says what is wrong with what the customer sent: the password was too old.
    fn is_refused(&self) -> bool {
        self.view["messages"].as_array().is_some_and(|all| all.iter().any(|message| message["level"] == "error"))
    }

    /// Pays on the gateway's page, and comes back.
    async fn pays(&mut self) -> Next {
        let redirect = self.view["step"]["redirect"].clone();
        let fields = redirect["fields"].as_object().into_iter().flatten();
        let fields: Vec<(&str, &str)> =
            fields.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
        let page = posts(&self.partners, redirect["url"].as_str().unwrap_or_default(), &fields).await;
        posts(&self.partners, &page, &[("button", "pay")]).await;
        posts(&self.shop, redirect["fields"]["callback_url"].as_str().unwrap_or_default(), &[]).await;
        self.looks().await;
        Next::Acted
    }

    /// Presses something of the customer's own choice.
    pub async fn sends(&mut self, kind: &str, data: Value) -> Next {
        let (reply, took) = timed(self.shop.event(&self.view, kind, data)).await;
        match reply.status {
            200 => self.came(reply.json(), took),
            // A deadline or an answer was faster.
            409 => self.looks().await,
            _ => panic!("`{kind}` at `{}`: {} {}", self.step(), reply.status, reply.text()),
        }
    }

    async fn looks(&mut self) -> Next {
        let (view, took) = timed(self.shop.view(self.id())).await;
        self.view = view;
        self.taken.push((Asked::Look, took));
        Next::Waits
    }

    fn came(&mut self, view: Value, took: Duration) -> Next {
        self.view = view;
        let waits = self.view["step"]["kind"] == "wait";
        self.taken.push((if waits { Asked::Call } else { Asked::Step }, took));
        Next::Acted
    }
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let begun = Instant::now();
    (work.await, begun.elapsed())
}

/// Posts a form as a browser does; where the answer leads.
async fn posts(to: &Visitor, url: &str, fields: &[(&str, &str)]) -> String {
    let path = url.find("/sandbox/").or_else(|| url.find("/api/")).map_or(url, |from| &url[from..]);
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
    let reply = to.send("POST", path, &headers, Some(body)).await;
    assert!(reply.status < 400, "{path}: {} {}", reply.status, reply.text());
    reply.header("location").to_owned()
}
