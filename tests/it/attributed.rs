//! What an address says of who brought a customer is named in requests and decides what stands around pages; it gives
//! no right and takes none. Who sells, signed in as staff, is named too.

use crate::assisted::{at, start, with_contact};
use crate::login::post;
use crate::purchase::{Customer, INSURER};
use crate::roles::sitting;
use journey_tests::server::{TestServer, Visitor, all_definitions};
use serde_json::{Value, json};

/// What addresses may say of agents, partners and sources.
const ADDRESSES: [(&str, &str); 6] = [
    ("/car-insurance", "9812345601"),
    ("/car-insurance?_aid=A7&_uid=A8&token=t", "9812345602"),
    ("/car-insurance?source=harbourbank&sub-source=netbanking", "9812345603"),
    ("/car-insurance?source=saathi&_aid=A7", "9812345604"),
    ("/car-insurance?source=poslead&sub-source=fusion&role_id=2", "9812345605"),
    ("/car-insurance?source=inbound&appName=agentApp&uuid=u1", "9812345606"),
];

/// A step as this customer sees it: which it is, what may be sent, what the form asks and holds.
fn seen(customer: &Customer<'_>) -> Value {
    let step = &customer.view["step"];
    let mut events: Vec<&str> =
        step["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect();
    events.sort_unstable();
    let asked: Vec<&String> =
        step["form"]["schema"]["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let values = json!({"data": step["form"]["data"], "review": step["review"]}).to_string();
    let values = [customer.mobile, &customer.mobile[5..], &customer.id()]
        .iter()
        .fold(values, |text, own| text.replace(own, "own"));
    json!({"step": step["id"], "events": events, "changeable": step["changeable"], "asked": asked, "values": values})
}

/// A purchase that fails at the payment page, and each step of it.
async fn buys<'a>(server: &'a TestServer, address: &str, mobile: &'static str) -> (Customer<'a>, Vec<Value>) {
    let browser = server.visitor();
    let opened = browser.get(address).await;
    assert!([200, 302].contains(&opened.status), "{address}");
    let view = browser.start("motor/car", json!({"kind": "registered", "registration": "dl3cab1234"})).await.ok(201);
    let mut customer = Customer { server, browser, mobile, view };
    let mut steps = Vec::new();
    customer.at("car.contact.asking").await;
    steps.push(seen(&customer));
    customer.submits(json!({"name": "Asha Rao", "mobile": mobile, "consent": true}), "car.contact.otp.asking").await;
    let code = crate::passwords::code(&server.product.runtime, &customer.id()).await;
    customer.submits(json!({"code": code}), "car.vehicle").await;
    steps.push(seen(&customer));
    customer.has_it_priced().await;
    let offers = customer.offers().await;
    steps.push(seen(&customer));
    for share in ["share_sms", "share_whatsapp"] {
        let refused = customer.browser.event(&customer.view, share, json!({})).await;
        assert_eq!(refused.code(), "not_accepted", "{address}");
    }
    let card = offers.iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer");
    let told = card.to_string().to_lowercase();
    assert!(!told.contains("commission"), "{address}: R3-43");
    customer.does("select", card["action"]["data"].clone(), "car.owner").await;
    steps.push(seen(&customer));
    customer.names_the_owner("car.vehicle_details").await;
    steps.push(seen(&customer));
    customer.agrees_and_is_known().await;
    steps.push(seen(&customer));
    customer.submits(json!({}), "car.purchase.payment.paying").await;
    customer.pays("fail").await;
    customer.at("car.purchase.payment.failed").await;
    steps.push(seen(&customer));
    (customer, steps)
}

/// Nothing that is for who acts for customers.
async fn has_no_desk(visitor: &Visitor, address: &str) {
    for page in ["/staff", "/staff/records"] {
        assert_eq!(visitor.get(page).await.status, 404, "{address}: {page}");
    }
    assert_eq!(post(visitor, "account/search", &[], json!({})).await.status, 404, "{address}");
    assert_eq!(post(visitor, "take-over", &[], json!({"code": "AAAA AAAA"})).await.status, 404, "{address}");
    let menu = visitor.get("/api/v1/menu/own").await;
    assert!(!menu.text().contains("/staff"), "{address}: {}", menu.text());
}

/// R4-10, R6-10: the same events may be sent and the same values are seen, whatever the address said.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_gives_no_right_and_takes_none() {
    let server = start().await;
    let mut plain = Vec::new();
    for (address, mobile) in ADDRESSES {
        let (mut customer, steps) = buys(&server, address, mobile).await;
        if plain.is_empty() {
            plain.clone_from(&steps);
        }
        for (own, of_plain) in steps.iter().zip(&plain) {
            assert_eq!(own, of_plain, "{address}");
        }
        // Whoever brought the customer, they try again like anybody.
        customer.does("retry", json!({}), "car.purchase.payment.paying").await;
        has_no_desk(&customer.browser, address).await;
        crate::login::logs_in(&server, &customer.browser, mobile).await;
        has_no_desk(&customer.browser, address).await;
    }
    server.stop().await;
}

/// The records of a kind of a journey.
pub(crate) async fn records(server: &TestServer, id: &str, kind: &str) -> Vec<Value> {
    let all = server.store().await.records(id).await.expect("a read");
    all.into_iter().filter(|record| record.kind == kind).map(|record| record.data).collect()
}

/// R1-15: a lead that one of the staff begins carries who that is, and their channel and source.
#[tokio::test(flavor = "multi_thread")]
async fn a_lead_says_who_of_the_staff_began_it() {
    let server = start().await;
    for (n, role, source, medium, channel) in [
        (1, "partner-agent", "POS", "POS", "partner-agent"),
        (2, "health-agent", "HEALTH-AGENT", "AGENT", "health-agent"),
        (3, "app-agent", "AGENT-APP", "AGENT-APP", "agent-app"),
        (4, "call-centre", "CALL-CENTRE", "CALL-CENTRE", "call-centre"),
        (5, "life-agent", "LIFE-AGENT", "AGENT", "life-agent"),
    ] {
        let agent = sitting(&server, role, n).await;
        // What an address said to the agent before is not their customer's.
        agent.get("/car-insurance?source=saathi&_aid=X9").await;
        let view = with_contact(&server, &agent, "9812345670").await;
        let lead = records(&server, view["journey"]["id"].as_str().expect("an id"), "lead").await;
        let id = format!("{n:02x}").repeat(16);
        assert_eq!(lead[0]["agent"], json!({"id": id, "name": "asha", "role": role}));
        assert_eq!(
            [&lead[0]["source"], &lead[0]["medium"], &lead[0]["channel"], &lead[0]["_aid"]],
            [&json!(source), &json!(medium), &json!(channel), &Value::Null],
            "{role}"
        );
    }
    server.stop().await;
}

/// A shop with the gate as it is by default, but for what slows tests down.
async fn gated() -> TestServer {
    let files = all_definitions();
    TestServer::start_with(files, |settings| {
        settings.limits.write_rate_per_s = 0;
        settings.otp.proof_bits = 4;
        settings.otp.unproven_per_address_hour = 1_000;
    })
    .await
}

/// How many messages a number or an address has got.
async fn count_of(server: &TestServer, to: &str) -> usize {
    let inbox = server.visitor().get(&format!("/sandbox/inbox.json?to={to}")).await.ok(200);
    inbox["messages"].as_array().map_or(0, Vec::len)
}

fn codes(view: &Value) -> Vec<&str> {
    view["messages"].as_array().into_iter().flatten().filter_map(|message| message["code"].as_str()).collect()
}

/// Five messages an hour to one number, whatever the channel and whoever presses; what is not sent is said at once.
#[tokio::test(flavor = "multi_thread")]
async fn messages_that_somebody_sends_share_one_gate() {
    let server = gated().await;
    let mobile = "9812345670";
    let agent = sitting(&server, "partner-agent", 7).await.moved(server.product.url());
    let view = with_contact(&server, &agent, mobile).await;
    let phone = crate::handover::confirms(&server, view["journey"]["id"].as_str().expect("an id")).await;
    let view = at(&server, &phone, &view, "car.vehicle").await;
    let mut customer = Customer { server: &server, browser: phone, mobile, view };
    customer.has_it_priced().await;
    let mut seller = at(&server, &agent, &customer.view, "car.quotes").await;
    // the link, the password, and three more
    for event in ["share_sms", "share_whatsapp", "share_sms"] {
        seller = agent.event(&seller, event, json!({})).await.ok(200);
        assert_eq!(codes(&seller), Vec::<&str>::new(), "{event}");
    }
    for event in ["share_whatsapp", "share_sms"] {
        seller = agent.event(&seller, event, json!({})).await.ok(200);
        assert_eq!(codes(&seller), ["journey.withheld"], "{event}");
    }
    server.until("five messages", async || (count_of(&server, mobile).await == 5).then_some(())).await;
    // Nobody else gets more through, nor does a password.
    let other = sitting(&server, "partner-agent", 8).await;
    let begun = with_contact(&server, &other, mobile).await;
    assert_eq!(
        (begun["step"]["id"].as_str(), codes(&begun)),
        (Some("car.contact.otp.inviting"), vec!["journey.withheld"])
    );
    server.clock.advance(3_600_000 + 60_000);
    seller = agent.event(&seller, "share_sms", json!({})).await.ok(200);
    assert_eq!(codes(&seller), Vec::<&str>::new());
    server.until("the sixth", async || (count_of(&server, mobile).await == 6).then_some(())).await;
    assert_eq!(
        server.product.runtime.operations.replay(seller["journey"]["id"].as_str().expect("an id")).await.expect("one"),
        Some(vec![])
    );
    server.stop().await;
}

/// So many messages an hour by one sender, to one block of a thousand numbers and in all: whoever of the staff presses,
/// and for whom, is told of the one that is too many.
#[tokio::test(flavor = "multi_thread")]
async fn messages_are_counted_by_sender_by_block_and_in_all() {
    /// A limit of two, what goes, what goes no more, and what is counted apart: who presses, and for which number.
    struct Counted {
        limit: fn(&mut engine_settings::Otp) -> &mut i64,
        sent: [(u8, &'static str); 2],
        withheld: (u8, &'static str),
        apart: Option<(u8, &'static str)>,
    }
    let counted = [
        Counted {
            limit: |otp| &mut otp.per_sender_hour,
            sent: [(7, "9812345670"), (7, "9834567001")],
            withheld: (7, "9856700012"),
            apart: Some((8, "9867800012")),
        },
        Counted {
            limit: |otp| &mut otp.block_hour,
            sent: [(7, "9812345670"), (8, "9812345671")],
            withheld: (9, "9812345672"),
            apart: Some((10, "9834567001")),
        },
        Counted {
            limit: |otp| &mut otp.global_hour,
            sent: [(7, "9812345670"), (8, "9834567001")],
            withheld: (9, "9856700012"),
            apart: None,
        },
    ];
    for Counted { limit, sent, withheld, apart } in counted {
        let server = TestServer::start_with(all_definitions(), |settings| {
            settings.limits.write_rate_per_s = 0;
            *limit(&mut settings.otp) = 2;
        })
        .await;
        let mut agent = (0, server.visitor());
        for (n, mobile) in sent.into_iter().chain([withheld]).chain(apart) {
            if n != agent.0 {
                agent = (n, sitting(&server, "partner-agent", n).await);
            }
            let begun = with_contact(&server, &agent.1, mobile).await;
            let told = if (n, mobile) == withheld { vec!["journey.withheld"] } else { vec![] };
            assert_eq!(codes(&begun), told, "{n}: {mobile}");
        }
        server.stop().await;
    }
}

/// Five links for a request, to whomever: another number begins no new count.
#[tokio::test(flavor = "multi_thread")]
async fn another_number_is_no_new_beginning() {
    let server = start().await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let mut view = with_contact(&server, &agent, "9812345670").await;
    for n in 0..4 {
        view = agent.event(&view, "again", json!({})).await.ok(200);
        assert_eq!(codes(&view), Vec::<&str>::new(), "{n}");
    }
    view = agent.event(&view, "again", json!({})).await.ok(200);
    assert_eq!(codes(&view), ["otp.invited_enough"]);
    for mobile in ["9812345671", "9812345672"] {
        view = agent.event(&view, "change_number", json!({})).await.ok(200);
        view = agent.event(&view, "submit", json!({"name": "Asha Rao", "mobile": mobile})).await.ok(200);
        assert_eq!(
            (view["step"]["id"].as_str(), codes(&view)),
            (Some("car.contact.otp.inviting"), vec!["otp.invited_enough"])
        );
        assert_eq!(count_of(&server, mobile).await, 0);
    }
    server.stop().await;
}

/// A password that the gateway does not take is told on the page at the first try, and sent all the same when it can
/// be.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_sent_is_told_within_seconds() {
    let server = start().await;
    let browser = server.visitor();
    let fails = json!({"partner": "sms", "operation": "send", "mode": "fail"}).to_string();
    assert_eq!(browser.send("POST", "/sandbox/switches", &[], Some(fails)).await.status, 200);
    let begun = crate::login::asks(&browser, "9812345670").await;
    let id = begun["journey"].as_str().expect("an id").to_owned();
    let late = async || codes(&browser.view(&id).await).contains(&"otp.late").then_some(());
    server.until("that it is late", late).await;
    // The popup of the login asks, and says the same.
    let asked = json!({"authCode": begun["authCode"]});
    let state = post(&browser, "otpLoginState", &[("x-api-key", "journey-web")], asked).await.ok(200);
    let said = state["message"].as_str().unwrap_or_default();
    assert!(state["status"] == "F" && said.starts_with("We couldn't send the code yet"), "{state}");
    server.stop().await;
}
