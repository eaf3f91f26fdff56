//! How visitors come here: channels and their order, partners, agents, variants. With the definitions that are shipped
//! where a row of the specification is about them, with small ones where only the mechanism is.

use crate::purchase::{Customer, INSURER};
use crate::roles::sitting;
use engine_definitions::SitePartner;
use engine_settings::Settings;
use journey_tests::server::{TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const CALLBACK: &str = "leads/callback";

async fn product() -> TestServer {
    let files = all_definitions();
    let open = |settings: &mut Settings| {
        settings.sandbox.delay_percent = 0;
        // every page is opened from one address
        settings.limits.rate_burst = 10_000;
    };
    TestServer::start_with(files, open).await
}

/// The record of a request to be called, begun by this visitor.
async fn lead(server: &TestServer, visitor: &Visitor) -> Value {
    let begun = visitor.start(CALLBACK, json!({"name": "Asha Rao", "mobile": "9812345678"})).await.ok(201);
    let id = begun["journey"]["id"].as_str().expect("a journey");
    let records = server.store().await.records(id).await.expect("a read");
    records.into_iter().find(|record| record.kind == "lead").expect("a lead").data
}

/// What a journey of this workflow is told of where its visitor came from.
async fn told(server: &TestServer, visitor: &Visitor, workflow: &str, data: Value) -> Value {
    let begun = visitor.start(workflow, data).await.ok(201);
    let id = begun["journey"]["id"].as_str().expect("a journey");
    server.store().await.journey(id).await.expect("a read").expect("a journey").attribution
}

async fn of_health(server: &TestServer, visitor: &Visitor) -> Value {
    let data = json!({"name": "Asha Rao", "mobile": "9812345671", "pincode": "560001", "consent": true});
    told(server, visitor, "health/advisor-at-home", data).await
}

async fn of_car(server: &TestServer, visitor: &Visitor) -> Value {
    told(server, visitor, "motor/car", json!({"kind": "registered", "registration": "DL3CAB1234"})).await
}

async fn visit(visitor: &Visitor) -> Value {
    visitor.get("/api/v1/visit").await.ok(200)
}

/// Opens an address; what it says is taken out, and the page behind it is there.
async fn arrive(visitor: &Visitor, address: &str) {
    let led = visitor.get(address).await;
    assert_eq!(led.status, 302, "{address}");
    let page = visitor.get(led.header("location")).await;
    assert_eq!(page.status, 200, "{address}: {}", led.header("location"));
}

fn hidden(html: &str) -> BTreeSet<&str> {
    let list = html.split_once("<body data-hide=\"").and_then(|(_, rest)| rest.split_once('"'));
    list.map_or("", |(list, _)| list).split_whitespace().collect()
}

fn boot(html: &str) -> Value {
    let inside = html.split_once("id=\"boot\">").and_then(|(_, rest)| rest.split_once("</script>"));
    serde_json::from_str(inside.expect("boot data").0).expect("JSON")
}

/// R3-14, R7.2-12: pages name what browsers keep: cities below health, how somebody came wherever that is known.
#[tokio::test(flavor = "multi_thread")]
async fn pages_name_what_browsers_keep() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    let kept = async |path: &str| {
        let keeps = boot(&visitor.get(path).await.text())["site"]["keeps"].clone();
        let names = keeps.as_array().into_iter().flatten().filter_map(|kept| kept["name"].as_str().map(str::to_owned));
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        (kept("/contact-us").await.len(), kept("/health-insurance").await),
        (0, vec!["healthCities".to_owned()])
    );
    assert_eq!(visit(&visitor).await["preferred"], Value::Null);
    arrive(&visitor, "/contact-us?source=clinicplus&preferred_insurer=24&preferred_plan=P77").await;
    assert_eq!(kept("/contact-us").await, ["agentinfo", "partnerentry", "preferred"]);
    let came = visit(&visitor).await;
    assert_eq!((&came["agent"], &came["preferred"]), (&Value::Null, &json!({"insurer": "24", "plan": "P77"})));
    server.stop().await;
}

/// R3-06
const UTM: &str = "utm_campaign utm_device utm_term network utm_medium utm_source utm_content utm_creative agid ap aoi ci \
                   cre fid lop ma mo pl ti track final_source final_medium final_campaign emp merchant_id";

/// R2.1-19, R3-01, R3-06, R3-07, R9-64: what an address said is in the lead.
#[tokio::test(flavor = "multi_thread")]
async fn a_lead_says_where_it_came_from() {
    let server = product().await;
    let visitor = server.visitor();
    let names: Vec<&str> = UTM.split_whitespace().collect();
    assert_eq!(names.len(), 25);
    let query: Vec<String> = names.iter().enumerate().map(|(at, name)| format!("{name}=v{at}")).collect();
    let from = [("referer", "https://a.example/?x=1&x=2&y=3")];
    let address =
        format!("/health-insurance?{}&source=letter&sub-source=spring&ui-source=desk&medium=paper", query.join("&"));
    let led = visitor.send("GET", &address, &from, None).await;
    assert_eq!((led.status, led.header("location")), (302, "/health-insurance"));
    let lead = lead(&server, &visitor).await;
    for (at, name) in names.iter().enumerate() {
        assert_eq!(lead["utm"][name], format!("v{at}"), "{name}: {lead}");
    }
    assert_eq!(lead["utm"]["referralUrl"], "https://a.example/?x=1&y=3");
    let said = ["source", "sub_source", "subSource", "ui_source", "medium"]
        .map(|name| lead[name].as_str().unwrap_or_default());
    assert_eq!(said, ["letter", "spring", "spring", "desk", "paper"]);
    // the other spelling means the same, and what somebody sends to a first write too
    let other = server.visitor();
    arrive(&other, "/?subSource=spring").await;
    assert_eq!(self::lead(&server, &other).await["sub_source"], "spring");
    let retail = self::lead(&server, &server.visitor()).await;
    assert_eq!((&retail["source"], &retail["medium"]), (&json!("B2C"), &json!("B2CAPP")));
    server.stop().await;
}

/// R1-15, R6-05, R6-07: every assisted channel, by its marker.
#[tokio::test(flavor = "multi_thread")]
async fn every_channel_is_known_by_its_marker() {
    let server = product().await;
    for (address, channel, source, medium) in [
        ("/?source=harbourbank&sub-source=netbanking", "partner", "harbourbank", "PARTNER"),
        ("/?source=saathi", "saathi", "SAATHI", "POS"),
        ("/?source=parking", "parking-partner", "PARKING", "PARTNER"),
        ("/?sub-source=fusion", "fusion", "B2C", "B2CAPP"),
        ("/?source=poslead", "pos-lead", "POS", "POS"),
        ("/?source=posapp", "pos-app", "POS-APP", "POS"),
        ("/?source=ucd", "ucd", "UCD", "PARTNER"),
        ("/?appName=agentApp&uuid=u1&role_id=2&source=dealers&dealer=d3", "agent-app", "dealers", "AGENT-APP"),
        ("/?source=inbound-jaipur", "call-centre", "inbound-jaipur", "CALL-CENTRE"),
    ] {
        let visitor = server.visitor();
        visitor.get(address).await;
        let lead = lead(&server, &visitor).await;
        let said = [&lead["channel"], &lead["source"], &lead["medium"]];
        assert_eq!(said, [channel, source, medium], "{address}: {lead}");
    }
    let visitor = server.visitor();
    assert_eq!(visitor.get("/bike-insurance/tp").await.status, 200);
    assert_eq!(lead(&server, &visitor).await["source"], "TP");
    // agents who are signed in, of lines that only take a call back
    for (n, role, source) in [(1, "health-agent", "HEALTH-AGENT"), (2, "life-agent", "LIFE-AGENT")] {
        let lead = lead(&server, &sitting(&server, role, n).await).await;
        assert_eq!([&lead["channel"], &lead["source"], &lead["medium"]], [role, source, "AGENT"], "{lead}");
        assert_eq!(lead["agent"]["role"], role);
    }
    // an agent by their id, which somebody who knows them has confirmed
    let agent = server.visitor();
    arrive(&agent, "/health-insurance?_aid=A7&source=desk").await;
    of_health(&server, &agent).await;
    assert_eq!(visit(&agent).await["agent"], json!({"agentId": "A7"}));
    // what the agents' app says is in the session and goes along
    let app = server.visitor();
    app.get("/?appName=agentApp&iam_uuid=u1&role_id=2&source=dealers&dealer=d3").await;
    let told = of_car(&server, &app).await;
    let said = ["appName", "uuid", "role_id", "source", "dealer"].map(|name| told[name].as_str().unwrap_or_default());
    assert_eq!(said, ["agentApp", "u1", "2", "dealers", "d3"]);
    server.stop().await;
}

/// R4-01, R4-02, R4-03: of several markers the highest counts; a newer one takes the place of all before.
#[tokio::test(flavor = "multi_thread")]
async fn the_highest_marker_counts_until_another_takes_its_place() {
    let server = product().await;
    let both = server.visitor();
    arrive(&both, "/health-insurance/lp-fusion?source=saathi").await;
    assert_eq!(visit(&both).await["channels"], json!(["saathi", "fusion"]));
    assert_eq!(of_health(&server, &both).await["source"], "SAATHI");
    assert_eq!(of_car(&server, &both).await["channel"], "saathi");
    let three = server.visitor();
    arrive(&three, "/health-insurance/lp-fusion?source=clinicplus&sub-source=reception").await;
    let told = of_health(&server, &three).await;
    assert_eq!([&told["channel"], &told["partner"], &told["medium"]], ["partner", "clinic-plus", "PARTNER"]);
    // The highest one's word, not the one by which another is known.
    let lead = server.visitor();
    arrive(&lead, "/health-insurance?source=poslead&sub-source=fusion").await;
    let told = of_health(&server, &lead).await;
    assert_eq!([&told["channel"], &told["source"], &told["sub_source"]], ["fusion", "B2C", "fusion"]);
    let none = server.visitor();
    for told in [of_health(&server, &none).await, of_car(&server, &none).await] {
        assert_eq!([&told["source"], &told["medium"]], ["B2C", "B2CAPP"]);
        assert_eq!(told.get("channel"), None);
    }
    // as fusion, then as a partner: nothing of fusion is left, but that it was the first
    let moved = server.visitor();
    arrive(&moved, "/health-insurance?sub-source=fusion").await;
    arrive(&moved, "/health-insurance?source=clinicplus&sub-source=reception").await;
    assert_eq!(visit(&moved).await["channels"], json!(["partner"]));
    let told = of_health(&server, &moved).await;
    let touches: Vec<&Value> =
        told["touches"].as_array().expect("touches").iter().map(|one| &one["channels"]).collect();
    assert_eq!(touches, [&json!(["fusion"]), &json!(["partner"])]);
    // what came of the first write on is still there when the next journey begins
    assert_eq!(of_health(&server, &moved).await["partner"], "clinic-plus");
    server.stop().await;
}

/// Addresses to which a page that is drawn whole leads.
async fn links(visitor: &Visitor, path: &str) -> BTreeSet<String> {
    let page = visitor.get(path).await;
    let html = page.text();
    assert!(page.status == 200 && html.contains("<header class=\"site-header\">"), "{path} could not be drawn");
    html.split(" href=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// Checks that every page of the visit offers only bikes, with links of the partner's own.
async fn is_offered_bikes_alone(visitor: &Visitor) {
    let home = visitor.get("/").await;
    assert_eq!((home.status, home.header("location")), (302, "/bike-insurance/tp"), "their own line is their home");
    for path in ["/contact-us", "/bike-insurance/companies"] {
        let links = links(visitor, path).await;
        let strange = [
            "/car-insurance",
            "/health-insurance",
            "/life-insurance",
            "/tax-saving-schemes",
            "/sme",
            "/travel-insurance",
            "/investment",
        ];
        let shown: Vec<&String> = links.iter().filter(|link| strange.iter().any(|one| link.starts_with(one))).collect();
        assert_eq!(shown, Vec::<&String>::new(), "{path}");
        assert!(links.contains("/bike-insurance/tp"), "{path}: {links:?}");
    }
    let elsewhere = visitor.get("/car-insurance").await;
    assert_eq!((elsewhere.status, elsewhere.header("location")), (302, "/bike-insurance/tp"));
    let refused = visitor.start("motor/car", json!({"kind": "registered", "registration": "DL3CAB1234"})).await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"));
}

/// What a partner's pages look like, for the visitors of this pair alone.
async fn looks_of(server: &TestServer, pair: &str, slug: &str) -> String {
    let visitor = server.visitor();
    arrive(&visitor, &format!("/contact-us?{pair}")).await;
    let html = visitor.get("/contact-us").await.text();
    assert_eq!(html.matches(THEME).count(), 1, "{slug}");
    assert!(html.contains(&format!("{THEME}{slug}\"")), "{html}");
    let has_logo = html.contains(&format!("/partners/{slug}.svg"));
    assert_eq!(has_logo, !hidden(&html).contains("header"), "{slug}: what is hidden is not sent either");
    let style = visitor.get(&format!("/themes/{slug}")).await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(style.text().contains(":root{--brand:#"), "{}", style.text());
    style.text()
}

const THEME: &str = "<link rel=\"stylesheet\" href=\"/themes/";

/// R3-08, R3-09, R4-05, R4-06, R6-06, R9-60, R9-68: partners, by both halves of their pair.
#[tokio::test(flavor = "multi_thread")]
async fn a_partner_limits_and_dresses_what_its_visitors_see() {
    let server = product().await;
    for unlisted in ["/?source=twowheelclub", "/?sub-source=members", "/?source=twowheelclub&sub-source=netbanking"] {
        let visitor = server.visitor();
        arrive(&visitor, unlisted).await;
        assert_eq!(visit(&visitor).await["partner"], Value::Null, "{unlisted}");
    }
    let visitor = server.visitor();
    arrive(&visitor, "/bike-insurance?source=twowheelclub&sub-source=members").await;
    let entry = visit(&visitor).await["partner"].clone();
    assert_eq!(
        [&entry["source"], &entry["subSource"], &entry["medium"], &entry["slug"], &entry["config"]["lob"]],
        [&json!("twowheelclub"), &json!("members"), &json!("PARTNER"), &json!("two-wheel-club"), &json!(["bike"])]
    );
    is_offered_bikes_alone(&visitor).await;
    let ridden = visitor.start("motor/bike", json!({"kind": "registered", "registration": "DL3SAB1234"})).await.ok(201);
    // R9-60: they say that they are there as everybody does
    let presence = boot(&visitor.get("/bike-insurance/tp").await.text())["site"]["presence"].clone();
    assert_eq!((presence, ridden["presence"].is_object()), (json!({"every_ms": 30_000, "idle_ms": 360_000}), true));

    assert!(!server.visitor().get("/contact-us").await.text().contains(THEME));
    let mut looks = BTreeSet::new();
    for (pair, slug) in [
        ("source=harbourbank&sub-source=netbanking", "harbour-bank"),
        ("source=garagecircle&sub-source=service-desk", "garage-circle"),
        ("source=twowheelclub&sub-source=members", "two-wheel-club"),
        ("source=clinicplus&sub-source=reception", "clinic-plus"),
    ] {
        assert!(looks.insert(looks_of(&server, pair, slug).await), "{slug} looks like another");
    }
    assert_eq!(server.visitor().get("/themes/nobody").await.status, 404);
    server.stop().await;
}

/// Addresses of every kind of page that anybody may open, and some that lead astray.
async fn pages(visitor: &Visitor) -> Vec<String> {
    let listed = visitor.sitemap().await.into_iter();
    let more = ["/no-such-page", "/dashboard", "/car-insurance/quotes", "/health-insurance/plans"].map(str::to_owned);
    // Many pages of one kind: those for each row are alike.
    listed.filter(|path| path.matches('/').count() <= 2).chain(more).collect()
}

/// Addresses to which a page leads, drawn or as data for the browser to draw; to what is one's own it always may.
fn leads_to(html: &str) -> Vec<String> {
    let rests = html.split(" href=\"").skip(1).chain(html.split("\"href\":\"").skip(1));
    let links = rests.filter_map(|rest| rest.split('"').next()).map(str::to_owned);
    links.filter(|link| link.starts_with('/') && !link.contains("request=")).collect()
}

/// Checks that no page has a way to what this partner does not offer.
async fn is_led_to_nothing_else(server: &TestServer, partner: &SitePartner) {
    let catalog = server.product.runtime.catalog();
    let offers = |link: &str| {
        let path = link.split(['?', '#']).next().unwrap_or_default();
        partner.offers(catalog.site("").product(path).map(|product| product.id.as_str()))
    };
    let visitor = server.visitor();
    arrive(&visitor, &format!("/contact-us?source={}&sub-source={}", partner.source, partner.sub_source)).await;
    let mut shown = 0;
    for path in pages(&visitor).await {
        let page = visitor.get(&path).await;
        if page.status == 302 {
            assert!(offers(page.header("location")), "{}: {path} leads to {}", partner.slug, page.header("location"));
            continue;
        }
        assert!(offers(&path) && [200, 404].contains(&page.status), "{}: {path}: {}", partner.slug, page.status);
        let strange: Vec<String> = leads_to(&page.text()).into_iter().filter(|link| !offers(link)).collect();
        assert_eq!(strange, Vec::<String>::new(), "{}: {path}", partner.slug);
        shown += 1;
    }
    assert!(shown > 10, "{}: {shown}", partner.slug);
}

/// R3-09, R6-06: every partner, every kind of page.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_page_leads_a_partner_s_visitor_to_another_line() {
    let server = product().await;
    let catalog = server.product.runtime.catalog();
    let partners: Vec<&SitePartner> = catalog.site("").channels.partners().collect();
    assert!(partners.len() >= 4);
    futures::future::join_all(partners.into_iter().map(|partner| is_led_to_nothing_else(&server, partner))).await;
    server.stop().await;
}

/// R3-09: a partner limits what begins, and closes nothing that somebody has begun before.
#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_has_begun_stays_theirs_whoever_sends_them() {
    let server = crate::login::start().await;
    let asha = server.visitor();
    crate::login::logs_in(&server, &asha, crate::login::ASHA).await;
    let car = json!({"kind": "registered", "registration": "DL3CAB1234"});
    let begun = asha.start("motor/car", car).await.ok(201);
    let id = begun["journey"]["id"].as_str().expect("an id");
    arrive(&asha, "/bike-insurance?source=twowheelclub&sub-source=members").await;
    assert_eq!(asha.get("/car-insurance").await.header("location"), "/bike-insurance/tp");
    let page = asha.get(&format!("/car-insurance?request={id}")).await;
    let own = if page.status == 302 { asha.get(page.header("location")).await } else { page };
    assert_eq!((own.status, boot(&own.text())["view"]["journey"]["id"].clone()), (200, json!(id)));
    let account = asha.get("/dashboard").await;
    assert_eq!(account.status, 200);
    assert!(account.text().contains(id), "it stands on the account");
    let links = leads_to(&account.text());
    assert!(links.iter().any(|link| link == "/bike-insurance/tp"), "{links:?}");
    assert!(!links.iter().any(|link| link.starts_with("/car-") || link.starts_with("/health-")), "{links:?}");
    // Somebody else's is not there, by the same words as ever.
    let other = server.visitor();
    arrive(&other, "/bike-insurance?source=twowheelclub&sub-source=members").await;
    assert_eq!(other.get(&format!("/car-insurance?request={id}")).await.status, 404);
    server.stop().await;
}

/// R2.1-12, R2.1-13, R2.1-14, R2.1-15, R2.2-03, R2.2-10, R2.4-08, R2.4-15: pages for partners.
#[tokio::test(flavor = "multi_thread")]
async fn pages_for_partners_have_their_own_frame() {
    let server = product().await;
    for path in ["/car-insurance/tp", "/bike-insurance/tp", "/car-insurance/lp"] {
        let page = server.visitor().get(path).await;
        let html = page.text();
        assert!(page.status == 200 && !html.contains("<nav class=\"site-nav\""), "{path}: the affiliate's frame");
    }
    let visitor = server.visitor();
    assert!(visitor.get("/car-insurance").await.text().contains("<nav class=\"site-nav\""));
    assert_eq!(of_car(&server, &visitor).await["source"], "B2C");
    let partners = server.visitor();
    partners.get("/car-insurance/tp").await;
    assert_eq!(of_car(&server, &partners).await["source"], "TP");

    for path in ["/bike-insurance/tp", "/car-insurance/tp"] {
        let led = visitor.get(&format!("{path}?regno=DL3CAB1234&x=1")).await;
        let to = if path.starts_with("/car") { "" } else { "/car-insurance/tp?regno=DL3CAB1234&x=1" };
        assert_eq!((led.status, led.header("location")), (if to.is_empty() { 200 } else { 302 }, to));
    }
    assert_eq!(visitor.get("/car-insurance?regno=DL3CAB1234").await.status, 200);
    // R2.4-15
    for path in ["/car-insurance/tp-thankyou/TK-2041", "/bike-insurance/tp-thankyou/TK-2041"] {
        let page = visitor.get(path).await;
        assert!(page.status == 200 && page.text().contains("TK-2041") && page.text().contains("noindex"), "{path}");
    }
    // what is no number of anything is no page, and says how to go on
    for rest in ["", "/a/1", "/a%201", "/hello"] {
        let path = format!("/car-insurance/tp-thankyou{rest}");
        let page = visitor.get(&path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(rest != "/hello" || page.text().contains("href=\"/dashboard\"") && page.text().contains("tel:"));
    }
    let area = visitor.get("/health-insurance/agent").await;
    assert_eq!((area.status, area.header("location")), (302, "https://partners.journey.example/healthlead"));

    let bare = server.visitor();
    arrive(&bare, "/car-insurance?source=garagecircle&sub-source=service-desk").await;
    let html = bare.get("/contact-us").await.text();
    assert!(hidden(&html).is_superset(&["header", "nav", "footer"].into()), "{html}");
    for path in ["/contact-us", "/term-use", "/car-insurance"] {
        let html = bare.get(path).await.text();
        for part in ["<header class=\"site-header\"", "<nav class=\"site-", "<footer class=\"site-footer\"", "tel:"] {
            let is_content = part == "tel:" && path == "/contact-us";
            assert!(is_content || !html.contains(part), "{path}: {part}");
        }
    }
    let dressed = server.visitor();
    arrive(&dressed, "/car-insurance?source=harbourbank&sub-source=netbanking").await;
    assert_eq!(hidden(&dressed.get("/car-insurance").await.text()), BTreeSet::new());
    server.stop().await;
}

/// R2.1-30: pages that the agents' app shows within itself, and others.
#[tokio::test(flavor = "multi_thread")]
async fn some_pages_stand_within_the_agents_app() {
    let server = product().await;
    let visitor = server.visitor();
    arrive(&visitor, "/life-insurance?appName=agentApp&uuid=u1").await;
    let has_menu = async |path: &str| visitor.get(path).await.text().contains("<nav class=\"site-nav\"");
    assert!(!has_menu("/life-insurance/term-insurance").await && has_menu("/life-insurance").await);
    assert!(server.visitor().get("/life-insurance/term-insurance").await.text().contains("<nav class=\"site-nav\""));
    server.stop().await;
}

/// R2.2-11, R7.2-15: on their host header and footer are what the points of sale answer, as words and links.
#[tokio::test(flavor = "multi_thread")]
async fn a_host_has_the_header_that_its_owner_gives() {
    let server = product().await;
    let visitor = server.visitor();
    let ours = visitor.get("/contact-us").await.text();
    assert!(!ours.contains("Car at the desk") && ours.contains("Grievance redressal"));
    let theirs = visitor.send("GET", "/contact-us", &[("host", "pos.journey.example")], None).await;
    let html = theirs.text();
    let bar = html
        .split_once("<header class=\"site-header\">")
        .expect("a header")
        .1
        .split_once("</header>")
        .expect("its end")
        .0;
    assert!(theirs.status == 200 && bar.contains("Point of sale"), "{bar}");
    assert!(bar.contains("href=\"/car-insurance\"") && bar.contains("Car at the desk"), "{bar}");
    assert!(!html.contains("alert("), "what could run is nowhere");
    let footer = html.split_once("<footer").expect("a footer").1;
    assert!(footer.contains("Asked at the desk") && footer.contains("Help for desks"), "{footer}");
    assert!(!footer.contains("Grievance redressal"), "{footer}");
    server.stop().await;
}

/// Calls by which agents were checked: where and with what.
async fn checks(server: &TestServer) -> Vec<(String, Value)> {
    let calls = server.product.memory.list("agents", 100).await.expect("memory");
    calls
        .into_iter()
        .map(|(_, call)| (call["path"].as_str().unwrap_or_default().to_owned(), call["query"].clone()))
        .collect()
}

/// What a page does by itself a moment after it was opened.
async fn looks_at(visitor: &Visitor, path: &str) {
    let page = visitor.get(path).await;
    assert_eq!(page.status, 200, "{path}");
    if let Some(check) = boot(&page.text())["site"]["check"].as_str() {
        visitor.send("POST", check, &[], Some("{}".into())).await.ok(200);
    }
}

/// A shop with the script that counts visits, as an operator who has one configures it.
async fn counting() -> TestServer {
    let mut files = all_definitions();
    let site = files.get("workflows/site/site.yaml").map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let counted = site.expect("the site").replace("{host: visits, script: /count.js}", "{script: /count.js}");
    files.insert("workflows/site/site.yaml", counted.into_bytes());
    TestServer::start_with(files, |settings| settings.sandbox.delay_percent = 0).await
}

/// Whether a page has this part.
fn has(html: &str, part: &str) -> bool {
    boot(html)["site"].get(part).is_some() && !hidden(html).contains(part)
}

/// R2.2-23, R3-02, R4-07..11, R6-03, R7.1-06..08, R8-09: agents are confirmed by whoever knows them, once.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_who_is_confirmed_to_be_one() {
    let server = counting().await;
    let nobody = server.visitor();
    looks_at(&nobody, "/health-insurance").await;
    assert_eq!(checks(&server).await, [], "R4-08: without ids nobody is asked");

    let agent = server.visitor();
    arrive(&agent, "/health-insurance?_aid=A7&_uid=A8&token=t9").await;
    assert_eq!(checks(&server).await, [], "opening a page asks nobody");
    assert_eq!(agent.cookie("__Host-session"), "");
    for path in ["/health-insurance", "/health-insurance/plans", "/health-insurance"] {
        looks_at(&agent, path).await;
    }
    let health = ("health".to_owned(), json!({"_aid": "A7", "_uid": "A8", "token": "t9"}));
    assert_eq!(checks(&server).await, std::slice::from_ref(&health));
    assert_eq!(visit(&agent).await["agent"], json!({"agentId": "A7", "uAgentId": "A8"}));
    let (seen, plain) = (agent.get("/health-insurance").await.text(), nobody.get("/health-insurance").await.text());
    assert!(has(&seen, "chat") && !has(&seen, "analytics"));
    assert!(!has(&plain, "chat") && has(&plain, "analytics"));
    // the token was for the check alone
    assert!(!of_health(&server, &agent).await.to_string().contains("t9"));
    is_asked_about_elsewhere(&server, &agent).await;

    // one id is enough, whichever
    for (query, ids) in [("_aid=A1", json!({"agentId": "A1"})), ("_uid=A2", json!({"uAgentId": "A2"}))] {
        let one = server.visitor();
        arrive(&one, &format!("/health-insurance?{query}")).await;
        looks_at(&one, "/health-insurance").await;
        assert_eq!(visit(&one).await["agent"], ids);
    }
    is_nobody_once_refused(&server).await;
    server.stop().await;
}

/// Life and the rest ask others, once each; the first write asks too.
async fn is_asked_about_elsewhere(server: &TestServer, agent: &Visitor) {
    for path in ["/life-insurance", "/life-insurance/term-insurance", "/life-insurance"] {
        looks_at(agent, path).await;
    }
    of_car(server, agent).await;
    of_car(server, agent).await;
    let calls = checks(server).await;
    let of = |path: &str| calls.iter().filter(|(known, _)| known == path).map(|(_, query)| query).collect::<Vec<_>>();
    assert_eq!(of("life"), [&json!({"_aid": "A7", "product": "term"})]);
    let general = of("general");
    assert_eq!(general.len(), 1, "{general:?}");
    for (name, value) in [
        ("product", "car"),
        ("business", "car"),
        ("token", "t9"),
        ("_aid", "A7"),
        ("_uid", "A8"),
        ("source", "B2C"),
        ("medium", "B2CAPP"),
    ] {
        assert_eq!(general[0][name], value, "{name}");
    }
    let has_visit = |query: &&Value| query["visit_id"].as_str().is_some_and(|id| !id.is_empty());
    assert!(has_visit(&general[0]), "R7.1-08");
    // Also of who has no session yet: by a page, and by a first write.
    for begins in [false, true] {
        let fresh = server.visitor();
        arrive(&fresh, "/car-insurance?_aid=A9").await;
        if begins {
            of_car(server, &fresh).await;
        } else {
            looks_at(&fresh, "/car-insurance").await;
        }
        let calls = checks(server).await;
        let new: Vec<&Value> =
            calls.iter().filter(|(path, query)| path == "general" && query["_aid"] == "A9").map(|(_, q)| q).collect();
        assert!(new.len() == 1 + usize::from(begins) && new.iter().all(has_visit), "{new:?}");
        assert_eq!(of_car(server, &fresh).await["_aid"], "A9");
    }
}

/// Checks that an agent is nobody once refused, also after somebody who was one, and when nobody can be asked.
async fn is_nobody_once_refused(server: &TestServer) {
    for made_up in ["_aid=X1", "_aid=down"] {
        let one = server.visitor();
        arrive(&one, "/health-insurance?_aid=A1").await;
        looks_at(&one, "/health-insurance").await;
        arrive(&one, &format!("/health-insurance?{made_up}")).await;
        looks_at(&one, "/health-insurance").await;
        assert_eq!(visit(&one).await["agent"], Value::Null, "{made_up}");
        let html = one.get("/health-insurance").await.text();
        assert!(!has(&html, "chat") && has(&html, "analytics"), "{made_up}");
        let told = of_car(server, &one).await;
        assert_eq!((told.get("_aid"), &told["source"]), (None, &json!("B2C")), "R4-10: {told}");
    }
}

/// R4-12, beside `web/test/counting.test.ts`: an agent's page leaves out what counts visits, but where a rule of the
/// layout allows it.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_counted_only_where_that_is_allowed() {
    let server = counting().await;
    let (agent, nobody) = (server.visitor(), server.visitor());
    arrive(&agent, "/car-insurance?_aid=A7").await;
    looks_at(&agent, "/car-insurance").await;
    let hidden_at = async |visitor: &Visitor, path: &str| {
        let html = visitor.get("/car-insurance").await.text();
        let parts = match &boot(&html)["site"]["hide_at"][path] {
            Value::Array(parts) => parts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => hidden(&html).into_iter().map(str::to_owned).collect::<Vec<_>>(),
        };
        parts.contains(&"analytics".to_owned())
    };
    for (path, is_hidden) in [("", true), ("contact", true), ("quotes", true), ("post-payment-success", false)] {
        assert_eq!(hidden_at(&agent, path).await, is_hidden, "{path}");
        assert!(!hidden_at(&nobody, path).await, "{path}");
    }
    server.stop().await;
}

/// R3-78, R7.2-04: what the agents' app says when it asks for a form goes along with what begins then.
#[tokio::test(flavor = "multi_thread")]
async fn the_agents_app_says_who_uses_it_with_the_call_of_a_form() {
    let server = product().await;
    let app = server.visitor();
    let form = "/api/v1/workflows/motor/car/start";
    let keys = "iam_uuid=u1&source=dealers&subSource=desk&medium=AGENT-APP&productType=car&role_id=2";
    let view = app.get(&format!("{form}?appName=agentApp&dealer=d3&{keys}")).await;
    assert_eq!((view.header("cache-control"), view.ok(200)["step"]["path"].clone()), ("no-store", json!("")));
    assert_eq!(visit(&app).await["channels"], json!(["agent-app"]));
    let told = of_car(&server, &app).await;
    let said = ["appName", "uuid", "role_id", "source", "dealer", "sub_source", "medium", "productType"];
    let said = said.map(|name| told[name].as_str().unwrap_or_default());
    assert_eq!(said, ["agentApp", "u1", "2", "dealers", "d3", "desk", "AGENT-APP", "car"]);
    // a call without them says nothing, and they give no right
    let plain = server.visitor();
    assert_eq!(plain.get(form).await.header("set-cookie"), "");
    assert_eq!(
        plain.get(&format!("{form}?role_id=2")).await.ok(200)["step"]["events"],
        app.get(form).await.ok(200)["step"]["events"]
    );
    server.stop().await;
}

/// R3-14: who came as an agent, by which partner and for which plan is known from page to page; only we can read it.
#[tokio::test(flavor = "multi_thread")]
async fn agent_partner_and_preferred_plan_are_kept_sealed() {
    let server = product().await;
    let visitor = server.visitor();
    let pair = "source=harbourbank&sub-source=netbanking";
    arrive(&visitor, &format!("/car-insurance?_aid=A7&{pair}&preferred_insurer=9917&preferred_plan=gold-plan")).await;
    looks_at(&visitor, "/car-insurance").await;
    let kept = visit(&visitor).await;
    assert_eq!((&kept["agent"], &kept["partner"]["slug"]), (&json!({"agentId": "A7"}), &json!("harbour-bank")));
    let cookie = visitor.cookie("__Host-attribution");
    assert!(!cookie.is_empty() && ["9917", "gold-plan", "harbourbank"].iter().all(|plain| !cookie.contains(plain)));
    let told = of_car(&server, &visitor).await;
    assert_eq!((&told["preferred_insurer"], &told["preferred_plan"]), (&json!("9917"), &json!("gold-plan")));
    // The partner stays known on other pages of the visit.
    assert_eq!(visit(&visitor).await["partner"]["slug"], "harbour-bank");
    server.stop().await;
}

/// R3-14: the offer that a link asked for is marked, and stands first whatever the others cost.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_link_asked_for_stands_first_among_the_offers() {
    let server = crate::assisted::start().await;
    for (mobile, asks, marked) in [
        ("9812345681", json!({"preferred_insurer": "1"}), true),
        ("9812345682", json!({"preferred_insurer": "1", "preferred_plan": "no-such-plan"}), false),
        ("9812345683", json!({}), false),
    ] {
        let mut customer = Customer::arrives(&server, mobile, asks).await;
        let contact = json!({"name": "Asha Rao", "mobile": mobile, "consent": true});
        customer.submits(contact, "car.contact.otp.asking").await;
        let code = crate::passwords::code(&server.product.runtime, &customer.id()).await;
        customer.submits(json!({"code": code}), "car.vehicle").await;
        customer.has_it_priced().await;
        for offer in customer.offers().await.iter().filter(|offer| offer["state"] == "answered") {
            let is_asked = marked && offer["action"]["data"]["insurer"] == INSURER;
            let says = (offer["first"] == true, offer["badge"] == "From your link");
            assert_eq!(says, (is_asked, is_asked), "{offer}");
        }
    }
    server.stop().await;
}

/// R4-13, R6-04, life-O36: each of the four conditions alone opens the page.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_agents_lead_others_elsewhere() {
    let shipped = all_definitions();
    for (from, to, is_open) in [("open: true", "open: false", false), ("", "", true)] {
        let mut files = shipped.clone();
        let text =
            String::from_utf8(files.get("workflows/site/redirects.yaml").expect("redirects").to_vec()).expect("text");
        files.insert("workflows/site/redirects.yaml", text.replace(from, to).into_bytes());
        let server = TestServer::start_with(files, |settings| settings.sandbox.delay_percent = 0).await;
        let visitor = server.visitor();
        let opened = visitor.get("/life-insurance/quotes").await;
        let led = if is_open { (200, "") } else { (302, "/") };
        assert_eq!((opened.status, opened.header("location")), led);
        if !is_open {
            assert_eq!(visitor.get("/life-insurance").await.status, 200, "a page that is not in the list");
            arrive(&visitor, "/life-insurance?_aid=A7").await;
            looks_at(&visitor, "/life-insurance").await;
            assert_eq!(visitor.get("/life-insurance/quotes").await.status, 200);
        }
        server.stop().await;
    }
}

/// R4-14, R9-63: a variant is drawn once for a visit, before and after the first write, as often as its weight says.
#[tokio::test(flavor = "multi_thread")]
async fn a_variant_stays_for_the_visit() {
    let mut files = fixture("parcel");
    let more = b"layout:\n  - {variant: words/short, hide: nav}\nexperiments:\n  words: {under: /help, variants: {long: 70, short: 30}}\n  \
        all: {variants: {one: 100, other: 0}}\n";
    files.insert("workflows/site/more.yaml", more.to_vec());
    let server = TestServer::start(files).await;
    let is_short = async |visitor: &Visitor| hidden(&visitor.get("/help").await.text()).contains("nav");
    let mut short = 0;
    for visit in 0..300 {
        let visitor = server.visitor();
        let first = is_short(&visitor).await;
        short += usize::from(first);
        if visit < 20 {
            assert_eq!(is_short(&visitor).await, first);
            let told = told(&server, &visitor, "parcel/cover", json!({"weight": 2, "kind": "gift"})).await;
            let drawn = if first { "short" } else { "long" };
            assert_eq!(
                (&told["variants"], &told["ab"]),
                (&json!({"all": "one", "words": drawn}), &json!(format!("all:one,words:{drawn}")))
            );
            assert_eq!(is_short(&visitor).await, first, "after the first write");
        }
    }
    assert!((60..=120).contains(&short), "{short} of 300, not about 90");
    // somebody who writes first has one variant too
    let writer = server.visitor();
    let begun = told(&server, &writer, "parcel/cover", json!({"weight": 2, "kind": "gift"})).await["variants"].clone();
    assert_eq!(is_short(&writer).await, begun["words"] == "short");
    server.stop().await;
}

/// A step, a view and a flow say something else to some: customers of a partner from the first page on, a
/// variant of an experiment, a language.
#[tokio::test(flavor = "multi_thread")]
async fn steps_views_and_flows_have_variants() {
    let mut files = fixture("parcel");
    let mut change = |path: &str, from: &str, to: &str| {
        let text = String::from_utf8(files.get(path).expect("a file").to_vec()).expect("text");
        assert!(text.contains(from), "{path}: {from}");
        files.insert(path, text.replacen(from, to, 1).into_bytes());
    };
    let flow = "workflows/parcel/cover/flow.yaml";
    change(
        flow,
        "ttl: 10d\n",
        "ttl: 10d\nvariants:\n  - {for: {partner: harbour}, merge: {title: Harbour parcels, steps: {parcel: {title: For Harbour}}}}\n",
    );
    change(
        flow,
        "path: '', section: parcel}",
        "path: '', section: parcel, title: Your parcel, variants: [{for: {experiment: words/short}, \
         merge: {title: Parcel, submit: Go}, over: {/title: Your parcel}}, \
         {for: {partner: harbour, language: en}, merge: {submit: Start}}]}",
    );
    change(
        "workflows/parcel/cover/views/offers.yaml",
        "blocks:\n",
        "variants:\n  - for: {partner: harbour}\n    merge: {title: Offers of Harbour, blocks: {offers: {empty: Wait for it.}, \
         who: {block: text, after: offers, text: Harbour asks no more.}}}\nblocks:\n",
    );
    let more = b"experiments: {words: {under: /parcel-cover, variants: {short: 100, long: 0}}}\nchannels: {partner: {title: Partners, \
        partners: {harbour: {title: Harbour, source: harbour, sub_source: bank, medium: PARTNER, config: {}}}}}\n";
    files.insert("workflows/site/more.yaml", more.to_vec());
    let server = TestServer::start(files).await;
    let first = async |visitor: &Visitor| {
        let view = visitor.get("/api/v1/workflows/parcel/cover/start").await.ok(200);
        ["/journey/title", "/step/title", "/step/form/submit"].map(|at| view.pointer(at).cloned().unwrap_or_default())
    };
    let theirs = server.visitor();
    arrive(&theirs, "/parcel-cover?source=harbour&sub-source=bank").await;
    assert_eq!(first(&theirs).await, [json!("Harbour parcels"), json!("Parcel"), json!("Start")]);
    assert!(theirs.get("/parcel-cover").await.text().contains(">Start<"), "the first page has it too");
    let begun = theirs.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_eq!(begun["journey"]["title"], "Harbour parcels");
    let offers = theirs.event(&begun, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    assert_eq!(offers["step"]["view"]["title"], "Offers of Harbour");
    let blocks = offers["step"]["view"]["blocks"].as_array().expect("blocks");
    assert_eq!((&blocks[0]["empty"], &blocks[1]["text"]), (&json!("Wait for it."), &json!("Harbour asks no more.")));

    let others = server.visitor();
    let begun = others.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let offers = others.event(&begun, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    assert_eq!(
        (&begun["journey"]["title"], &offers["step"]["title"]),
        (&json!("Parcel cover"), &json!("Offers for your parcel"))
    );
    assert_eq!(offers["step"]["view"]["blocks"].as_array().map(Vec::len), Some(1));
    server.stop().await;
}

/// R1-01: the home page leads to the retail lines and to businesses, and assisted channels have ways in of their own.
#[tokio::test(flavor = "multi_thread")]
async fn there_are_ways_in_for_retail_businesses_agents_and_partners() {
    let server = product().await;
    let visitor = server.visitor();
    let home = visitor.get("/").await.text();
    for line in ["/car-insurance", "/bike-insurance", "/health-insurance", "/life-insurance/term-insurance", "/sme"] {
        assert!(home.contains(&format!("href=\"{line}\"")), "{line}");
        assert_eq!(visitor.get(line).await.status, 200, "{line}");
    }
    for way_in in ["/staff/login", "/car-insurance/tp"] {
        assert!(home.contains(&format!("href=\"{way_in}\"")), "{way_in}");
    }
    for (way_in, status) in [("/car-insurance/tp", 200), ("/health-insurance/agent", 302), ("/staff/login", 200)] {
        assert_eq!(server.visitor().get(way_in).await.status, status, "{way_in}");
    }
    let agent = server.visitor();
    arrive(&agent, "/health-insurance?_aid=A7").await;
    looks_at(&agent, "/health-insurance").await;
    assert_eq!(visit(&agent).await["agent"], json!({"agentId": "A7"}));
    server.stop().await;
}

/// R2.1-16: either name of a visit leads to the same one, for whom it is theirs.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_names_a_visit_by_request_or_lead_id() {
    let server = product().await;
    let (visitor, other) = (server.visitor(), server.visitor());
    let car = json!({"kind": "registered", "registration": "DL3CAB1234"});
    let view = visitor.start("motor/car", car).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey");
    let at = view["step"]["url"].as_str().expect("an address").split('?').next().expect("a path").to_owned();
    for name in ["request", "leadId"] {
        let page = visitor.get(&format!("{at}?{name}={id}")).await;
        assert_eq!((page.status, boot(&page.text())["view"]["journey"]["id"].clone()), (200, json!(id)), "{name}");
        assert_eq!(other.get(&format!("{at}?{name}={id}")).await.status, 404, "{name}");
    }
    server.stop().await;
}

/// R4-04: whoever signs out leaves nothing of where they came from.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_after_the_session() {
    let server = product().await;
    let visitor = server.visitor();
    arrive(&visitor, "/?source=harbourbank&sub-source=netbanking").await;
    lead(&server, &visitor).await;
    arrive(&visitor, "/health-insurance?source=clinicplus&sub-source=reception").await;
    assert_eq!(visit(&visitor).await["partner"]["slug"], "clinic-plus");
    visitor.send("POST", "/api/v1/logout", &[("x-api-key", "journey-web")], Some("{}".into())).await.ok(200);
    assert_eq!(
        (visitor.cookie("__Host-session"), visitor.cookie("__Host-attribution")),
        (String::new(), String::new())
    );
    assert_eq!(visit(&visitor).await["channels"], json!([]));
    server.stop().await;
}
