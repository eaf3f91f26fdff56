//! Leads of businesses over the front door, with the definitions that are shipped: what each call takes, refuses and
//! answers, and what is kept of it.

use engine_definitions::Files;
use journey_tests::people::{password_in, sitting};
use journey_tests::proxy::CachingProxy;
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

fn definitions() -> Files {
    all_definitions()
}

pub async fn product(files: Files) -> TestServer {
    TestServer::start_with(files, |settings| {
        settings.limits.rate_burst = 10_000;
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
    })
    .await
}

async fn post(visitor: &Visitor, path: &str, body: Value) -> (u16, Value) {
    let reply = visitor.send("POST", path, &[], Some(body.to_string())).await;
    (reply.status, reply.json())
}

pub async fn put(visitor: &Visitor, path: &str, body: Value) -> (u16, Value) {
    let reply = visitor.send("PUT", path, &[], Some(body.to_string())).await;
    (reply.status, reply.json())
}

fn sme_lead(business: &str, last_name: &str) -> Value {
    json!({
        "source": "X", "productType": "groupMedical", "policyMode": "online", "status": "leadGenerated",
        "productDetails": {"businessDetails": {"businessName": business}},
        "proposerDetails": {"firstName": "Asha", "lastName": last_name, "mobile": "9876543210", "email": "asha@example.com"},
        "isWhatsAppOptIn": true,
    })
}

async fn record(server: &TestServer, journey: &Value) -> Value {
    let id = journey.as_str().expect("an id");
    server
        .until("the lead", async || {
            let records = server.store().await.records(id).await.expect("a read");
            records.into_iter().find(|record| record.kind == "lead").map(|record| record.data)
        })
        .await
}

/// R3-62..67, R4-20, R7.2-01, R7.2-02, R8-06, R8-07, leads-O02, leads-O03: two attempts are two correlation ids and,
/// within a day, one lead.
#[tokio::test(flavor = "multi_thread")]
async fn a_business_leaves_a_lead() {
    let server = product(definitions()).await;
    let visitor = server.visitor();
    let led = visitor.get("/sme?utm_source=mail&utm_medium=m&utm_campaign=c&utm_term=t&utm_content=n").await;
    assert_eq!(led.status, 302);
    let (status, first) = post(&visitor, "/api/v1/sme/lead", sme_lead("Rao Traders", "Rao Kumar")).await;
    assert_eq!((status, &first["data"]["meta"]["statusCode"]), (200, &json!(200)), "{first}");
    let (_, second) = post(&visitor, "/api/v1/sme/lead", sme_lead("Rao Traders", "")).await;
    let (first, second) = (&first["data"]["data"], &second["data"]["data"]);
    assert_eq!(first["leadId"], second["leadId"]);
    let (one, two) = (record(&server, &first["lead_id"]).await, record(&server, &second["lead_id"]).await);
    assert_ne!(one["correlation"], two["correlation"]);
    assert_eq!(one["correlation"].as_str().map(str::len), Some(36), "a UUID");
    let utm =
        json!({"utm_source": "mail", "utm_medium": "m", "utm_campaign": "c", "utm_term": "t", "utm_content": "n"});
    for (key, said) in [
        ("source", json!("B2C")),
        ("subSource", json!("")),
        ("medium", json!("B2CAPP")),
        ("productType", json!("groupMedical")),
        ("policyMode", json!("online")),
        ("status", json!("leadGenerated")),
        ("subStatus", json!("")),
        ("isWhatsAppOptIn", json!(true)),
        ("productDetails", json!({"businessDetails": {"businessName": "Rao Traders"}})),
        ("utmDetails", utm),
    ] {
        assert_eq!(one[key], said, "{key}");
    }
    assert_eq!((one["name"].as_str(), one.get("proposerDetails")), (Some("Asha Rao Kumar"), None));

    let (status, wrong) =
        post(&visitor, "/api/v1/sme/lead", json!({"productType": "car", "proposerDetails": {}})).await;
    let at: Vec<&Value> = wrong["errors"].as_array().expect("errors").iter().map(|error| &error["pointer"]).collect();
    assert_eq!((status, at.len()), (422, 5), "{wrong}");
    for (business, said) in [("Unable Traders", "Please Enter Full Name"), ("Leaddown Traders", "Something went Wrong")]
    {
        let (status, refused) = post(&visitor, "/api/v1/sme/lead", sme_lead(business, "Rao")).await;
        assert_eq!((status, &refused["data"]["meta"]["displayMessage"]), (422, &json!(said)));
    }
    server.stop().await;
}

/// R7.3-25, leads-O05: 25 people, to the paisa; six have no offers; nobody else's lead is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_business_gets_indicative_prices() {
    let server = product(definitions()).await;
    let visitor = server.visitor();
    let (_, lead) = post(&visitor, "/api/v1/sme/lead", sme_lead("Rao Traders", "Rao")).await;
    let details = format!("/api/v1/sme/lead/{}/details", lead["data"]["data"]["leadId"].as_str().expect("an id"));
    let people = |count: i32| json!({"answers": [{"key": "lives", "count": count}]});
    let (status, six) = put(&visitor, &details, people(6)).await;
    assert_eq!((status, &six["data"]["data"]["offers"]), (200, &json!([])), "{six}");
    assert_eq!(put(&visitor, &details, people(0)).await.0, 422);
    let (_, offers) = put(&visitor, &details, people(25)).await;
    let totals: Vec<&Value> =
        offers["data"]["data"]["offers"].as_array().expect("offers").iter().map(|offer| &offer["total"]).collect();
    assert_eq!(totals, [&json!(11_770_500), &json!(12_390_000), &json!(13_876_800)]);
    assert_eq!(put(&server.visitor(), &details, people(25)).await.0, 404);
    let lead_id = lead["data"]["data"]["leadId"].clone();
    let (status, chosen) =
        post(&visitor, "/api/v1/sme/quotes/select", json!({"lead_id": lead_id, "insurer": "tata-aig"})).await;
    assert_eq!((status, &chosen["data"]["data"]["chosen"]["net"]), (200, &json!(10_500_000)), "{chosen}");
    server.stop().await;
}

const BUILDING: &str = r#"{
    "requestSource": "fire-qm",
    "buildingDetails": {"buildingAge": 12, "wallMaterialTypeId": 2, "floorMaterialTypeId": 1, "roofMaterialTypeId": 5,
        "isBasement": false, "noOfFloors": 2},
    "businessDetails": {"occupancyTypeId": 14, "ownershipType": 1},
    "claimDetails": {"isPreviouslyClaimed": false},
    "sums": {"building": 12000000, "machinery": 8000000, "furniture": 500000, "stock": 9500000, "valueAtRisk": 0},
    "covers": {"burglary": true, "fireFighting": true}
}"#;

fn fire_lead(mobile: &str) -> Value {
    json!({
        "salutation": "Ms", "name": "Asha Rao", "businessName": "Rao Garments", "mobile": mobile,
        "email": "asha@example.com", "pincode": "600001", "channelIamId": "evil",
    })
}

/// Who has said where the business is, and proved the number; the id of the request.
pub async fn verified_building(server: &TestServer, visitor: &Visitor, mobile: &str) -> String {
    let (status, lead) = post(visitor, "/api/v1/fire/lead", fire_lead(mobile)).await;
    assert_eq!(status, 201, "{lead}");
    let id = lead["data"]["lead_id"].as_str().expect("an id").to_owned();
    assert_eq!(
        visitor.get(&format!("/api/v1/fire/quotes?lead_id={id}")).await.status,
        409,
        "prices come after the code"
    );
    let code = server
        .until("the code", async || {
            let inbox = visitor.get(&format!("/sandbox/inbox.json?to={mobile}")).await.ok(200);
            password_in(inbox["messages"][0]["text"].as_str()?).map(str::to_owned)
        })
        .await;
    let (status, shown) =
        post(visitor, "/api/v1/fire/otp", json!({"lead_id": id, "action": "verify", "otp": code})).await;
    assert_eq!((status, &shown["data"]["verified"]), (200, &json!(true)), "{shown}");
    id
}

/// R3-69..76, leads-O09, leads-O10: prices come after the code; an unknown entry names its list; what the body says of
/// an agent is nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_building_is_priced_by_its_details() {
    let server = product(definitions()).await;
    let visitor = server.visitor();
    let id = verified_building(&server, &visitor, "9812345679").await;
    let (quotes, details) = (format!("/api/v1/fire/quotes?lead_id={id}"), format!("/api/v1/fire/lead/{id}/details"));
    let kept = record(&server, &json!(id)).await;
    assert_eq!((&kept["businessType"], kept.get("channelIamId")), (&json!("new"), None), "R3-70, R3-71 {kept}");

    let building: Value = serde_json::from_str(BUILDING).expect("JSON");
    let mut bamboo = building.clone();
    bamboo["buildingDetails"]["wallMaterialTypeId"] = json!(77);
    let (status, refused) = put(&visitor, &details, bamboo).await;
    assert_eq!(
        (status, &refused["errors"][0]["displayMessage"]),
        (422, &json!("We do not know this entry of the list materialType"))
    );
    let lists = visitor.get("/api/v1/forms/fire/lists").await.ok(200)["data"].clone();
    assert_eq!(lists["materialType"].as_array().map(Vec::len), Some(9));

    let mut claimed = building.clone();
    let flood = json!({"year": 2023, "amount": 4000, "cause": "flood"});
    claimed["claimDetails"] = json!({"isPreviouslyClaimed": true, "claims": [flood]});
    let (status, taken) = put(&visitor, &details, claimed).await;
    assert_eq!(status, 200, "claims stand in claimDetails, or beside it: {taken}");
    let (status, taken) = put(&visitor, &details, building).await;
    assert_eq!(status, 200, "{taken}");
    let priced = server
        .until_worked("the prices", async || {
            let data = visitor.get(&quotes).await.ok(200)["data"].clone();
            (data["status"] == "done").then_some(data)
        })
        .await;
    assert_eq!(priced["plans"][0]["total"], 4_756_600, "{priced}");
    // the zone is that of the place of the business, which the body may say; one that is none changes nothing
    let mut moved: Value = serde_json::from_str(BUILDING).expect("JSON");
    moved["businessDetails"]["pincode"] = json!("999999");
    let (status, refused) = put(&visitor, &details, moved.clone()).await;
    assert_eq!((status, &refused["errors"][0]["pointer"]), (422, &json!("/businessDetails/pincode")), "{refused}");
    moved["businessDetails"]["pincode"] = json!("781001");
    let (status, taken) = put(&visitor, &details, moved).await;
    assert_eq!(status, 200, "{taken}");
    let shaken = server
        .until_worked("other prices", async || {
            let data = visitor.get(&quotes).await.ok(200)["data"].clone();
            (data["status"] == "done" && data["plans"][0]["total"] != 4_756_600).then_some(data)
        })
        .await;
    assert!(shaken["plans"][0]["total"].as_i64() > Some(4_756_600), "{shaken}");
    let choice = json!({"lead_id": id, "insurer": "sbi"});
    assert_eq!(post(&visitor, "/api/v1/fire/quotes/select", choice).await.0, 200);
    server.stop().await;
}

/// R3-71: an agent's ids are those of the session.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_named_in_the_lead_that_she_adds() {
    let server = product(definitions()).await;
    let agent = sitting(&server, "app-agent", 8).await;
    assert_eq!(agent.start("sme/fire", fire_lead("9812345678")).await.status, 422, "the form takes no ids");
    let mut lead = fire_lead("9812345678");
    lead.as_object_mut().expect("an object").remove("channelIamId");
    let view = agent.start("sme/fire", lead).await.ok(201);
    let kept = record(&server, &view["journey"]["id"]).await;
    assert!(kept["creatorIamId"].as_str().is_some_and(|id| !id.is_empty()), "{kept}");
    assert_eq!(kept["channelIamId"], kept["creatorIamId"]);
    server.stop().await;
}

/// R1-35, R7.3-31, leads-O23: the vaccination drive has ended, so its calls are not there; with the setting both answer.
#[tokio::test(flavor = "multi_thread")]
async fn the_vaccination_drive_is_a_setting() {
    let calendar = "/api/v1/vaccine/calendar?pincode=411001&date=26-11-2026";
    let wish = json!({"mobile": "9876543210", "pincode": "411001", "ageGroup": 18});
    let server = product(definitions()).await;
    let visitor = server.visitor();
    assert_eq!(visitor.get(calendar).await.status, 404);
    assert_eq!(post(&visitor, "/api/v1/vaccine/notify", wish.clone()).await.0, 404);
    server.stop().await;

    let mut files = definitions();
    let rules = "workflows/leads/tables/vaccine_rules.yaml";
    let text = String::from_utf8(files.get(rules).expect("the rules").to_vec()).expect("text");
    files.insert(rules, text.replace("[drive, false,", "[drive, true,").into_bytes());
    let server = product(files).await;
    let visitor = server.visitor();
    let centers = visitor.get(calendar).await.ok(200)["centers"].clone();
    assert_eq!(centers[0]["sessions"][0]["date"], "26-11-2026", "{centers}");
    assert!(centers[0]["center_id"].is_i64() && centers[0]["sessions"][0]["slots"][0].is_string());
    let district = visitor.get("/api/v1/vaccine/calendar?districtId=395&date=26-11-2026").await.ok(200);
    assert_eq!(district["centers"].as_array().map(Vec::len), Some(2));
    for wrong in ["pincode=999999&date=26-11-2026", "date=26-11-2026", "pincode=411001&date=2026-11-26x"] {
        assert_eq!(visitor.get(&format!("/api/v1/vaccine/calendar?{wrong}")).await.status, 422, "{wrong}");
    }
    let (_, first) = post(&visitor, "/api/v1/vaccine/notify", wish.clone()).await;
    assert_eq!(post(&visitor, "/api/v1/vaccine/notify", wish).await.1, first);
    let young = json!({"mobile": "9876543210", "pincode": "411001", "ageGroup": 12});
    assert_eq!(post(&visitor, "/api/v1/vaccine/notify", young).await.0, 422);
    server.stop().await;
}

/// R3-46, R7.3-33, R9-62, leads-O24: a meeting is set in a free slot, moved by the same lead, cancelled; seven in the
/// evening is outside of the hours.
#[tokio::test(flavor = "multi_thread")]
async fn a_lead_meets_an_advisor() {
    let server = product(definitions()).await;
    let visitor = server.visitor();
    let slots = visitor.get("/api/v1/meeting/slots?date=2026-11-23").await.ok(200)["slots"].clone();
    let hourly = visitor.get("/api/v1/meeting/slots?date=2026-11-23&interval=60").await.ok(200)["slots"].clone();
    assert_eq!((slots.as_array().map(Vec::len), hourly.as_array().map(Vec::len)), (Some(18), Some(9)), "{slots}");
    assert_eq!(visitor.get("/api/v1/meeting/slots?date=2026-11-22").await.ok(200)["slots"], json!([]), "a Sunday");
    let ask = |slot: &Value| json!({"leadId": "SME-0a1b2c3d", "slot": slot, "mode": "video", "language": "hi"});
    let evening = json!({"leadId": "SME-0a1b2c3d", "date": "2026-11-23", "slot": "19:00", "mode": "phone"});
    let (status, refused) = post(&visitor, "/api/v1/meeting/schedule", evening).await;
    assert_eq!((status, &refused["errors"][0]["code"]), (422, &json!("OUTSIDE_HOURS")));
    let mut set = Vec::new();
    for slot in slots.as_array().expect("slots") {
        let (status, reply) = post(&visitor, "/api/v1/meeting/schedule", ask(&slot["key"])).await;
        if status == 200 {
            set.push(reply["data"].clone());
        } else {
            assert_eq!((status, &reply["errors"][0]["code"]), (409, &json!("SLOT_TAKEN")), "{reply}");
        }
        if set.len() == 2 {
            break;
        }
    }
    assert_eq!(set[0]["link"], set[1]["link"], "the same meeting at another time");
    let cancel = format!("/api/v1/meeting/{}/cancel", set[1]["meetingId"].as_str().expect("an id"));
    assert_eq!(post(&visitor, &cancel, json!({})).await.1["data"]["status"], "cancelled");
    assert_eq!(post(&server.visitor(), &cancel, json!({})).await.0, 404, "nobody else's");
    server.stop().await;
}

/// R2.1-23: the page reacts to both keys.
#[tokio::test(flavor = "multi_thread")]
async fn who_comes_from_verak_reads_that_nothing_changes() {
    let server = product(definitions()).await;
    let visitor = server.visitor();
    let page = async |query: &str| visitor.get(&format!("/sme/verak-acquisition-news{query}")).await.text();
    let (both, from, plain) = (page("?from=verak&verak=1").await, page("?from=verak").await, page("?verak=2").await);
    let has = |html: &str| (html.contains("You came from Verak"), html.contains("What happens now"));
    assert_eq!((has(&both), has(&from), has(&plain)), ((true, true), (true, false), (false, false)));
    server.stop().await;
}

/// R7.2-03, leads-O22: the six forms of the agents' app are read as data, with a version said or not; another name is
/// none, and no cache keeps one for somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn forms_of_the_app_are_read_as_data() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    for form in ["LeadStep", "LeadStep1", "BusinessDetails", "Address", "CommunicationAddress", "SMELeadForm"] {
        let reply = visitor.get(&format!("/api/v1/forms/{form}?version=3")).await;
        assert_eq!(reply.header("cache-control"), "no-store", "{form}");
        let told = reply.ok(200);
        assert_eq!((&told["name"], &told["version"]), (&json!(form), &json!("3")));
        let fields = told["schema"]["properties"].as_object().map_or(0, serde_json::Map::len);
        assert!(fields > 1 && told["schema"]["type"] == "object", "{form}: {told}");
    }
    assert_eq!(visitor.get("/api/v1/forms/Address").await.ok(200)["version"], "");
    assert_eq!(visitor.get("/api/v1/forms/Nothing?version=1").await.status, 404);
    assert_eq!(visitor.get("/api/v1/forms/Address?version=9").await.status, 404);
    let hindi = visitor.get("/api/v1/forms/Address?version=9&lang=hi").await.json();
    assert!(
        !hindi["errors"][0]["text"].as_str().unwrap_or_default().is_ascii(),
        "refused in the language asked for: {hindi}"
    );
    // The app's own address leads there with all that the app says.
    let said = "version=2&iam_uuid=u1&source=s&subSource=&medium=m&productType=sme&role_id=boss";
    let led = visitor.get(&format!("/v1/forms/LeadStep/?{said}")).await;
    assert_eq!((led.status, led.header("location")), (302, &*format!("/api/v1/forms/LeadStep?{said}")));
    assert_eq!(visitor.get(led.header("location")).await.status, 422, "a role that is not there");
    // The role of the answer is the session's: `role_id` names one of its own, and gives none.
    let agent = sitting(&server, "app-agent", 3).await;
    let path =
        |role: &str| format!("/api/v1/forms/LeadStep?role_id={role}&iam_uuid=u1&medium=AGENT-APP&productType=sme");
    let asks_source = |told: Value| told["schema"]["properties"]["leadSource"].is_object();
    assert!(asks_source(agent.get("/api/v1/forms/LeadStep").await.ok(200)));
    assert!(asks_source(agent.get(&path("app-agent")).await.ok(200)));
    assert!(!asks_source(visitor.get(&path("")).await.ok(200)));
    assert!(asks_source(agent.get(&path("1")).await.ok(200)), "the app's number of the role");
    let others =
        [(&visitor, "app-agent"), (&agent, "call-centre"), (&visitor, "operator"), (&visitor, "1"), (&agent, "3")];
    for (caller, role) in others {
        let refused = caller.get(&path(role)).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "role"), "{role}");
    }
    // Who manages agents may read theirs; the form of everybody is everybody's.
    let manager = sitting(&server, "partner-agent", 4).await;
    let assigns = |told: &Value| told["schema"]["properties"]["assignTo"].is_object();
    let (as_agent, as_manager) = (manager.get(&path("1")).await.ok(200), manager.get(&path("2")).await.ok(200));
    assert_eq!((asks_source(as_agent.clone()), assigns(&as_agent), assigns(&as_manager)), (true, false, true));
    for caller in [&visitor, &agent, &manager] {
        assert!(!asks_source(caller.get(&path("visitor")).await.ok(200)));
    }
    let above = agent.get(&path("2")).await;
    assert_eq!((above.status, above.code().as_str()), (403, "role"));
    let unknown = agent.get(&path("boss")).await;
    assert_eq!((unknown.status, unknown.json()["errors"][0]["pointer"].clone()), (422, json!("/role_id")));
    server.stop().await;
}

/// A product and an insurer more are rows: the files that they are in, and what then sells them.
#[tokio::test(flavor = "multi_thread")]
async fn a_product_and_an_insurer_are_rows() {
    let mut files = all_definitions();
    let rows = [
        (
            "workflows/sme/tables/covers.yaml",
            "- [drone, drone, engineering, Drone insurance, Drones, \"Your drone, and harm that it does.\"]",
        ),
        (
            "workflows/sme/tables/indicative.yaml",
            "- {cover: drone, unit: machineValue, fields: [machineValue], rate: 1.00%, example_amount: \"₹5,00,000\", minimum: \"₹2,000\"}",
        ),
        (
            "workflows/sme/tables/fields.yaml",
            "- {cover: drone, field: machineValue, kind: money, amount: \"₹99,99,99,999\", title: What the drone costs new}",
        ),
        (
            "workflows/sme/tables/sections.yaml",
            "- [drone, covered, [Crashes and fire]]
  - [drone, who, [Firms that survey or film from the air]]
  - [drone, not_covered, [Flights without permission]]
  - [drone, sum, [What the drone costs new]]
  - [drone, example, [\"A gust drops a drone of ₹5 lakh. Its repair is paid, less the deductible.\"]]
  - [drone, papers, [Flight log, Bill of the repair]]",
        ),
        ("workflows/sme/tables/questions.yaml", "- [drone, 1, Is the camera covered?, \"Yes, as part of the drone.\"]"),
        (
            "workflows/travel/tables/insurers.yaml",
            "- [1, hdfc-ergo, HDFC ERGO, HDFC ERGO, \"#C4161C\", 102%, 80, 20%, any, true, any, any, ₹0, 98, 800]",
        ),
    ];
    for (path, added) in rows {
        let mut text = files.get(path).unwrap_or_else(|| panic!("{path}")).to_vec();
        text.extend_from_slice(format!("  {added}\n").as_bytes());
        files.insert(path, text);
    }
    let server = product(files).await;
    let visitor = server.visitor();
    assert!(visitor.get("/sme/drone").await.text().contains("Is the camera covered?"));
    let (status, prices) =
        post(&visitor, "/api/v1/sme/quote", json!({"productType": "drone", "exposure": 500_000})).await;
    assert_eq!((status, prices["data"]["offers"].as_array().map(Vec::len)), (200, Some(3)), "{prices}");
    let trip = crate::travel::asks(&visitor, "travel", "hdfc-ergo", &crate::travel::trip()).await;
    assert!(trip.is_ok(), "{trip:?}");
    server.stop().await;
}

/// leads-O22: through a cache that many share, nobody gets the form that another role has asked for.
#[tokio::test(flavor = "multi_thread")]
async fn a_shared_cache_keeps_no_form_of_a_role() {
    let server = TestServer::start(all_definitions()).await;
    let proxy = CachingProxy::before(&server.product.url()).await;
    let visitor = Visitor::at(proxy.url());
    let agent = sitting(&server, "app-agent", 5).await.moved(proxy.url());
    let manager = sitting(&server, "partner-agent", 6).await.moved(proxy.url());
    // It does keep what it may.
    let menu = async || visitor.get("/api/v1/sme-menu").await.header("x-kept").to_owned();
    assert_eq!((menu().await, menu().await), ("MISS".to_owned(), "HIT".to_owned()));

    let has = |told: &Value, field: &str| told["schema"]["properties"][field].is_object();
    for form in ["LeadStep", "LeadStep1", "BusinessDetails", "Address", "CommunicationAddress", "SMELeadForm"] {
        let path = format!("/api/v1/forms/{form}");
        for caller in [&visitor, &agent, &visitor, &manager, &agent] {
            let reply = caller.get(&path).await;
            assert_ne!(reply.header("x-kept"), "HIT", "{form}");
            reply.ok(200);
        }
        let as_agent = format!("{path}?role_id=1");
        agent.get(&as_agent).await.ok(200);
        assert_eq!(visitor.get(&as_agent).await.code(), "role", "{form}");
    }
    let lead = "/api/v1/forms/LeadStep";
    assert!(has(&agent.get(lead).await.ok(200), "leadSource"));
    assert!(!has(&visitor.get(lead).await.ok(200), "leadSource"));
    assert!(has(&manager.get(lead).await.ok(200), "assignTo"));
    assert!(!has(&agent.get(lead).await.ok(200), "assignTo"));
    server.stop().await;
}
