//! Random customers buy cars and bikes over HTTP: each reads what is drawn, answers legally or not, corrects what she is
//! told to, and chooses any button. Whatever she does, the rules below `Customer::sees` and `Customer::end` hold.
//! `CUSTOMERS=500 SEED=7` for others than the usual ones.

use crate::purchase::{encoded, local};
use engine_definitions::Files;
use futures::StreamExt;
use journey_tests::server::{TestServer, Visitor};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const TODAY: &str = "2026-11-21";
/// Steps that one customer takes at most, and how long each may take to come.
const STEPS_MAX: usize = 120;
const STEP_MAX: Duration = Duration::from_secs(60);
/// Texts that no rule of a form describes, by the name of the field; some make a partner refuse.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "registration",
        &[
            "DL-3-CAB-1234",
            "MH-12-AB-1234",
            "UP-16-XY-9999",
            "KA-1-AB-0404",
            "KA-1-AB-0500",
            "DL-3-SAB-1234",
            "TN-37-CC-4321",
        ],
    ),
    ("pincode", &["110001", "411001", "560001", "744101", "999999"]),
    ("engine_number", &["K12MN1234567", "K12MN1234567", "K12MN1234567", "BADENGINE99", "ERRKEY05X", "ERRKEY27X"]),
    ("chassis_number", &["MA3EJKD1S00123456", "MA3EJKD1S00123456", "BADCHASSIS1"]),
    ("pan_number", &["ABCPR1234K", "ABCPS0000K", "ABCPN8888K"]),
    ("firm_pan_number", &["AAACB1234C", "AAAFB1234C"]),
    ("gstin_number", &["07AAACB1234C1Z5"]),
    ("cin_number", &["U12345DL2015PTC123456"]),
    ("llpin_number", &["AAB1234"]),
    ("aadhar_number", &["234567891234"]),
    ("ckyc_number", &["12345678901234"]),
    ("driving_license", &["DL0420110149646"]),
    ("voter_id_card", &["ABC1234567"]),
    ("passport_number", &["M1234567"]),
    ("passport_file_number", &["DL1234567890123"]),
    ("proposer_email", &["asha@example.com", "a@b"]),
    ("dob", &["1990-04-12", "2012-01-01"]),
    ("previous_policy_end_date", &["2026-12-05", "2026-11-01", "2026-08-01", "2027-03-01", "2028-07-08", "2030-11-21"]),
    ("third_party_end_date", &["2027-06-30", "2028-07-08", "2026-12-01"]),
    ("registered_on", &["2025-07-09", "2021-06-15", "2012-05-09", "2026-11-11"]),
    ("date_of_incorporation", &["2015-03-02"]),
];

struct Customer {
    browser: Visitor,
    view: Value,
    random: StdRng,
    mobile: String,
    line: &'static str,
    trail: Vec<String>,
    /// What she has answered, by field: kept while she corrects.
    answers: BTreeMap<String, Map<String, Value>>,
    chosen: Option<Value>,
}

impl Customer {
    fn said(&self, what: &str) -> String {
        format!("{what}\n{}\n{}", self.trail.join(" > "), self.view)
    }

    fn step(&self) -> &str {
        self.view["step"]["id"].as_str().unwrap_or_default()
    }

    /// Rules of every page: there is a way on, and messages name fields that are on it.
    fn sees(&self) {
        let step = &self.view["step"];
        let fields = &step["form"]["schema"]["properties"];
        for message in self.view["messages"].as_array().into_iter().flatten() {
            let pointer = message["pointer"].as_str().unwrap_or_default();
            let field = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
            assert!(pointer.is_empty() || fields.get(field).is_some(), "{}", self.said(&format!("no field {pointer}")));
            assert!(
                message["text"].as_str().is_some_and(|text| !text.starts_with("status ")),
                "{}",
                self.said("a bare status")
            );
        }
        let waits = ["wait", "tracker"].contains(&step["kind"].as_str().unwrap_or_default());
        let ways = step["form"].is_object()
            || step["redirect"].is_object()
            || waits
            || !self.buttons().is_empty()
            || step["kind"] == "review";
        assert!(ways, "{}", self.said("no way on"));
    }

    fn buttons(&self) -> Vec<Value> {
        let blocks = self.view["step"]["view"]["blocks"].as_array().cloned().unwrap_or_default();
        let actions = blocks.iter().filter(|block| block["block"] == "actions");
        actions.flat_map(|block| block["items"].as_array().cloned().unwrap_or_default()).collect()
    }

    fn offers(&self) -> Vec<Value> {
        let blocks = self.view["step"]["view"]["blocks"].as_array().cloned().unwrap_or_default();
        let options = blocks.iter().filter(|block| block["block"] == "options");
        let cards = options.flat_map(|block| block["items"].as_array().cloned().unwrap_or_default());
        cards.filter(|card| card["state"] == "quoted" && card["action"].is_object()).collect()
    }

    async fn looks(&mut self) {
        let id = self.view["journey"]["id"].as_str().expect("a journey").to_owned();
        self.view = self.browser.view(&id).await;
    }

    /// An answer to a field: one of the choices, a row of the list behind it, or a text that fits its rules.
    async fn answer(&mut self, name: &str, rule: &Value, so_far: &Map<String, Value>) -> Option<Value> {
        if name == "code" {
            return Some(json!(self.password().await));
        }
        if name.contains("mobile") {
            return Some(json!(self.mobile));
        }
        if let Some((_, texts)) = TEXTS.iter().find(|(field, _)| *field == name) {
            return texts.choose(&mut self.random).map(|text| json!(text));
        }
        if rule["const"] == true {
            return Some(json!(true));
        }
        let choices: Vec<&Value> = match (rule["oneOf"].as_array(), rule["enum"].as_array()) {
            (Some(list), _) => list.iter().map(|choice| &choice["const"]).collect(),
            (_, Some(list)) => list.iter().collect(),
            _ => Vec::new(),
        };
        if let Some(choice) = choices.choose(&mut self.random) {
            return Some((*choice).clone());
        }
        let ui = &rule["x-ui"];
        if ui["widget"] == "lookup" {
            let mut path = format!("/api/v1/master/{}?limit=40", ui["source"].as_str()?);
            for (column, pointer) in ui["filter"].as_object().into_iter().flatten() {
                let value = so_far.get(pointer.as_str()?.trim_start_matches('/'))?.as_str()?.to_owned();
                path += &format!("&{column}={value}");
            }
            let rows = self.browser.get(&path).await.ok(200);
            let row = rows["rows"].as_array()?.choose(&mut self.random)?.clone();
            return Some(row[ui["value"].as_str()?].clone());
        }
        match rule["type"].as_str()? {
            "boolean" => Some(json!(self.random.random_bool(0.5))),
            "integer" => {
                let (low, high) = (rule["minimum"].as_i64().unwrap_or(0), rule["maximum"].as_i64().unwrap_or(90));
                let step = rule["multipleOf"].as_i64().unwrap_or(1);
                Some(json!(self.random.random_range(low / step..=high / step) * step))
            }
            "array" => {
                let choices = rule["items"]["oneOf"].as_array()?;
                let some: Vec<&Value> =
                    choices.choose_multiple(&mut self.random, 2).map(|choice| &choice["const"]).collect();
                Some(json!(some))
            }
            _ if rule["format"] == "date" => Some(json!(TODAY)),
            _ => Some(json!("Asha Rao")),
        }
    }

    async fn password(&self) -> String {
        let path = format!("/sandbox/inbox.json?to={}", self.mobile);
        for _ in 0..600 {
            let inbox = self.browser.get(&path).await.ok(200);
            let code = inbox["messages"][0]["text"]
                .as_str()
                .and_then(|text| text.split(' ').next())
                .filter(|word| word.len() == 6);
            if let Some(code) = code {
                return code.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{}", self.said("no password"));
    }

    /// Fills the form as it is drawn and corrects what is refused; the server names each field.
    async fn fills(&mut self) {
        let step = self.step().to_owned();
        let rules = self.view["step"]["form"]["schema"].clone();
        let required: Vec<String> = rules["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect();
        let mut data = self.view["step"]["form"]["data"].as_object().cloned().unwrap_or_default();
        data.extend(self.answers.remove(&step).unwrap_or_default());
        for message in self.view["messages"].as_array().cloned().into_iter().flatten() {
            if let Some(name) = message["pointer"].as_str() {
                data.remove(name.trim_start_matches('/'));
            }
        }
        let names: Vec<String> =
            rules["properties"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
        for name in &names {
            let wanted = required.contains(name) || self.random.random_bool(0.2);
            let hidden = ["hidden", "consent"]
                .contains(&rules["properties"][name]["x-ui"]["widget"].as_str().unwrap_or_default());
            if !data.contains_key(name) && wanted && !(hidden && !required.contains(name)) {
                if let Some(value) = self.answer(name, &rules["properties"][name], &data).await {
                    data.insert(name.clone(), value);
                }
            }
        }
        for _ in 0..40 {
            let reply = self.browser.event(&self.view, "submit", Value::Object(data.clone())).await;
            match reply.status {
                200 => {
                    self.view = reply.json();
                    self.answers.insert(step, data);
                    return;
                }
                422 if reply.code() == "invalid" => {
                    for error in reply.json()["errors"].as_array().cloned().into_iter().flatten() {
                        let pointer = error["pointer"].as_str().unwrap_or_default().to_owned();
                        let name = pointer.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
                        assert!(names.contains(&name), "{}", self.said(&format!("{error} is about no field")));
                        data.remove(&name);
                        if error["code"] != "unknown"
                            && let Some(value) = self.answer(&name, &rules["properties"][&name], &data).await
                        {
                            data.insert(name, value);
                        }
                    }
                }
                409 => return self.looks().await,
                _ => panic!("{}", self.said(&reply.text())),
            }
        }
        panic!("{}", self.said(&format!("the form cannot be filled: {data:?}")));
    }

    async fn sends(&mut self, event: &str, data: Value) {
        let reply = self.browser.event(&self.view, event, data).await;
        match reply.status {
            200 => self.view = reply.json(),
            409 => self.looks().await,
            _ => panic!("{}", self.said(&format!("{event}: {}", reply.text()))),
        }
    }

    /// Changes the cover now and then, else takes one of the offers.
    async fn chooses(&mut self) {
        for _ in 0..100 {
            if self.offers().len() > 5 || self.step() != "quotes" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            self.looks().await;
        }
        if self.random.random_bool(0.3) {
            return self.fills().await;
        }
        let offers = self.offers();
        let Some(card) = offers.choose(&mut self.random).cloned() else { return self.fills().await };
        self.chosen = Some(card.clone());
        self.sends("select", card["action"]["data"].clone()).await;
    }

    /// On the gateway's page: pays, or the bank refuses.
    async fn pays(&mut self) {
        let redirect = self.view["step"]["redirect"].clone();
        let price = self.chosen.as_ref().expect("a plan")["price"]["paise"].as_i64();
        let fields = redirect["fields"].as_object().expect("fields").clone();
        let amount = fields["amount"].as_str().and_then(|amount| amount.parse::<i64>().ok());
        assert_eq!(amount, price, "{}", self.said("another price is charged than was shown"));
        let told: Vec<(String, String)> =
            fields.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned())).collect();
        let shown = self.posts(local(redirect["url"].as_str().expect("a page")), &told).await;
        let button = if self.random.random_bool(0.8) { "pay" } else { "fail" };
        self.posts(&shown, &[("button".to_owned(), button.to_owned())]).await;
        self.posts(local(fields["callback_url"].as_str().expect("a way back")), &[]).await;
        self.looks().await;
    }

    /// Posts a form; where the answer leads.
    async fn posts(&self, path: &str, fields: &[(String, String)]) -> String {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        let headers = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
        self.browser.send("POST", path, &headers, Some(body.join("&"))).await.header("location").to_owned()
    }

    /// Rules of the end: what was charged is what the policy says; nothing is sold that the law forbids.
    fn end(&self) {
        let card = self.chosen.as_ref().expect("a plan");
        let blocks = self.view["step"]["view"]["blocks"].as_array().expect("blocks");
        let paid = blocks.iter().find(|block| block["block"] == "breakup").expect("what was paid");
        let total =
            paid["lines"].as_array().into_iter().flatten().find(|line| line["kind"] == "total").expect("a total");
        assert_eq!(total["value"]["paise"], card["price"]["paise"], "{}", self.said("the policy says another price"));
        let of = |step: &str| self.answers.get(&format!("{}.{step}", self.line)).cloned().unwrap_or_default();
        let labels: Vec<&str> =
            paid["lines"].as_array().into_iter().flatten().filter_map(|line| line["label"].as_str()).collect();
        if of("owner").get("customer_type") == Some(&json!("company")) {
            assert!(!labels.contains(&"Personal accident of the owner-driver"), "{}", self.said("a company drives"));
        }
        let previous = of("previous");
        if card["action"]["data"]["plan_type"] == "own_damage" {
            let beside = previous.get("third_party_runs") == Some(&json!(true))
                || previous.get("policy_type") == Some(&json!("third_party"));
            assert!(beside, "{}", self.said("own damage without third party"));
        }
        let start = blocks
            .iter()
            .flat_map(|block| block["items"].as_array().into_iter().flatten())
            .find(|fact| fact["label"] == "From");
        let start = start.and_then(|fact| fact["value"]["date"].as_str()).expect("a start");
        assert!((TODAY..="2027-01-20").contains(&start), "{}", self.said("it starts too late"));
        let needs_inspection = card["action"]["label"] == "Ask for an inspection";
        assert!(!needs_inspection, "{}", self.said("nobody has inspected it"));
    }

    /// Until there is a policy, an appointment, or she has had enough. What became of her.
    async fn buys(mut self) -> &'static str {
        for _ in 0..STEPS_MAX {
            let since = tokio::time::Instant::now();
            while ["wait", "tracker"].contains(&self.view["step"]["kind"].as_str().unwrap_or_default()) {
                if since.elapsed() > STEP_MAX {
                    let promised = self.view.to_string().contains("takes longer than usual");
                    assert!(promised, "{}", self.said("waits for ever"));
                    return "promised";
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
                self.looks().await;
            }
            let (step, kind) = (self.step().to_owned(), self.view["step"]["kind"].clone());
            self.trail.push(step.clone());
            self.sees();
            if step.ends_with("issued") {
                self.end();
                return "issued";
            }
            if step.ends_with("inspection.wanted") {
                return "inspection";
            }
            if step == "quotes" {
                self.chooses().await;
            } else if kind == "redirect" {
                self.pays().await;
            } else if kind == "review" {
                self.sends("submit", json!({})).await;
            } else if self.view["step"]["form"].is_object() {
                self.fills().await;
            } else {
                let button = self.buttons().choose(&mut self.random).cloned().expect("a button");
                self.sends(button["event"].as_str().unwrap_or_default(), button["data"].clone()).await;
            }
        }
        "tired"
    }
}

fn set(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

#[tokio::test(flavor = "multi_thread")]
async fn random_customers_lose_nothing() {
    let (customers, seed) = (set("CUSTOMERS", 200), set("SEED", 1));
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let server = TestServer::start_with(Files::read_dir(root).expect("the definitions are there"), |settings| {
        settings.otp.per_address_hour = 1_000_000;
    })
    .await;
    let one = |number: u64| {
        let browser = server.visitor();
        async move {
            let mut random = StdRng::seed_from_u64(seed * 1_000_000 + number);
            let line = if random.random_bool(0.7) { "car" } else { "bike" };
            let kind = *["registered", "unknown", "new"].choose(&mut random).expect("a kind");
            let plate = if line == "car" { "DL-3-CAB-1234" } else { "DL-3-SAB-1234" };
            let first =
                if kind == "registered" { json!({"kind": kind, "registration": plate}) } else { json!({"kind": kind}) };
            let view = browser.start(&format!("motor/{line}"), first).await.ok(201);
            let customer = Customer {
                browser,
                view,
                random,
                mobile: format!("98{:08}", number + 1),
                line,
                trail: vec![format!("customer {number} of seed {seed}")],
                answers: BTreeMap::new(),
                chosen: None,
            };
            customer.buys().await
        }
    };
    let ends: Vec<&str> = futures::stream::iter((0..customers).map(one)).buffer_unordered(24).collect().await;
    let count = |end: &str| ends.iter().filter(|one| **one == end).count();
    let told = format!(
        "issued {}, inspection {}, promised {}, tired {}",
        count("issued"),
        count("inspection"),
        count("promised"),
        count("tired")
    );
    println!("{told}");
    assert!(count("issued") * 5 > ends.len() && count("tired") * 5 < ends.len(), "{told}");
    server.stop().await;
}
