//! Somebody who is not the customer, opens whatever there is, and finds nothing that the customer wrote.

use journey_tests::people::{places, post};
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What every customer of these scenes answers, by field; the number is their own.
pub fn answers(mobile: &str) -> Map<String, Value> {
    let answers = json!({
        "name": NAME, "mobile": mobile, "proposer_mobile": mobile, "proposer_email": "zeb.quix@canary.example",
        "proposer_first_name": "Zebediah", "proposer_last_name": "Quixworth", "dob": "1987-03-29",
        "address_line_1": "77 Quillfeather House", "address_line_2": "Xylophone Lane",
        "nominee_name": "Wilhelmina Quixworth", "pan_number": "ZQXPC4571K", "engine_number": "K12MZQ77431",
        "chassis_number": "MA3ZPEJKD77431905", "previous_policy_number": "OG-77-4431-9055",
    });
    answers.as_object().cloned().unwrap_or_default()
}

/// Digits with which the numbers of all customers begin.
pub const MOBILES: &str = "9726864";
pub const NAME: &str = "Zebediah Quixworth";

/// What must not be seen, in every spelling that a page could have.
pub const CANARIES: [&str; 15] = [
    "zebediah",
    "quixworth",
    MOBILES,
    "97268 64",
    "zeb.quix@canary.example",
    "1987-03-29",
    "29 mar 1987",
    "29/03/1987",
    "zqxpc4571k",
    "k12mzq77431",
    "ma3zpejkd77431905",
    "quillfeather",
    "xylophone",
    "og-77-4431-9055",
    "wilhelmina",
];

pub struct Watcher<'a> {
    pub server: &'a TestServer,
    pub browser: Visitor,
    pub who: String,
    /// The page that they wrote themselves, by the end of its step: there their own words may stand.
    pub wrote: Option<&'static str>,
    /// What stands in the header of who comes with a token of operators.
    pub bearer: String,
    /// Number of the policy: nobody knows it before.
    pub number: Option<String>,
    /// What was found that must not be seen, and what was open that must not be.
    pub found: BTreeSet<String>,
    /// Answers that were searched.
    pub opened: usize,
}

impl<'a> Watcher<'a> {
    pub fn new(server: &'a TestServer, who: &str, browser: Visitor) -> Watcher<'a> {
        let (who, bearer) = (who.to_owned(), String::new());
        Watcher { server, browser, who, wrote: None, bearer, number: None, found: BTreeSet::new(), opened: 0 }
    }

    fn searches(&mut self, place: &str, text: &str) {
        self.opened += 1;
        let small = text.to_lowercase();
        let known = self.number.iter().map(|number| number.to_lowercase());
        for canary in CANARIES.into_iter().map(str::to_owned).chain(known) {
            let Some(at) = small.find(&canary) else { continue };
            let around = small.get(at.saturating_sub(120)..(at + 60).min(small.len())).unwrap_or(&canary);
            self.found.insert(format!("{}: {place} has `{canary}`: {around:?}", self.who));
        }
    }

    async fn opens(&mut self, path: &str) -> u16 {
        let headers: Vec<(&str, &str)> =
            (!self.bearer.is_empty()).then_some(("authorization", &*self.bearer)).into_iter().collect();
        let reply = self.browser.send("GET", path, &headers, None).await;
        let place = path.split(|letter: char| letter.is_ascii_digit()).next().unwrap_or(path).to_owned();
        self.searches(&place, &format!("{:?} {}", reply.headers, reply.text()));
        reply.status
    }

    /// Looks at this journey as it is now: page, refusals, stream, paper, documents.
    pub async fn looks(&mut self, id: &str, documents: &[String]) {
        let journey = format!("/api/v1/journeys/{id}");
        let view = self.browser.get(&journey).await;
        if view.status == 200 {
            let view = view.json();
            let step = view["step"]["id"].as_str().unwrap_or_default().to_owned();
            if self.wrote.is_none_or(|wrote| !step.ends_with(wrote)) {
                self.searches(&step, &view.to_string());
                let page = view["step"]["url"].as_str().unwrap_or_default().to_owned();
                self.opens(&page).await;
                self.sends_what_is_refused(&view).await;
            }
            let mut changes = self.browser.stream(id).await;
            let first = changes.next().await.unwrap_or_default();
            self.searches("the stream", &first.to_string());
            self.prints(id).await;
        } else {
            self.searches("what is not theirs", &view.text());
        }
        for document in documents {
            if self.opens(&format!("{journey}/documents/{document}")).await != 404 {
                self.found.insert(format!("{}: a document is there", self.who));
            }
        }
    }

    /// Every page and every list of who is signed in, whatever the site has; operators' too.
    pub async fn looks_around(&mut self, id: &str, mobile: &str) {
        for path in places(self.server) {
            self.opens(&path).await;
        }
        for path in [
            "effects?state=all&limit=1000".to_owned(),
            "incidents?all=true&limit=1000".to_owned(),
            format!("journeys/{id}/history"),
        ] {
            let status = self.opens(&format!("/api/v1/operator/{path}")).await;
            if (status == 200) == self.bearer.is_empty() {
                self.found.insert(format!("{}: operator/{path} is answered {status}", self.who));
            }
        }
        for search in [mobile, &mobile[5..], "car", "Quixworth"] {
            // What they typed may come back.
            let own = if search == "car" { "" } else { search };
            let found = post(&self.browser, "account/search", &[], json!({"search": search})).await;
            self.searches("a search", &found.text().replace(own, ""));
            let listed = self.browser.get(&format!("/api/v1/account/records?search={search}")).await;
            self.searches("a list", &listed.text().replace(own, ""));
        }
    }

    /// The errors and conflicts of the shown step.
    async fn sends_what_is_refused(&mut self, view: &Value) {
        let mut old = view.clone();
        old["journey"]["revision"] = json!(0);
        let names = view["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
        let nonsense: Map<String, Value> = names.keys().map(|name| (name.clone(), json!("?"))).collect();
        for (sent, data) in [(&old, Value::Object(nonsense)), (view, json!({"nothing": "?"}))] {
            let refused = self.browser.event(sent, "submit", data).await;
            if refused.status == 200 {
                self.found.insert(format!("{}: nonsense is taken at {}", self.who, view["step"]["id"]));
            }
            self.searches("a refusal", &refused.text());
        }
    }

    /// What the step prints, as blocks: a PDF has its letters packed.
    async fn prints(&mut self, id: &str) {
        let runtime = &self.server.product.runtime;
        let token = self.browser.cookie("__Host-session");
        let Ok(Some(actor)) = runtime.people.session(&token).await else { return };
        if let Ok(paper) = runtime.journeys.paper(&actor, id).await {
            self.searches("the paper", &format!("{} {}", paper.title, json!(paper.blocks)));
        }
    }
}
