//! Term life with the definitions that are shipped: the worked examples of the tariff to the paisa, and what insurers decide.

use engine_definitions::Files;
use journey_tests::people::password_in;
use journey_tests::server::{Reply, TestServer, Visitor};
use serde_json::{Value, json};
use std::path::Path;

async fn product() -> TestServer {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    TestServer::start_with(Files::read_dir(root).expect("the definitions are there"), |settings| {
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
