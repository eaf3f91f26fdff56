//! Term life with the definitions that are shipped: the worked examples of the tariff to the paisa, and what insurers
//! decide.

use chrono::Datelike;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use journey_tests::people::{hands_in, password_in};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

async fn product() -> TestServer {
    TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
    })
    .await
}

async fn told(visitor: &Visitor, insurer: &str, call: &str, request: &Value) -> Reply {
    let key = format!("sandbox-{insurer}_key");
    let path = format!("/sandbox/partners/{insurer}/v1/life/{call}");
    visitor.send("POST", &path, &[("x-api-key", &key)], Some(request.to_string())).await
}

/// A salaried graduate in India with ₹12 lakh a year, who wants one crore till 65; `change` says what is different.
fn asked(change: &Value) -> Value {
    let mut asked = json!({
        "insurerId": 1, "age": 30, "gender": "male", "countryClass": "", "occupation": "salaried", "annualIncome": 120_000_000_i64,
        "spouseIncome": 0, "spouseCover": 0, "education": "graduate", "tobacco": false, "existingCover": 0,
        "coverage": 1_000_000_000_i64, "coverUpto": 65, "payType": "regular", "frequency": "yearly", "riders": {},
    });
    for (name, value) in change.as_object().expect("a map") {
        asked[name] = value.clone();
    }
    asked
}

/// R1-06, R9-30: base, price of the later years, of the first, both instalments, in paise.
#[tokio::test(flavor = "multi_thread")]
async fn worked_examples_are_priced_to_the_paisa() {
    let server = product().await;
    let visitor = server.visitor();
    let lakh = 10_000_000_i64;
    let crore = 100 * lakh;
    let examples = [
        ("hdfc-life", json!({}), [1_238_400, 1_238_400, 1_176_500, 1_176_500, 1_238_400]),
        ("edelweiss-life", json!({}), [1_130_400, 1_130_400, 1_073_900, 1_073_900, 1_130_400]),
        ("lic", json!({}), [1_497_600, 1_497_600, 1_497_600, 1_497_600, 1_497_600]),
        (
            "axis-max-life",
            json!({"age": 35, "gender": "female", "occupation": "self_employed", "annualIncome": 15 * lakh, "coverage": crore * 3 / 2,
                "coverUpto": 75, "payType": "till_60", "frequency": "monthly",
                "riders": {"ad": 50 * lakh, "ci": 10 * lakh, "wop": 0}}),
            [2_637_600, 3_265_900, 2_939_300, 257_200, 285_800],
        ),
        (
            "icici-prudential",
            json!({"age": 45, "tobacco": true, "annualIncome": 25 * lakh, "coverage": 2 * crore, "coverUpto": 85,
                "payType": "limited_10", "frequency": "half_yearly"}),
            [28_377_200, 28_377_200, 28_377_200, 14_756_100, 14_756_100],
        ),
        (
            "axis-max-life",
            json!({"age": 32, "gender": "female", "occupation": "homemaker", "annualIncome": 0, "spouseIncome": 12 * lakh,
                "spouseCover": crore, "coverage": 50 * lakh, "riders": {"ad": 25 * lakh, "ci": 5 * lakh}}),
            [656_600, 769_100, 692_200, 692_200, 769_100],
        ),
        (
            "sbi-life",
            json!({"age": 50, "annualIncome": 10 * lakh, "coverage": 50 * lakh, "coverUpto": 75, "payType": "single"}),
            [32_850_000, 32_850_000, 32_850_000, 32_850_000, 32_850_000],
        ),
    ];
    for (insurer, change, expected) in examples {
        let plan = told(&visitor, insurer, "quotes", &asked(&change)).await.ok(200)["plans"][0].clone();
        let keys = ["base", "yearlyLater", "yearlyFirst", "instalmentFirst", "instalmentLater"];
        assert_eq!(keys.map(|key| plan[key].as_i64().expect("an amount")), expected, "{insurer} {change}: {plan}");
    }
    server.stop().await;
}

/// R5-28 and the reasons for which an insurer makes no offer: the first that holds.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_insured_is_told_why() {
    let server = product().await;
    let visitor = server.visitor();
    let lakh = 10_000_000_i64;
    for (insurer, change, code) in [
        ("bandhan-life", json!({"age": 19}), "uw.age"),
        ("lic", json!({"coverUpto": 85}), "uw.cover_age"),
        ("hdfc-life", json!({"age": 58, "payType": "till_60"}), "uw.pay_term"),
        ("bandhan-life", json!({"countryClass": "a"}), "uw.residence"),
        ("bandhan-life", json!({"occupation": "homemaker", "gender": "female"}), "uw.occupation"),
        ("hdfc-life", json!({"education": "12th"}), "uw.education"),
        ("hdfc-life", json!({"annualIncome": 4 * lakh}), "uw.income_min"),
        (
            "axis-max-life",
            json!({"occupation": "homemaker", "gender": "female", "spouseIncome": 12 * lakh, "spouseCover": 99 * lakh,
            "coverage": 50 * lakh}),
            "uw.spouse_cover",
        ),
        ("shriram-life", json!({"age": 45, "annualIncome": 5 * lakh}), "uw.income_multiple"),
    ] {
        let answer = told(&visitor, insurer, "quotes", &asked(&change)).await.ok(422);
        assert_eq!(answer["error"]["code"], code, "{insurer} {change}");
    }
    server.stop().await;
}

/// R2.5-01, R2.5-02, R2.5-10: each address of the line answers, and campaign pages begin with its form.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_the_line_are_there() {
    let server = product().await;
    let visitor = server.visitor();
    let life = "/life-insurance";
    for page in ["", "/companies", "/plans", "/quotes", "/checkout", "/term-insurance"] {
        assert_eq!(visitor.get(&format!("{life}{page}")).await.status, 200, "{page}");
    }
    for page in ["/lp", "/lp-nri", "/term-insurance/lp", "/term-insurance/lp-brand"] {
        let page = visitor.get(&format!("{life}{page}")).await;
        assert_eq!(page.status, 200);
        assert!(page.text().contains("Date of birth"), "it begins with the form");
    }
    server.stop().await;
}

/// R7.3-22: a request is added and priced by calls alone; what it says is what the page says.
#[tokio::test(flavor = "multi_thread")]
async fn prices_are_asked_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let call = "/api/life/v1";
    let lead = json!({"gender": "male", "dob": "1990-01-01", "tobacco": false, "occupation": "salaried", "annual_income": 1_200_000,
        "name": "Ravi Rao", "mobile": "9876512345", "pincode": "560001"});
    let begun =
        visitor.send("POST", &format!("{call}/lead"), &[], Some(lead.to_string())).await.ok(201)["data"].clone();
    let id = begun["lead_id"].as_str().expect("an id").to_owned();
    let quotes = format!(
        "{call}/quotes?lead_id={id}&coverage=10000000&cover_upto=65&pay_type=regular&frequency=yearly&riders=ad:50"
    );
    assert_eq!(visitor.get(&quotes).await.ok(409)["errors"][0]["code"], "otp.needed");
    let code = server
        .until("the one-time password", async || {
            let inbox = visitor.get("/sandbox/inbox.json?to=9876512345").await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await;
    let otp = json!({"lead_id": id, "action": "verify", "otp": code}).to_string();
    assert_eq!(visitor.send("POST", &format!("{call}/otp"), &[], Some(otp)).await.ok(200)["data"]["verified"], true);
    let told = server
        .until("all prices", async || {
            let answer = visitor.get(&quotes).await.ok(200)["data"].clone();
            (answer["status"] == "done").then_some(answer)
        })
        .await;
    let quotes = told["quotes"].as_array().expect("a list");
    assert_eq!(quotes.len(), 14);
    let of = |insurer: &str| quotes.iter().find(|quote| quote["insurer"] == insurer).expect("asked").clone();
    let edelweiss = of("edelweiss-life");
    assert_eq!((&edelweiss["state"], &edelweiss["coverage"]), (&json!("answered"), &json!(1_000_000_000_i64)));
    assert_eq!(edelweiss["riders"][0]["key"], "ad", "{edelweiss}");
    assert_eq!(of("bandhan-life")["state"], "answered");
    let record = visitor.get(&format!("{call}/record?lead_id={id}")).await.ok(200)["data"].clone();
    assert!(record.is_object(), "{record}");
    assert_eq!((&record["lead_id"], &record["status_id"]), (&json!(id), &json!("13")));
    server.stop().await;
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

/// Calls of a man of thirty under `api/life/v1`.
struct Caller<'a> {
    server: &'a TestServer,
    visitor: Visitor,
    id: String,
}

impl<'a> Caller<'a> {
    /// Confirmed, with all prices for one crore till 65.
    async fn with_prices(server: &'a TestServer, mobile: &str) -> Caller<'a> {
        let visitor = server.visitor();
        let born = format!("{}-01-01", chrono::Utc::now().year() - 30);
        let lead = json!({"gender": "male", "dob": born, "tobacco": false, "occupation": "salaried", "annual_income": 1_200_000,
            "name": "Ravi Rao", "mobile": mobile, "pincode": "560001"});
        let begun =
            visitor.send("POST", "/api/life/v1/lead", &[], Some(lead.to_string())).await.ok(201)["data"].clone();
        let caller = Caller { server, visitor, id: begun["lead_id"].as_str().expect("an id").to_owned() };
        let inbox = format!("/sandbox/inbox.json?to={mobile}");
        let code = server
            .until("the one-time password", async || {
                let inbox = caller.visitor.get(&inbox).await.ok(200);
                password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
            })
            .await;
        assert_eq!(caller.does("otp", json!({"action": "verify", "otp": code})).await["verified"], true);
        let quotes = format!(
            "/api/life/v1/quotes?lead_id={}&coverage=10000000&cover_upto=65&pay_type=regular&frequency=yearly",
            caller.id
        );
        server
            .until("all prices", async || {
                (caller.visitor.get(&quotes).await.ok(200)["data"]["status"] == "done").then_some(())
            })
            .await;
        caller
    }

    async fn sends(&self, call: &str, mut body: Value) -> Reply {
        let of =
            if ["documents", "medical-scheduling", "payment-redirect"].contains(&call) { "case_id" } else { "lead_id" };
        body[of] = json!(self.id);
        self.visitor.send("POST", &format!("/api/life/v1/{call}"), &[], Some(body.to_string())).await
    }

    async fn does(&self, call: &str, body: Value) -> Value {
        self.sends(call, body).await.ok(200)["data"].clone()
    }

    async fn refused(&self, call: &str, body: Value, status: u16) -> String {
        self.sends(call, body).await.ok(status)["errors"][0]["code"].as_str().expect("a code").to_owned()
    }

    async fn reads(&self, call: &str) -> Value {
        self.visitor.get(&format!("/api/life/v1/{call}={}", self.id)).await.ok(200)["data"].clone()
    }

    /// Goes from the choice of an insurer to what it decides.
    async fn proposes(&self, insurer: &str, has_papers: bool, mobile: &str) -> Value {
        let chosen = self.does("quotes/select", json!({"insurer": insurer, "coverage": 10_000_000})).await;
        assert_eq!((&chosen["insurer"], &chosen["state"]), (&json!(insurer), &json!("plan")));
        let part = self
            .does("proposal", json!({"proposer_first_name": "Ravi", "proposer_last_name": "Rao", "proposer_mobile": mobile,
                "proposer_email": "ravi@example.com", "marital_status": "married", "father_name": "Mohan Rao", "pan_number": "ABCPE1234F",
                "address_line_1": "12 Lake View", "pincode": "560001", "hazard": 1, "is_politically_exposed_person": false,
                "convicted": false, "before_declined": false, "account_proved": !has_papers}))
            .await;
        assert_eq!((&part["state"], &part["missing"]), (&json!("health"), &json!(["health", "nominee"])));
        assert_eq!(self.refused("submit", json!({}), 409).await, "proposal.incomplete");
        let rest = self
            .does("proposal", json!({"height_unit": "cm", "height_cm": 172.5, "weight_kg": 70, "serious": false, "diabetes": "none",
                "pressure": false, "family": 0, "units": 0, "hospital": false, "drugs": false, "symptoms": false, "payout": "lump_sum",
                "nominees": [{"nominee_name": "Asha Rao", "nominee_age": 28, "nominee_relation": "spouse", "nominee_share": 100}]}))
            .await;
        assert_eq!((&rest["state"], &rest["missing"]), (&json!("agreements"), &json!([])));
        assert_eq!(self.refused("payment-redirect", json!({}), 409).await, "payment.not_yet");
        assert_eq!(self.refused("documents", json!({}), 403).await, "documents.closed");
        let twice = json!({"terms": true, "consents": {"terms": true}});
        assert_eq!(self.refused("submit", twice, 422).await, "twice");
        let consents = json!({"truth": true, "information_sheet": true, "health_data": true, "income_estimate": !has_papers, "terms": true});
        let agreed = json!({"mwp": false, "consents": consents, "document": "pan_card", "pan_number": "ABCPE1234F", "occupation": "salaried", "income_source": "salary",
            "is_politically_exposed_person": false, "kyc_consent": true});
        self.does("submit", agreed).await;
        self.server
            .until("the decision", async || {
                let told = self.does("submit", json!({})).await;
                (told["state"] == "case.open").then_some(told)
            })
            .await
    }

    async fn uploads(&self, url: &str, kind: &str, shade: u8) -> String {
        let (mut bytes, picture) = (Vec::new(), RgbImage::from_pixel(900, 700, Rgb([shade, 120, 90])));
        PngEncoder::new(&mut bytes).write_image(picture.as_raw(), 900, 700, ExtendedColorType::Rgb8).expect("a PNG");
        hands_in(&self.visitor, url, kind, ("image/png", &bytes)).await
    }

    /// The desk moves the case.
    async fn moves(&self, insurer: &str, case: &str, (status, reason): (&str, &str)) {
        let key = format!("sandbox-{insurer}_key");
        let path = format!("/sandbox/partners/{insurer}/v1/life/desk");
        let desk = self.visitor.send("GET", &path, &[("x-api-key", &key)], None).await;
        let fields = [("answers.case", case), ("answers.reason", reason), ("button", &format!("s{status}"))];
        posts(&self.visitor, desk.header("location"), &fields).await;
        let moved = async || (self.reads("record?lead_id").await["status_id"] == status).then_some(());
        self.server.until("the move", moved).await;
    }
}

/// R7.3-22: the calls from the price to the payment, at an insurer that decides at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_cover_is_bought_by_calls() {
    let server = product().await;
    let caller = Caller::with_prices(&server, "9876512346").await;
    let compare = format!("/api/life/v1/compare?lead_id={}&plans=", caller.id);
    let too_many = caller.visitor.get(&format!("{compare}a,b,c,d,e")).await.ok(422);
    assert_eq!(
        (&too_many["errors"][0]["code"], &too_many["errors"][0]["pointer"]),
        (&json!("compare.too_many"), &json!("/plans"))
    );
    let compared = caller.visitor.get(&format!("{compare}edelweiss-life,hdfc-life")).await.ok(200)["data"].clone();
    assert_eq!(compared["plans"].as_array().map(Vec::len), Some(2));
    assert_eq!(compared["rows"][0]["cells"].as_array().map(Vec::len), Some(2), "{compared}");
    assert_eq!(caller.refused("proposal", json!({}), 409).await, "quote.needed");
    let other = json!({"insurer": "edelweiss-life", "coverage": 20_000_000});
    assert_eq!(caller.refused("quotes/select", other, 409).await, "quote.gone");

    let decided = caller.proposes("edelweiss-life", false, "9876512346").await;
    assert_eq!(
        (&decided["status_id"], &decided["decision"], &decided["documents"]),
        (&json!("52"), &json!("accepted"), &json!([]))
    );
    assert_eq!(caller.reads("documents?case_id").await, json!({"documents": [], "status_id": "52"}));
    assert_eq!(caller.reads("medical-scheduling?case_id").await["category"], "N");
    assert_eq!(caller.refused("medical-scheduling", json!({}), 409).await, "medical.not_yet");
    let leads = caller.does("payment-redirect", json!({})).await;
    assert_eq!((&leads["state"], &leads["amount"]), (&json!("payment.paying"), &decided["price"]));
    assert!(leads["checkout_url"].as_str().is_some_and(|url| url.contains("/checkout")), "{leads}");
    assert_eq!(leads["fields"]["order_id"], leads["order"]);
    assert_eq!(caller.refused("payment-redirect", json!({}), 409).await, "payment.pending");
    let stranger = server.visitor();
    let theirs = stranger.get(&format!("/api/life/v1/documents?case_id={}", caller.id)).await;
    assert!([401, 404].contains(&theirs.status), "{}", theirs.status);
    server.stop().await;
}

/// R7.3-22: papers and a medical check by calls, at an insurer that takes days.
#[tokio::test(flavor = "multi_thread")]
async fn papers_and_a_check_are_done_by_calls() {
    let server = product().await;
    let caller = Caller::with_prices(&server, "9876512347").await;
    let decided = caller.proposes("hdfc-life", true, "9876512347").await;
    assert_eq!((&decided["status_id"], &decided["medical"]), (&json!("14"), &json!("T")), "{decided}");
    let kinds: Vec<_> =
        decided["documents"].as_array().expect("papers").iter().map(|paper| paper["kind"].clone()).collect();
    assert_eq!(kinds, ["income_proof", "bank_proof"]);

    let open = caller.does("documents", json!({})).await;
    assert_eq!(open["documents"][0]["state"], "asked");
    let url = open["upload_url"].as_str().expect("an address").to_owned();
    let income = caller.uploads(&url, "income_proof", 10).await;
    let half = caller.does("documents", json!({"income_proof": [income]})).await;
    assert_eq!((&half["status_id"], &half["documents"][0]["state"]), (&json!("78"), &json!("uploaded")), "{half}");
    caller.does("documents", json!({})).await;
    let bank = caller.uploads(&url, "bank_proof", 200).await;
    let all = caller.does("documents", json!({"income_proof": [income], "bank_proof": [bank]})).await;
    assert_eq!((&all["status_id"], &all["documents"][1]["state"]), (&json!("17"), &json!("uploaded")), "{all}");
    assert_eq!(caller.refused("documents", json!({}), 403).await, "documents.closed");

    let case = decided["proposal"].as_str().expect("a number").to_owned();
    // R4-39: one file is all that this paper may have, and the one that was rejected does not count
    caller.moves("hdfc-life", &case, ("73", "Proof of your account: too blurred")).await;
    let again = caller.does("documents", json!({})).await;
    assert_eq!(again["documents"][1]["state"], "rejected", "{again}");
    let sharper = caller.uploads(&url, "bank_proof", 90).await;
    let all = caller.does("documents", json!({"income_proof": [income], "bank_proof": [sharper]})).await;
    assert_eq!((&all["status_id"], &all["documents"][1]["state"]), (&json!("17"), &json!("uploaded")), "{all}");
    for status in ["19", "74", "75"] {
        caller.moves("hdfc-life", &case, (status, "")).await;
    }
    let free = caller.does("medical-scheduling", json!({})).await;
    assert_eq!((&free["state"], &free["moves_left"]), (&json!("medical.time"), &json!(3)), "{free}");
    let slot = free["slots"][0].clone();
    assert!(slot.is_string(), "{free}");
    let booked = caller.does("medical-scheduling", json!({"slot": slot})).await;
    assert_eq!((&booked["slot"], &booked["state"]), (&slot, &json!("medical.waiting")), "{booked}");
    let known = caller.reads("medical-scheduling?case_id").await;
    assert_eq!((&known["appointment"], &known["category"]), (&booked["appointment"], &json!("T")));
    server.stop().await;
}
