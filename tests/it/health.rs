//! Health with the definitions that are shipped: the worked examples of the tariff to the paisa, how many plans whom is
//! offered, what insurers decide, and the line as calls from the request to the answers of the proposal.

use chrono::Datelike;
use journey_tests::people::{brings, password_in, read_out, sitting};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

const INSURERS: [&str; 16] = [
    "care",
    "niva-bupa",
    "hdfc-ergo",
    "star-health",
    "aditya-birla",
    "icici-lombard",
    "tata-aig",
    "bajaj-allianz",
    "manipal-cigna",
    "sbi",
    "acko",
    "digit",
    "reliance",
    "zuno",
    "new-india",
    "oriental",
];

/// Who helps at the check page is told who answered the medical questions, and not which of them there are: some are
/// asked after a yes only.
async fn hears_nothing_of_illness(server: &TestServer, customer: &Visitor, id: &str) {
    let at_check = async || {
        let view = customer.view(id).await;
        (view["step"]["id"] == "retail.purchase.check").then_some(view)
    };
    let view = server.until("the check page", at_check).await;
    let asked = customer.event(&view, "invite", json!({})).await.ok(200);
    let helper = sitting(server, "call-centre", 7).await;
    brings(&helper, &read_out(&asked)).await.ok(200);
    let labels = |view: &Value| -> Vec<String> {
        let sections = view["step"]["review"]["sections"].as_array().expect("sections").iter();
        let medical = sections.filter(|one| one["step"].as_str().is_some_and(|step| step.ends_with("medical")));
        let rows = |one: &Value| one["rows"].as_array().cloned().unwrap_or_default();
        let all = medical.flat_map(|one| {
            let parts = one["parts"].as_array().cloned().unwrap_or_default();
            rows(one).into_iter().chain(parts.iter().flat_map(rows).collect::<Vec<_>>())
        });
        all.map(|row| row["label"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(labels(&view).len() > 4, "{view}");
    let seen = helper.view(id).await;
    assert!(labels(&seen).iter().all(|label| label == "Answered by"), "{:?}", labels(&seen));
}

async fn product() -> TestServer {
    TestServer::start_with(all_definitions(), |settings| {
        settings.sandbox.delay_percent = 0;
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
        settings.limits.rate_burst = 10_000;
        (settings.otp.resend_ms, settings.otp.per_hour) = (0, 100);
    })
    .await
}

/// Key, relation, gender, age, illnesses.
type Life = (&'static str, &'static str, &'static str, i64, &'static [&'static str]);

const fn man(age: i64) -> Life {
    ("self", "self", "male", age, &[])
}

const fn wife(age: i64) -> Life {
    ("spouse", "wife", "female", age, &[])
}

fn asked(lives: &[Life], pincode: &str, sum: i64) -> Value {
    let lives: Vec<Value> = lives
        .iter()
        .map(|(key, relation, gender, age, illnesses)| {
            json!({"memberId": key, "relation": relation, "gender": gender, "age": age, "illnesses": illnesses})
        })
        .collect();
    let cover = if lives.len() == 1 { "individual" } else { "floater" };
    json!({
        "insurerId": 1, "product": "base", "lives": lives, "proposerGender": "male", "pincode": pincode, "sumInsured": sum,
        "coverType": cover, "deductible": 0, "kind": "fresh", "planCode": "", "riders": [],
    })
}

fn with(base: Value, change: Value) -> Value {
    let mut changed = base;
    for (name, value) in change.as_object().expect("a map") {
        changed[name] = value.clone();
    }
    changed
}

async fn told(visitor: &Visitor, insurer: &str, call: &str, request: &Value) -> Reply {
    let key = format!("sandbox-{insurer}_key");
    let path = format!("/sandbox/partners/{insurer}/v1/health/{call}");
    visitor.send("POST", &path, &[("x-api-key", &key)], Some(request.to_string())).await
}

/// The plan with this code, of what its insurer offers.
async fn offered(visitor: &Visitor, code: &str, request: &Value) -> Value {
    let insurer = code.rsplit_once('-').expect("insurer and family").0;
    let insurer = insurer.strip_suffix("-assure").unwrap_or(insurer);
    let answer = told(visitor, insurer, "quotes", request).await.ok(200);
    let plans = answer["plans"].as_array().expect("plans");
    let mut plan = plans.iter().find(|plan| plan["code"] == code).expect("the plan").clone();
    plan["quote"] = answer["quoteNumber"].clone();
    plan
}

fn total(plan: &Value, years: i64) -> i64 {
    let price = plan["prices"].as_array().expect("prices").iter().find(|price| price["years"] == years);
    price.expect("sold for these years")["total"].as_i64().expect("an amount")
}

/// R1-05, R3-36, R9-19: each worked example of the tariff, and what monthly payment makes of one.
#[tokio::test(flavor = "multi_thread")]
async fn worked_examples_are_priced_to_the_paisa() {
    let server = product().await;
    let visitor = server.visitor();
    let family =
        [man(38), wife(36), ("child_1", "daughter", "female", 9, &[] as &[&str]), ("child_2", "son", "male", 4, &[])];
    let mother: [Life; 2] = [("self", "self", "female", 41, &["thyroid"]), ("child_1", "son", "male", 12, &[])];
    let parents: [Life; 2] =
        [("father", "father", "male", 66, &["diabetes", "hypertension"]), ("mother", "mother", "female", 61, &[])];
    let one = offered(&visitor, "care-silver", &asked(&[man(30)], "560001", 500_000)).await;
    assert_eq!((total(&one, 1), &one["lives"][0]["rate"]), (562_900, &json!(562_910)));
    let riders = json!({"planCode": "niva-bupa-gold", "riders": ["consumables", "bonus_boost"]});
    let two = offered(&visitor, "niva-bupa-gold", &with(asked(&family, "302001", 1_000_000), riders)).await;
    assert_eq!((total(&two, 2), &two["year"], &two["premium"]), (4_637_000, &json!(2_506_469), &json!(2_142_281)));
    let woman = json!({"proposerGender": "female"});
    let three =
        offered(&visitor, "manipal-cigna-senior", &with(asked(&parents, "110001", 500_000), woman.clone())).await;
    assert_eq!((total(&three, 1), &three["loading"]), (6_692_900, &json!(1_201_334)));
    let over = json!({"product": "top_up", "deductible": 500_000});
    let four =
        offered(&visitor, "star-health-super", &with(asked(&[man(34), wife(31)], "500001", 2_000_000), over)).await;
    assert_eq!(total(&four, 3), 976_900);
    let five = offered(&visitor, "hdfc-ergo-basic", &with(asked(&mother, "411001", 700_000), woman.clone())).await;
    assert_eq!(total(&five, 1), 915_100);
    let six = five["instalments"].as_array().expect("instalments").iter().find(|i| i["months"] == 6).expect("six");
    assert_eq!((&six["total"], &six["first"], &six["rest"]), (&json!(942_600), &json!(157_100), &json!(157_100)));
    let mut six_of_them = family.to_vec();
    six_of_them.extend([("father", "father", "male", 66, &[] as &[&str]), ("mother", "mother", "female", 63, &[])]);
    let eldest = offered(&visitor, "star-health-silver", &asked(&six_of_them, "110001", 1_000_000)).await;
    assert_eq!(total(&eldest, 1), 13_430_500);
    let jaipur: [Life; 1] = [("self", "self", "female", 33, &[])];
    let years = offered(&visitor, "zuno-silver", &with(asked(&jaipur, "302001", 500_000), woman.clone())).await;
    assert_eq!((total(&years, 3), &years["year"]), (1_507_100, &json!(612_639)));
    for (deductible, expected) in [(500_000, 277_800), (1_000_000, 175_200)] {
        let over = json!({"product": "top_up", "deductible": deductible});
        let plan = offered(&visitor, "niva-bupa-super", &with(asked(&[man(40)], "400001", 2_000_000), over)).await;
        assert_eq!(total(&plan, 1), expected);
    }
    let ill: [Life; 1] = [("self", "self", "female", 45, &["diabetes"])];
    for (code, expected) in [("care-silver", 1_081_600), ("care-assure-12", 1_205_000), ("care-assure-1", 1_391_200)] {
        let plan = offered(&visitor, code, &with(asked(&ill, "400001", 500_000), woman.clone())).await;
        assert_eq!(total(&plan, 1), expected, "{code}");
    }
    server.stop().await;
}

/// How many plans all insurers offer, the cheapest and the dearest of a year, and how many decline.
async fn all(visitor: &Visitor, request: &Value) -> (usize, i64, i64, usize) {
    let mut totals = Vec::new();
    let mut declined = 0;
    for insurer in INSURERS {
        let answer = told(visitor, insurer, "quotes", request).await;
        if answer.status == 422 {
            declined += 1;
            continue;
        }
        let answer = answer.ok(200);
        totals.extend(answer["plans"].as_array().expect("plans").iter().map(|plan| total(plan, 1)));
    }
    let bound = |bound: Option<&i64>| *bound.expect("a plan");
    (totals.len(), bound(totals.iter().min()), bound(totals.iter().max()), declined)
}

/// R2.3-16, R2.3-17: nobody is left without an offer, and everybody is offered what the tariff has for them.
#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_offered_what_fits() {
    let server = product().await;
    let visitor = server.visitor();
    let ill: [Life; 1] = [("self", "self", "male", 45, &["heart"])];
    let parents: [Life; 2] = [("father", "father", "male", 66, &[]), ("mother", "mother", "female", 61, &[])];
    let top_up = json!({"product": "top_up", "deductible": 500_000});
    let cases = [
        (asked(&[man(30)], "560001", 500_000), (112, 326_300, 1_097_700, 0)),
        (asked(&[man(35), wife(33)], "500001", 1_000_000), (112, 742_200, 2_021_800, 0)),
        (asked(&parents, "110001", 500_000), (100, 2_593_100, 8_244_000, 0)),
        (with(asked(&[man(40)], "400001", 2_000_000), top_up), (16, 211_000, 299_000, 2)),
        (asked(&[man(35)], "400001", 20_000_000), (22, 1_542_800, 2_246_000, 2)),
        (asked(&ill, "600001", 500_000), (76, 507_000, 2_070_500, 5)),
    ];
    for (request, expected) in cases {
        assert_eq!(all(&visitor, &request).await, expected, "{request}");
    }
    let oldest = all(&visitor, &asked(&[man(99)], "560001", 500_000)).await;
    assert_eq!((oldest.0, oldest.3), (24, 0));
    server.stop().await;
}

/// A proposal of one plan, by what is known only then.
async fn decided(visitor: &Visitor, code: &str, request: &Value, lives: Value) -> Value {
    let request = with(request.clone(), json!({"planCode": code}));
    let plan = offered(visitor, code, &request).await;
    let insurer = code.rsplit_once('-').expect("insurer and family").0;
    let lives: Vec<Value> = request["lives"]
        .as_array()
        .expect("lives")
        .iter()
        .map(|life| {
            let own = json!({"name": "Ravi", "birthDate": "1990-01-01", "height": 17_000, "weight": 700, "bmi": 2_300,
                "tobacco": false, "abha": "", "medical": {}});
            let key = life["memberId"].as_str().expect("a key");
            let changed = lives.get(key).cloned().unwrap_or(json!({}));
            with(with(life.clone(), own), changed)
        })
        .collect();
    let proposal = json!({
        "quoteNumber": plan["quote"], "planCode": code, "product": "base", "totalPremium": total(&plan, 1), "caseId": "c",
        "startDate": "2026-12-01", "years": 1, "months": 0, "riders": request["riders"], "proposer": {}, "lives": lives,
        "nominee": {}, "address": {"insured_pincode": request["pincode"]}, "kind": request["kind"],
        "previousPolicy": {"claims_last_year": 1}, "informationSheetRead": true, "documents": {}, "kyc": {}, "addsTo": "",
        "papers": [],
    });
    told(visitor, insurer, "proposals", &proposal).await.ok(200)
}

/// R9-33, health-O12, health-O13: accepted, dearer, looked at closer, declined.
#[tokio::test(flavor = "multi_thread")]
async fn insurers_decide_by_what_is_known_at_the_proposal() {
    let server = product().await;
    let visitor = server.visitor();
    let couple: [Life; 2] = [("self", "self", "male", 52, &["hypertension"]), wife(50)];
    let own = json!({"coverType": "individual", "riders": ["bonus_boost"]});
    let heavy = json!({"self": {"tobacco": true, "bmi": 3_200}});
    let request = with(asked(&couple, "226001", 2_000_000), own);
    let answer = decided(&visitor, "bajaj-allianz-silver", &request, heavy).await;
    assert_eq!((&answer["status"], &answer["amountDue"]), (&json!("loaded"), &json!(4_125_900)));
    let reasons: Vec<_> = answer["loadings"].as_array().expect("loadings").iter().map(|l| &l["reason"]).collect();
    assert_eq!(reasons, ["hypertension", "tobacco", "obese"]);
    let young = asked(&[man(30)], "560001", 500_000);
    let over = json!({"self": {"bmi": 2_650}});
    let loaded = decided(&visitor, "manipal-cigna-silver", &young, over.clone()).await;
    assert_eq!((&loaded["status"], &loaded["amountDue"]), (&json!("loaded"), &json!(602_200)));
    assert_eq!(decided(&visitor, "care-silver", &young, over).await["status"], "accepted");
    let morbid = json!({"self": {"bmi": 4_100}});
    for (code, status) in [("hdfc-ergo-silver", "declined"), ("digit-silver", "declined"), ("care-silver", "referred")]
    {
        let answer = decided(&visitor, code, &young, morbid.clone()).await;
        assert_eq!((&answer["status"], &answer["reasons"]), (&json!(status), &json!(["bmi"])), "{code}");
    }
    let advised = json!({"self": {"medical": {"surgery_advised": true}}});
    assert_eq!(decided(&visitor, "care-silver", &young, advised).await["reasons"], json!(["treatment_pending"]));
    let moved = with(young, json!({"kind": "portability"}));
    assert_eq!(decided(&visitor, "digit-silver", &moved, json!({})).await["reasons"], json!(["port_claims"]));
    server.stop().await;
}

/// The first of January on which somebody became so old.
fn born(age: i32) -> String {
    format!("{}-01-01", chrono::Utc::now().year() - age)
}

async fn post(visitor: &Visitor, path: &str, body: Value) -> Reply {
    visitor.send("POST", &format!("/api/health/v1{path}"), &[], Some(body.to_string())).await
}

async fn data(visitor: &Visitor, path: &str, body: Value) -> Value {
    post(visitor, path, body).await.ok(200)["data"].clone()
}

fn refusal(reply: &Reply, status: u16) -> [String; 2] {
    let body = reply.ok(status);
    ["code", "pointer"].map(|key| body["errors"][0][key].as_str().expect("a text").to_owned())
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

/// A page leads into the journey with what it is about: choices that the first form offers. Others, and what is personal,
/// an address does not say.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_makes_choices_of_the_first_form() {
    let server = TestServer::start(all_definitions()).await;
    let data = async |query: &str| {
        let page = server.visitor().get(&format!("/health-insurance?{query}")).await.text();
        let inside = page.split_once("id=\"boot\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let boot: Value = serde_json::from_str(inside.expect("boot data").0).expect("JSON");
        boot["view"]["step"]["form"]["data"].clone()
    };
    assert_eq!(data("insured_for=parents").await["insured_for"], "parents");
    assert_ne!(data("insured_for=neighbours").await["insured_for"], "neighbours");
    assert_eq!(data("self_age=3&pincode=560001&mobile=9813572468").await, data("").await);
    server.stop().await;
}

/// R3-03, R3-61, R7.3-18, R7.3-19, R7.3-21, R9-18, R9-20, R9-22, R9-23, R9-25: request, one-time password, prices,
/// filter, comparison, choice, cart, and each part of the proposal, saved and read back.
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_asked_for_by_calls() {
    let server = product().await;
    let visitor = server.visitor();
    let lead = |age: i64| {
        json!({"insured_for": "self", "gender": "male", "ages": {"self": age}, "name": "Asha Rao", "mobile": "9876512345",
            "pincode": "560001"})
    };
    assert_eq!(refusal(&post(&visitor, "/leads", lead(17)).await, 422), ["minimum", "/ages/self"]);
    let begun = post(&visitor, "/leads", lead(30)).await.ok(201)["data"].clone();
    for key in ["visit_id", "lead_id", "partial_lead_id", "crm_lead_id", "agentId", "url"] {
        assert!(begun[key].is_string(), "{key}: {begun}");
    }
    let id = begun["lead_id"].as_str().expect("an id").to_owned();
    let quotes = format!("/api/health/v1/quotes?lead_id={id}");
    assert_eq!(refusal(&visitor.get(&quotes).await, 409), ["otp.needed", ""]);
    let code = server
        .until("the one-time password", async || {
            let inbox = visitor.get("/sandbox/inbox.json?to=9876512345").await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await;
    let verified = data(&visitor, "/otp", json!({"lead_id": id, "action": "verify", "otp": code})).await;
    assert_eq!(verified["verified"], true);
    let health = json!({"covid_infected": false, "has_illness": false, "policy_kind": "fresh"});
    data(&visitor, &format!("/leads/{id}"), health).await;
    let offers = server
        .until("all prices", async || {
            let answer = visitor.get(&quotes).await.ok(200)["data"].clone();
            (answer["status"] == "done").then_some(answer)
        })
        .await;
    assert_eq!((&offers["page_type"], &offers["asked"]), (&json!("base"), &json!(16)));
    let plans = offers["plans"].as_array().expect("plans");
    assert_eq!((plans.len(), &plans[0]["id"], &plans[0]["sum_insured"]), (112, &json!("care-gold"), &json!(500_000)));
    let listed: Vec<_> = plans
        .iter()
        .filter(|plan| plan["sections"].as_array().expect("sections").contains(&json!("all")))
        .map(|plan| &plan["id"])
        .collect();
    assert_eq!((listed.len(), listed[90]), (91, &json!("acko-saver")));
    let counted = |section: &str| plans.iter().filter(|plan| plan["sections"].to_string().contains(section)).count();
    let counts = ["trending", "top_claims", "\"ped\"", "comprehensive", "cost_effective"].map(counted);
    assert_eq!(counts, [12, 38, 14, 46, 37]);
    let gold = plans.iter().find(|plan| plan["id"] == "niva-bupa-gold").expect("the plan");
    assert_eq!(gold["riders"].as_array().map(Vec::len), Some(4));
    let filter = format!("/api/health/v1/quotes/filter?lead_id={id}&co_payment=none&room_rent=no_limit&insurers=care");
    let narrowed = visitor.get(&filter).await.ok(200)["data"].clone();
    let kept: Vec<_> = narrowed["plans"].as_array().expect("plans").iter().map(|plan| &plan["id"]).collect();
    assert_eq!(kept, ["care-gold", "care-platinum", "care-youth"]);
    let compare = format!("/api/health/v1/quotes/compare?lead_id={id}&plans=");
    assert_eq!(refusal(&visitor.get(&format!("{compare}care-gold")).await, 422), ["compare.number", "/plans"]);
    let compared = visitor.get(&format!("{compare}care-gold,care-silver")).await.ok(200)["data"].clone();
    assert_eq!(compared["rows"][0]["values"], json!(["₹6,333", "₹5,629"]));
    let choice = |riders: Value| json!({"lead_id": id, "plan": "care-silver", "tenure": 1, "riders": riders, "payment_frequency": "yearly"});
    let refused = post(&visitor, "/quotes/select", choice(json!(["maternity"]))).await;
    assert_eq!(refusal(&refused, 422), ["rider.not_offered", "/riders"]);
    let chosen = data(&visitor, "/quotes/select", choice(json!([]))).await;
    assert_eq!((&chosen["total"], &chosen["breakup"]["p1"]), (&json!(562_900), &json!(562_910)));
    let wrong = post(&visitor, "/cart", json!({"lead_id": id, "cart_hash": "1"})).await;
    assert_eq!(refusal(&wrong, 409), ["cart.changed", "/cart_hash"]);
    let cart = data(&visitor, "/cart", json!({"lead_id": id, "cart_hash": chosen["cart_hash"]})).await;
    assert_eq!(cart["cart_id"], json!(id));

    let proposal = format!("/proposals/{id}");
    let parts = [
        (
            "proposer",
            json!({"proposer_title": "mr", "proposer_first_name": "Asha", "proposer_last_name": "Rao", "proposer_gender": "male",
                "dob": born(30), "proposer_mobile": "9876512345", "proposer_email": "a@example.com", "marital_status": "single",
                "occupation": "salaried", "address_line_1": "12 Lake View", "pincode": "560001"}),
        ),
        (
            "nominee",
            json!({"nominee_name": "Ravi Rao", "nominee_dob": born(60), "nominee_age": 60, "nominee_relation": "father"}),
        ),
        (
            "members",
            json!({"people": [{"key": "self", "first_name": "Asha", "last_name": "Rao", "dob": born(30), "height_unit": "ft_in",
                "height_ft": 5, "height_in": 7, "weight_kg": 70}]}),
        ),
        (
            "medical",
            json!({"people": [{"key": "self", "hospitalised": false, "medicine": false, "symptoms_now": false,
                "surgery_advised": false, "tobacco": false, "declined_before": false}]}),
        ),
        (
            "communication",
            json!({"language": "en", "delivery": "email", "truth": true, "medical_records_consent": true, "cis_consent": true,
                "terms": true}),
        ),
    ];
    for (part, body) in parts {
        data(&visitor, &format!("{proposal}/{part}"), body).await;
        let read = visitor.get(&format!("/api/health/v1{proposal}/{part}")).await.ok(200)["data"].clone();
        assert!(!read[part].is_null() && read[part] != json!({}) && read[part] != json!([]), "{part}: {read}");
    }
    let whole = visitor.get(&format!("/api/health/v1{proposal}")).await.ok(200)["data"].clone();
    assert_eq!(whole["nominee"], json!({"name": "Ravi Rao", "age": 60, "dob": born(60), "relation": "father"}));
    assert_eq!(whole["members"][0]["height"], 17_018);
    let early = post(&visitor, &format!("{proposal}/submit"), json!({})).await;
    assert_eq!(refusal(&early, 422)[0], "proposal.incomplete");

    let pay = json!({"proposal": id, "mode": "pay"});
    assert_eq!(refusal(&post(&visitor, "/payments/initiate", pay.clone()).await, 409)[0], "payment.not_yet");
    let identity = json!({"document": "pan_card", "pan_number": "ABCPE1234F", "occupation": "salaried", "income_source": "salary",
        "is_politically_exposed_person": false, "kyc_consent": true});
    data(&visitor, &format!("{proposal}/kyc"), identity).await;
    hears_nothing_of_illness(&server, &visitor, &id).await;
    let decision = server
        .until("the decision", async || {
            let reply = post(&visitor, &format!("{proposal}/submit"), json!({})).await;
            let decision = reply.json()["data"]["decision"].clone();
            (decision["status"].as_str().unwrap_or_default() != "").then_some(decision)
        })
        .await;
    assert_eq!((&decision["status"], &decision["total"]), (&json!("accepted"), &json!(562_900)));
    data(&visitor, "/payments/initiate", pay).await;
    let redirect = server
        .until("the gateway's page", async || {
            let redirect = visitor.view(&id).await["step"]["redirect"].clone();
            redirect.is_object().then_some(redirect)
        })
        .await;
    let fields = redirect["fields"].as_object().expect("fields");
    let fields: Vec<(&str, &str)> =
        fields.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
    let page = posts(&visitor, redirect["url"].as_str().expect("an address"), &fields).await;
    posts(&visitor, &page, &[("button", "pay")]).await;
    posts(&visitor, redirect["fields"]["callback_url"].as_str().expect("an address"), &[]).await;
    let document = server
        .until("the document", async || {
            let reply = visitor.get(&format!("/api/health/v1{proposal}/document")).await;
            (reply.status == 200).then(|| reply.json()["data"]["url"].as_str().map(str::to_owned))?
        })
        .await;
    let file = visitor.get(&document).await;
    assert!(file.status == 200 && file.bytes.starts_with(b"%PDF"));
    server.stop().await;
}

/// R3-41, R7.2-11, R7.2-12: cities with their hospitals, popular ones first.
/// A code that was not sent yet to this number.
async fn newest_code(server: &TestServer, visitor: &Visitor, seen: &mut Vec<String>) -> String {
    let code = server
        .until("a new one-time password", async || {
            let inbox = visitor.get("/sandbox/inbox.json?to=9876543210").await.ok(200);
            let texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
            texts.filter_map(password_in).map(str::to_owned).find(|code| !seen.contains(code))
        })
        .await;
    seen.push(code.clone());
    code
}

/// R7.3-20: nothing is said of a policy before the code, and an unknown one is answered like a known one; a senior's
/// price rises by a tenth at most.
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_is_renewed_by_its_number_and_a_code() {
    let server = product().await;
    let mut seen = Vec::new();
    let cases = [("DEMO-HEALTH-001", Some(1_248_100)), ("DEMO-HEALTH-002", Some(3_301_500)), ("NOBODY-1", None)];
    for (policy, last) in cases {
        let visitor = server.visitor();
        let begun =
            post(&visitor, "/renewals/otp", json!({"policy_number": policy, "mobile": "9876543210"})).await.ok(200);
        assert_eq!(begun["masked"], "*****43210");
        let code = newest_code(&server, &visitor, &mut seen).await;
        let verify = async |otp: &str| {
            post(&visitor, "/renewals/verify", json!({"authCode": begun["authCode"], "otp": otp})).await
        };
        let wrong = if code == "000000" { "000001" } else { "000000" };
        assert_eq!(refusal(&verify(wrong).await, 422), ["otp.wrong", "/otp"]);
        let answer = verify(&code).await;
        let Some(last) = last else {
            assert_eq!(refusal(&answer, 404)[0], "renewal.not_found");
            continue;
        };
        let told = answer.ok(200)["data"].clone();
        assert_eq!(told["members"].as_array().map(Vec::len), Some(2), "{told}");
        assert_eq!((&told["last_premium"], &told["window"]), (&json!(last), &json!("open")));
        // Father and mother are above 60: their price would rise by more than a tenth.
        let premium = told["premium"].as_i64().expect("a price");
        assert_eq!(premium == 3_631_600, policy == "DEMO-HEALTH-002", "{premium}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cities_lead_to_their_hospitals() {
    let server = product().await;
    let visitor = server.visitor();
    for call in ["hospitalCities", "HealthCityList"] {
        let answer = visitor.get(&format!("/api/v1/{call}")).await.ok(200);
        let cities = answer["result"]["city"].as_array().expect("cities");
        assert_eq!(cities[0]["isPopular"], true);
        let url =
            format!("/health-insurance/cashless-mediclaim?city={}", cities[0]["citySlug"].as_str().expect("a slug"));
        assert_eq!(cities[0]["url"], json!(url));
        assert!(cities[0]["cityId"].is_number() && cities[0]["cityName"].is_string());
        let last = cities.iter().rposition(|city| city["isPopular"] == true).expect("a popular one");
        assert!(cities[..last].iter().all(|city| city["isPopular"] == true));
    }
    server.stop().await;
}

/// R2.3-01, R2.3-05, R2.3-08, R2.3-09, R2.3-11, R2.3-17: addresses of the line answer with a form, also without a
/// journey.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_the_line_begin_with_a_form() {
    let server = product().await;
    let visitor = server.visitor();
    for page in
        ["", "/top-up", "/premium-calculator", "/compare-plans", "/checkout", "/quotes", "/lp-brand", "/lp-fusion"]
    {
        let reply = visitor.get(&format!("/health-insurance{page}")).await;
        assert!(reply.status == 200 && reply.text().contains("<form"), "{page}: {}", reply.status);
    }
    server.stop().await;
}

/// R2.3-03: "from" on the page of plans is the lowest price that an insurer asks of the person whom the page names.
#[tokio::test(flavor = "multi_thread")]
async fn plans_cost_from_what_the_cheapest_insurer_asks() {
    let server = product().await;
    let visitor = server.visitor();
    let page = visitor.get("/health-insurance/plans").await.text();
    let woman: [Life; 1] = [("self", "self", "female", 30, &[])];
    let for_women = with(asked(&woman, "560001", 500_000), json!({"proposerGender": "female"}));
    let top_up = with(asked(&[man(30)], "560001", 500_000), json!({"product": "top_up", "deductible": 500_000}));
    for (family, title, request) in [
        ("silver", "Silver", asked(&[man(30)], "560001", 500_000)),
        ("basic", "Arogya Sanjeevani Policy", asked(&[man(30)], "560001", 500_000)),
        ("senior", "Senior", asked(&[man(60)], "560001", 500_000)),
        ("women", "Her", for_women),
        ("crore", "Crore", asked(&[man(30)], "560001", 10_000_000)),
        ("super", "Super Top-up", top_up.clone()),
        ("topup", "Top-up", top_up),
    ] {
        let mut totals = Vec::new();
        for insurer in INSURERS {
            let answer = told(&visitor, insurer, "quotes", &request).await;
            let plans = if answer.status == 200 { answer.json()["plans"].clone() } else { json!([]) };
            let ends = format!("-{family}");
            let of_family = |plan: &&Value| plan["code"].as_str().is_some_and(|code| code.ends_with(&ends));
            totals.extend(plans.as_array().into_iter().flatten().filter(of_family).map(|plan| total(plan, 1)));
        }
        let least = totals.iter().min().expect("sold by an insurer") / 100;
        let price = format!("₹{},{:03}", least / 1_000, least % 1_000);
        let row = page.split("<tr").skip(1).find(|row| row.contains(&format!(">{title}<"))).expect("its row");
        assert!(row.contains(&price), "{family} {price}: {row}");
    }
    server.stop().await;
}

/// R7.3-28: the codes of the health mission pass the gate of all messages, whoever asks for them; a wrong one is refused.
#[tokio::test(flavor = "multi_thread")]
async fn the_mission_sends_so_many_codes_to_one_number_and_no_more() {
    let files = all_definitions();
    let server = TestServer::start_with(files, |settings| {
        settings.sandbox.delay_percent = 0;
        settings.otp.per_hour = 2;
    })
    .await;
    let ask = async |visitor: &Visitor, abha: &str| {
        post(visitor, "/abha/otp", json!({"abha": abha, "consent": true, "member": "self"})).await
    };
    let asha = server.visitor();
    let asked = ask(&asha, "91-1234-5678-1234").await.ok(200);
    let txn = asked["data"]["txn"].as_str().expect("a transaction");
    let wrong = post(&asha, "/abha/verify", json!({"txn": txn, "otp": "000000"})).await;
    assert_eq!(refusal(&wrong, 422), ["abha.wrong", "/otp"]);
    let right = post(&asha, "/abha/verify", json!({"txn": txn, "otp": "123456"})).await.ok(200);
    assert_eq!(right["data"]["abha"], "••••1234");
    // another's session asks for the same number, written otherwise, and then once too often
    ask(&server.visitor(), "91123456781234").await.ok(200);
    let refused = ask(&server.visitor(), "91 1234 5678 1234").await;
    assert_eq!(refusal(&refused, 429)[0], "abha.limited");
    ask(&server.visitor(), "91123456785678").await.ok(200);
    server.stop().await;
}
