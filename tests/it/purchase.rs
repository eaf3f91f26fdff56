//! A customer buys with the definitions that are shipped: every layer, every fake partner, one process. On the way the
//! customer meets what a forger, a double click and a gateway that repeats itself would do.

use engine_partners::signature::hmac_sha256_hex;
use engine_runtime::Actor;
use journey_tests::server::{Reply, START_MS, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) const INSURER: &str = "hdfc-ergo";
const MOBILE: &str = "9812345670";

pub(crate) struct Customer<'a> {
    pub server: &'a TestServer,
    pub browser: Visitor,
    pub mobile: &'static str,
    pub view: Value,
}

impl<'a> Customer<'a> {
    /// Begins a journey with what the address said that brought the customer.
    pub async fn arrives(server: &'a TestServer, mobile: &'static str, attribution: Value) -> Customer<'a> {
        let browser = server.visitor();
        let number = json!({"kind": "registered", "registration": "dl3cab1234"});
        let body = json!({"workflow": "motor/car", "data": number, "attribution": attribution}).to_string();
        let begun = browser.send("POST", "/api/v1/journeys", &[("idempotency-key", "begun")], Some(body)).await;
        let mut customer = Customer { server, browser, mobile, view: begun.ok(201) };
        customer.at("car.contact.asking").await;
        customer
    }

    pub fn id(&self) -> String {
        self.view["journey"]["id"].as_str().expect("a journey").to_owned()
    }

    /// Waits until the journey shows this step.
    pub async fn at(&mut self, step: &str) -> &Value {
        let id = self.id();
        self.view = self
            .server
            .until(step, async || {
                let view = self.browser.view(&id).await;
                (view["step"]["id"] == step).then_some(view)
            })
            .await;
        &self.view
    }

    pub async fn submits(&mut self, data: Value, then: &str) {
        self.does("submit", data, then).await;
    }

    pub async fn does(&mut self, event: &str, data: Value, then: &str) {
        self.view = self.browser.event(&self.view, event, data).await.ok(200);
        self.at(then).await;
    }

    /// The one-time password that the fake SMS partner has got for us, in a message that a phone can fill it in from.
    pub async fn password(&self) -> String {
        let path = format!("/sandbox/inbox.json?to={}", self.mobile);
        self.server
            .until("the one-time password", async || {
                let inbox = self.browser.get(&path).await.ok(200);
                let text = inbox["messages"][0]["text"].as_str()?.to_owned();
                let code = journey_tests::people::password_in(&text)?;
                assert!(text.starts_with(&format!("Journey: {code} ")), "who writes comes first: {text}");
                assert_eq!(text.lines().last(), Some(&*format!("@localhost #{code}")), "origin-bound, WICG");
                Some(code.to_owned())
            })
            .await
    }

    /// The offers once this insurer has answered.
    pub async fn offers(&mut self) -> Vec<Value> {
        let id = self.id();
        let view = self
            .server
            .until("an offer", async || {
                let view = self.browser.view(&id).await;
                items(&view).iter().any(|item| item["action"]["data"]["insurer"] == INSURER).then_some(view)
            })
            .await;
        self.view = view;
        items(&self.view)
    }

    /// Goes from the registration number to the prices.
    async fn asks_for_prices(&mut self) {
        self.submits(json!({"name": "Asha Rao", "mobile": self.mobile, "consent": true}), "car.contact.otp.asking")
            .await;
        let code = self.password().await;
        self.submits(json!({"code": code}), "car.vehicle").await;
        self.has_it_priced().await;
        self.adds_four_covers().await;
    }

    /// Which makes a price of ten lines and more.
    async fn adds_four_covers(&mut self) {
        self.offers().await;
        let mut cover = self.view["step"]["form"]["data"].clone();
        cover["add_ons"] =
            json!(["roadsideAssistanceCover", "keyReplacementCover", "lossOfPersonalBelonging", "paidDriverCover"]);
        self.submits(cover, "car.quotes").await;
    }

    /// Goes from the car that was found to the prices.
    pub async fn has_it_priced(&mut self) {
        let found = self.view["step"]["form"]["data"].clone();
        assert_eq!((&found["variant"], &found["rto"]), (&json!("maruti-suzuki-swift-vxi"), &json!("DL-03")));
        self.submits(found, "car.previous").await;
        let previous = json!({"owner_changed": false, "policy_type": "comprehensive", "active": true, "previous_policy_end_date": "2026-12-05",
            "previous_insurer": "10", "claim": false, "ncb": 45, "had_add_ons": false});
        self.submits(previous, "car.quotes").await;
    }

    /// Goes from the chosen plan to the page where everything is checked.
    async fn fills_the_proposal(&mut self) {
        self.names_the_owner("car.vehicle_details").await;
        self.agrees_and_is_known().await;
    }

    /// Owner, address, nominee.
    pub async fn names_the_owner(&mut self, then: &str) {
        let owner = json!({"customer_type": "individual", "proposer_title": "Ms", "proposer_first_name": "Asha", "proposer_last_name": "Rao", "proposer_gender": "female",
            "dob": "1990-04-12", "proposer_mobile": self.mobile, "proposer_email": "asha@example.com", "is_financed": false});
        self.submits(owner, "car.address").await;
        self.submits(
            json!({"pincode": "110001", "address_line_1": "12 Lake View", "address_line_2": "Janpath"}),
            "car.nominee",
        )
        .await;
        self.submits(json!({"nominee_name": "Ravi Rao", "nominee_age": 38, "nominee_relation": "spouse"}), then).await;
    }

    /// Papers with the terms, and the identity check, whose first try is refused.
    pub async fn agrees_and_is_known(&mut self) {
        let mut papers = self.view["step"]["form"]["data"].clone();
        papers["previous_policy_number"] = json!("OG-25-1234-5678");
        papers["terms"] = json!(true);
        self.submits(papers, "car.purchase.kyc.asking").await;
        let mut identity = json!({"document": "pan_card", "pan_number": "ABCPE0000F", "occupation": "salaried", "income_source": "salary",
            "is_politically_exposed_person": false, "kyc_consent": true});
        self.view = self.browser.event(&self.view, "submit", identity.clone()).await.ok(200);
        let id = self.id();
        self.view = self
            .server
            .until("the refused identity", async || {
                let view = self.browser.view(&id).await;
                (view["messages"][0]["code"] == "kyc.failed").then_some(view)
            })
            .await;
        let refused = "The KYC is unsuccessful. Please click on Verify KYC to re-submit. After redirection, please close insurance company window.";
        assert_eq!(self.view["messages"][0]["text"], refused);
        identity["pan_number"] = json!("ABCPE1234F");
        self.submits(identity, "car.purchase.check").await;
    }

    /// Presses a button of the hosted page and comes back.
    pub async fn pays(&self, button: &str) {
        let redirect = &self.view["step"]["redirect"];
        let fields: Vec<(&str, String)> = redirect["fields"]
            .as_object()
            .expect("fields")
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str().expect("a text").to_owned()))
            .collect();
        let shown = self.posts(local(redirect["url"].as_str().expect("a page")), &fields).await;
        assert_eq!(shown.status, 303, "{}", shown.text());
        let page = shown.header("location").to_owned();
        assert_eq!(self.posts(&page, &[("button", button.to_owned())]).await.status, 200);
        let back = self.posts(local(redirect["fields"]["callback_url"].as_str().expect("a way back")), &[]).await;
        assert_eq!(back.status, 303, "{}", back.text());
    }

    async fn posts(&self, path: &str, fields: &[(&str, String)]) -> Reply {
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        self.browser
            .send(
                "POST",
                path,
                &[("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")],
                Some(body.join("&")),
            )
            .await
    }
}

/// What the gateway says, in its public shape, signed with this secret.
async fn gateway_says(server: &TestServer, secret: &str, order: &str, payment: &str, amount: i64) -> u16 {
    let entity = json!({"id": payment, "entity": "payment", "amount": amount, "currency": "INR", "status": "captured", "order_id": order, "captured": true});
    let body = json!({"entity": "event", "event": "payment.captured", "contains": ["payment"], "created_at": START_MS / 1_000, "payload": {"payment": {"entity": entity}}}).to_string();
    let signature = hmac_sha256_hex(secret.as_bytes(), body.as_bytes());
    let headers = [("x-razorpay-signature", signature.as_str()), ("x-journey", ""), ("origin", "")];
    server.visitor().send("POST", "/api/v1/webhooks/gateway/payments", &headers, Some(body)).await.status
}

pub(crate) fn local(url: &str) -> &str {
    let from = url.find("/sandbox/").or_else(|| url.find("/api/")).expect("an address of ours");
    &url[from..]
}

pub(crate) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(byte as char)
        } else {
            write!(out, "%{byte:02X}").expect("text")
        }
        out
    })
}

pub(crate) fn block<'v>(view: &'v Value, kind: &str) -> &'v Value {
    view["step"]["view"]["blocks"]
        .as_array()
        .and_then(|blocks| blocks.iter().find(|block| block["block"] == kind))
        .unwrap_or(&Value::Null)
}

fn items(view: &Value) -> Vec<Value> {
    block(view, "options")["items"].as_array().cloned().unwrap_or_default()
}

/// The total of a breakup, which its lines make to the paisa.
#[track_caller]
fn total(lines: &Value) -> i64 {
    let of = |total: bool| {
        lines
            .as_array()
            .expect("lines")
            .iter()
            .filter(|line| (line["kind"] == "total") == total)
            .map(|line| line["value"]["paise"].as_i64().expect("paise"))
            .sum()
    };
    let (sum, total): (i64, i64) = (of(false), of(true));
    assert_eq!(sum, total, "{lines}");
    total
}

/// The product as it is shipped.
async fn shop() -> TestServer {
    let files = all_definitions();
    TestServer::start_with(files, |settings| settings.otp.proof_bits = 4).await
}

/// R1-16: who is nobody yet finds insurers and plans, each with a way to prices, and compares these.
async fn looks_around(server: &TestServer) {
    let visitor = server.visitor();
    let plan = format!("/car-insurance/information/{INSURER}/comprehensive");
    let insurer = format!("/car-insurance/companies/{INSURER}");
    for (page, leads_to) in [
        ("/car-insurance", "/car-insurance/companies"),
        ("/car-insurance/companies", insurer.as_str()),
        (insurer.as_str(), "/car-insurance"),
        (plan.as_str(), "/car-insurance"),
    ] {
        let reply = visitor.get(page).await;
        assert_eq!(reply.status, 200, "R1-16 {page}");
        assert!(reply.text().contains(&format!("href=\"{leads_to}\"")), "R1-16 {page} does not lead to {leads_to}");
    }
}

/// What a customer of the journey to the policy meets on their way, in order.
impl Customer<'_> {
    /// R1-16: this purchase is all that the customer began; nobody has asked them to log in.
    async fn has_never_logged_in(&self) {
        let begun = self.browser.get("/api/v1/journeys").await.ok(200);
        let flows: Vec<_> = begun.as_array().into_iter().flatten().map(|journey| &journey["workflow"]).collect();
        assert_eq!(flows, ["motor/car"], "R1-16");
    }

    /// R2.4-24: at its own address the summary is there at once; looking at it moves nothing, and Back leads on.
    async fn finds_the_summary_at_its_address(&mut self) {
        let id = self.id();
        let page = self.browser.get(&format!("/car-insurance/postpaymentsummary?request={id}")).await;
        let shown = crate::http::boot(&page)["view"].clone();
        assert_eq!((page.status, &shown["step"]["id"]), (200, &json!("car.policy.summary")));
        assert_eq!(shown["step"]["title"], "Your policy at a glance");
        let held = self.browser.view(&id).await;
        assert_eq!(held["step"]["id"], "car.policy.issued");
        assert_eq!(held["journey"]["revision"], shown["journey"]["revision"]);
        let number = |view: &Value| {
            let facts = block(view, "facts")["items"].as_array().cloned().unwrap_or_default();
            facts.into_iter().find(|fact| fact["label"] == "Policy number").map(|fact| fact["value"].clone())
        };
        assert!(number(&shown).is_some() && number(&shown) == number(&held), "{shown}");
        assert_eq!(total(&block(&shown, "breakup")["lines"]), total(&block(&held, "breakup")["lines"]));
        let read = self.browser.get(&format!("/api/v1/journeys/{id}?path=postpaymentsummary")).await.ok(200);
        assert_eq!(read["step"]["id"], "car.policy.summary");
        let stranger = self.server.visitor().get(&format!("/car-insurance/postpaymentsummary?request={id}")).await;
        assert_eq!(stranger.status, 404);
        self.view = shown;
        self.does("done", json!({}), "car.policy.issued").await;
    }

    /// What only partners and the engine may say is refused.
    async fn is_not_heard_as_a_partner(&self) {
        for event in ["payment.captured", "xstate.done.actor.lookup", "select"] {
            let data = json!({"order": "o", "payment": "p", "amount": 1});
            assert_eq!(self.browser.event(&self.view, event, data).await.code(), "not_accepted");
        }
    }

    /// Our insurer's card. Each card's lines make its price; the blocked category is not among them.
    async fn sees_prices_that_add_up(&mut self) -> Value {
        let offers = self.offers().await;
        for offer in offers.iter().filter(|item| item["state"] == "answered") {
            assert_eq!(total(&offer["breakup"]), offer["price"]["paise"].as_i64().expect("a price"));
        }
        offers.into_iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer")
    }

    /// R9-08: the cards of insurers 12 and 16 say that their identity check often fails at first, no others do.
    async fn is_told_whose_check_often_fails(&self) {
        let low = ["digit", "shriram"];
        let insurer = |card: &Value| card["action"]["data"]["insurer"].as_str().unwrap_or_default().to_owned();
        let cards = self
            .server
            .until("the cards of both", async || {
                let cards = items(&self.browser.view(&self.id()).await);
                low.iter().all(|slug| cards.iter().any(|card| insurer(card) == *slug)).then_some(cards)
            })
            .await;
        for card in cards.iter().filter(|card| card["state"] == "answered") {
            let (insurer, notices) = (insurer(card), card["notices"].to_string());
            assert_eq!(notices.contains("PAN and Aadhaar"), low.contains(&insurer.as_str()), "{insurer}: {notices}");
        }
    }

    /// Forged choices: a plan that nobody offered, a price, an insurer that is none.
    async fn cannot_choose_what_nobody_offered(&mut self, chosen: &Value) {
        for (name, value, answer) in [
            ("plan", "gold", "quote.gone"),
            ("insurer", "nobody", "quote.gone"),
            ("plan_type", "free", "invalid"),
            ("total", "1", "invalid"),
        ] {
            let mut forged = chosen.clone();
            forged[name] = json!(value);
            let reply = self.browser.event(&self.view, "select", forged).await;
            let told = if reply.status == 200 {
                reply.json()["messages"][0]["code"].as_str().unwrap_or_default().to_owned()
            } else {
                reply.code()
            };
            assert_eq!(told, answer, "{name}");
            self.at("car.quotes").await;
        }
    }

    /// A double click is one choice; a stale page is told where the journey is now; a key serves one request.
    async fn chooses_with_a_double_click(&mut self, chosen: &Value) {
        let path = format!("/api/v1/journeys/{}/events", self.id());
        let click = json!({"type": "select", "data": chosen, "revision": self.view["journey"]["revision"]}).to_string();
        let send = async |key: &str, body: &str| {
            self.browser.send("POST", &path, &[("idempotency-key", key)], Some(body.to_owned())).await
        };
        let first = send("click", &click).await;
        let again = send("click", &click).await;
        let (is_again, told) = (again.header("idempotent-replayed"), first.text());
        assert_eq!((first.status, again.status, is_again), (200, 200, "true"), "{told}");
        assert_eq!(first.json()["journey"]["revision"], again.json()["journey"]["revision"]);
        assert_eq!(send("click", &click.replace(INSURER, "digit")).await.code(), "key_reused");
        let stale = send("another click", &click).await;
        let now = &stale.json()["view"]["step"]["id"];
        assert_eq!((stale.status, stale.code().as_str(), now), (409, "stale", &json!("car.owner")));
        self.at("car.owner").await;
    }

    async fn is_alone_in_her_journey(&self) {
        let other = self.server.visitor();
        let hers = other.get(&format!("/api/v1/journeys/{}", self.id())).await;
        let none = other.get(&format!("/api/v1/journeys/{}", "0".repeat(32))).await;
        assert_eq!((hers.status, hers.bytes), (404, none.bytes), "another's journey is like none");
    }

    /// Pays, and gives the id of the order.
    async fn pays_the_price_of_the_card(&mut self, price: i64) -> String {
        assert_eq!(total(&block(&self.view, "breakup")["lines"]), price);
        self.submits(json!({}), "car.purchase.payment.paying").await;
        let fields = self.view["step"]["redirect"]["fields"].clone();
        assert_eq!(fields["amount"], price.to_string());
        self.pays("pay").await;
        self.at("car.policy.issued").await;
        assert_eq!(total(&block(&self.view, "breakup")["lines"]), price);
        fields["order_id"].as_str().expect("an order").to_owned()
    }

    /// The address of the policy's file, which is the customer's alone.
    async fn has_her_policy(&self) -> String {
        let document = &block(&self.view, "documents")["items"][0]["document"];
        let file = format!("/api/v1/journeys/{}/documents/{}", self.id(), document.as_str().expect("a document"));
        let paper = self.browser.get(&file).await;
        assert!(paper.bytes.starts_with(b"%PDF-"));
        // The file's name says which vehicle it is for, not whose.
        let name = paper.header("content-disposition").to_owned();
        assert!(name.contains("Journey-policy-DL3CAB1234-2026.pdf"), "{name}");
        assert_eq!(self.server.visitor().get(&file).await.status, 404);
        file
    }

    /// Checks that the paper is the customer's alone. Behind the code on it anybody sees that it is genuine, and
    /// nothing else of the customer.
    async fn keeps_a_paper_that_anybody_can_check(&mut self) {
        let file = format!("/api/v1/journeys/{}/documents/paper", self.id());
        let paper = self.browser.get(&file).await;
        assert_eq!((paper.status, paper.header("content-type")), (200, "application/pdf"));
        assert!(paper.header("content-disposition").contains("Your policy at a glance.pdf"));
        assert_eq!(self.server.visitor().get(&file).await.status, 404);
        self.has_it_on_one_page(&file).await;

        let facts = block(&self.view, "facts")["items"].as_array().expect("facts").clone();
        let number = facts.iter().find(|fact| fact["label"] == "Policy number").expect("a number");
        let number = number["value"].as_str().expect("a number").to_owned();
        self.does("summary", json!({}), "car.policy.summary").await;
        let address = block(&self.view, "seal")["url"].as_str().expect("an address").to_owned();
        let stranger = self.server.visitor();
        let page = stranger.get(&address).await;
        assert_eq!((page.status, page.header("cache-control"), page.header("set-cookie")), (200, "no-store", ""));
        let text = page.text();
        let plate = "DL 3 CAB 1234";
        let issuer = "Journey Insurance Brokers Private Limited";
        for shown in ["Check this paper", "HDFC ERGO", plate, issuer, &number[number.len() - 4..], "Ends on", " 2027"] {
            assert!(text.contains(shown), "{shown}: {text}");
        }
        for hidden in [&number, "Asha", "asha@", self.mobile, self.id().as_str(), "₹"] {
            assert!(!text.contains(hidden), "{hidden}: {text}");
        }
        self.is_what_the_day_says(&stranger, &address).await;
        let last = if address.ends_with('A') { "B" } else { "A" };
        let forged = format!("{}{last}", &address[..address.len() - 1]);
        for unknown in [&forged, &address[..20], "/v/", &format!("/v/{}", self.id())] {
            assert_eq!(stranger.get(unknown).await.status, 404, "{unknown}");
        }
        self.does("done", json!({}), "car.policy.issued").await;
    }

    /// A paper says from when to when it covers; a copy of the policy would not.
    async fn is_what_the_day_says(&self, stranger: &Visitor, address: &str) {
        assert!(stranger.get(address).await.text().contains("Begins on "), "it has not begun");
        assert_eq!(stranger.get("/?lang=hi").await.status, 302);
        let text = stranger.get(address).await.text();
        assert!(["इस काग़ज़ को जाँचें", " से शुरू होगी", "HDFC ERGO"].iter().all(|words| text.contains(words)), "{text}");
    }

    /// Checks that the paper fits on one page in every language, with a price of ten lines.
    async fn has_it_on_one_page(&self, file: &str) {
        let lines = block(&self.view, "breakup")["lines"].as_array().expect("lines");
        assert!(lines.len() >= 10, "{lines:?}");
        for (language, title, line) in
            [("hi", "आपकी पॉलिसी", "थर्ड पार्टी"), ("en", "Your policy at a glance", "Third party")]
        {
            assert_eq!(self.browser.get(&format!("/?lang={language}")).await.status, 302);
            let text = crate::partners::pdf::text_of(&self.browser.get(file).await.bytes);
            assert!([title, line, "/v/"].iter().all(|words| text.contains(words)), "{text}");
            assert_eq!(text.matches('\u{c}').count(), 1, "pages: {text}");
        }
    }

    /// Opens the policy in another browser, years of cookies later: the e-mail has the file. Nobody has shown its
    /// address to be the customer's, so its link is that of the account; the one that goes to the verified number opens
    /// the policy and the file.
    async fn opens_her_policy_from_the_messages(&self, file: &str) {
        let inbox = async || {
            let inbox = self.browser.get("/sandbox/inbox.json?to=asha@example.com").await.ok(200);
            inbox["messages"].get(0).cloned()
        };
        let mail = self.server.until("the e-mail", inbox).await;
        assert_eq!(mail["file"], "Journey-policy-DL3CAB1234-2026.pdf");
        let text = mail["text"].as_str().expect("a text");
        assert!(text.contains("/dashboard") && !text.contains("/r/"), "{text}");
        Self::bears_the_house(text, mail["html"].as_str().expect("HTML"));
        let inbox = self.browser.get(&format!("/sandbox/inbox.json?to={}", self.mobile)).await.ok(200);
        let mut texts = inbox["messages"].as_array().expect("messages").iter().filter_map(|one| one["text"].as_str());
        let text = texts.find(|text| text.contains("/r/")).expect("a message with a link");
        let link = text.split_whitespace().find_map(|word| Some(&word[word.find("/r/")?..])).expect("a link");
        let other = self.server.visitor();
        let form = [("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")];
        assert_eq!(other.send("POST", link, &form, Some(String::new())).await.status, 303);
        assert_eq!(other.view(&self.id()).await["step"]["id"], "car.policy.issued");
        assert!(other.get(file).await.bytes.starts_with(b"%PDF-"));
    }

    /// Plain and on paper the letter says the same, who writes, by which licence, whom to call and where to complain.
    fn bears_the_house(text: &str, html: &str) {
        let button = text.split_whitespace().find(|word| word.ends_with("/dashboard")).expect("a way on");
        assert!(button.starts_with("http://localhost"), "{button}");
        for said in [
            "Your policy is ready.",
            "Insurer",
            "HDFC ERGO",
            "Begins on",
            button,
            "Journey Insurance Brokers Private Limited",
            "Licence no. 000",
            "1 Sample Road, Gurugram",
            "1800 000 000",
            "grievance@journey.example",
        ] {
            assert!(text.contains(said) && html.contains(said), "{said}: {text}\n{html}");
        }
        assert!(html.contains(&format!("<a href=\"{button}\"")) && html.contains("<html lang=\"en\">"), "{html}");
        assert!(!text.contains("No more offers"), "a receipt is no offer: {text}");
    }

    /// The gateway repeats itself, somebody imitates it, and money comes a second time: one refund.
    async fn is_charged_once(&self, order: &str, price: i64) {
        let facts = block(&self.view, "facts")["items"].as_array().expect("facts");
        let reference = facts.iter().find(|fact| fact["label"] == "Payment").expect("a reference");
        let payment = reference["value"].as_str().expect("a payment");
        assert_eq!(gateway_says(self.server, "guessed", order, "pay_forged", price).await, 401);
        for (payment, told) in [(payment, Value::Null), ("pay_second", json!("payment.refunded"))] {
            for _ in 0..2 {
                let secret = "sandbox-razorpay_webhook_secret";
                assert_eq!(gateway_says(self.server, secret, order, payment, price).await, 200);
            }
            let view = self.browser.view(&self.id()).await;
            assert_eq!(view["step"]["id"], "car.policy.issued");
            assert_eq!((&view["messages"][0]["code"], &view["messages"][1]), (&told, &Value::Null));
        }
        let refunds = async || {
            let inbox = self.browser.get(&format!("/sandbox/inbox.json?to={}", self.mobile)).await.ok(200);
            let texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
            Some(texts.filter(|text| text.contains("pay_second")).count()).filter(|refunds| *refunds > 0)
        };
        assert_eq!(self.server.until("the refund", refunds).await, 1);
    }

    /// Checks that a list calls the request by its thing, and says that nothing of it is left to do; it is renewed when
    /// its time comes.
    async fn finds_it_in_lists_by_its_name(&self) {
        let listed = self.browser.get("/api/v1/journeys?status=active").await.ok(200);
        let hers = listed.as_array().into_iter().flatten().find(|journey| journey["id"] == self.id().as_str());
        let hers = hers.expect("her journey");
        assert_eq!((&hers["about"]["mark"], &hers["waits_for"]), (&json!("DL-3-CAB-1234"), &json!("nobody")), "{hers}");
        assert_eq!(hers["about"]["title"], "Maruti Suzuki Swift VXi (Petrol)");
        assert!(hers["about"]["text"].as_str().is_some_and(|text| text.contains('₹')), "{hers}");
        let page = self.browser.get("/dashboard").await.text();
        assert!(page.contains("Starts ") && !page.contains("Pick up where you left off"), "{page}");
        let store = self.server.store().await;
        let records = store.records(&self.id()).await.expect("records");
        let policy = records.iter().find(|record| record.kind == "policy").expect("a policy");
        let renews = json!({"policy": policy.data["policy_number"]});
        let early = crate::login::post(&self.browser, "account/renew-car", &[], renews).await;
        assert_eq!(early.status, 422);
        assert!(early.text().contains("too early to renew"), "{}", early.text());
    }

    /// On a device that nobody is signed in on, the code of the number finds the policy in the same step.
    async fn is_found_by_who_shows_her_number(&self) {
        let records = self.server.store().await.records(&self.id()).await.expect("records");
        let policy = records.iter().find(|record| record.kind == "policy").expect("a policy");
        let number = policy.data["policy_number"].as_str().expect("a number");
        let device = self.server.visitor();
        let asked = json!({"policy": number, "mobile": self.mobile});
        let begun = device.start("motor/renewal", asked).await.ok(201);
        let id = begun["journey"]["id"].as_str().expect("a journey");
        let at = async |step: &str| {
            let there = async || {
                let view = device.view(id).await;
                (view["step"]["id"] == step).then_some(view)
            };
            self.server.until(step, there).await
        };
        self.server.clock.advance(60_000);
        device.event(&at("renewal.find").await, "own", json!({})).await.ok(200);
        let asking = at("renewal.otp.asking").await;
        let code = journey_tests::people::code(&self.server.product.runtime, id).await;
        device.event(&asking, "submit", json!({"code": code})).await.ok(200);
        let found = at("renewal.found_here").await;
        assert!(found.to_string().contains(number), "{found}");
    }

    /// What is tracked there is renewed there: for what is insured already nobody types its number again.
    async fn renews_from_her_account(&self, device: &Visitor, policy: &str) {
        let page = device.get("/dashboard").await.text();
        assert!(page.contains(&self.id()) && page.contains(&format!("Renew {policy}")), "{page}");
        let renews = async |visitor: &Visitor, policy: &str| {
            crate::login::post(visitor, "account/renew-car", &[], json!({"policy": policy})).await
        };
        let begun = renews(device, policy).await.ok(200);
        let url = begun["data"]["url"].as_str().expect("an address");
        let (page, id) = url.split_once("?request=").expect("a journey");
        assert_ne!(id, self.id());
        // Nothing is asked: the prices come, for the day after the end.
        assert_eq!(page, "/car-insurance/quotes");
        let store = self.server.store().await;
        let journey = store.journey(id).await.expect("a read").expect("a journey");
        for told in ["DL-3-CAB-1234", "\"leadform\":\"renew\"", &format!("\"previous_policy_number\":\"{policy}\"")] {
            assert!(journey.state.contains(told), "{told}: {}", journey.state);
        }
        // Pressed twice it is one request.
        assert_eq!(renews(device, policy).await.ok(200)["data"]["url"], url);
        // Another's policy, or none, renews nothing, and says so; nobody does.
        let refused = renews(device, "another").await;
        assert_eq!(refused.status, 422);
        assert!(refused.text().contains("We can't find this policy in your account"), "{}", refused.text());
        assert_eq!(renews(&self.server.visitor(), policy).await.status, 401);
    }

    /// A claim on it begins with what happened, and asks nobody who they are; another's policy begins none.
    async fn claims_from_her_account(&self, device: &Visitor, policy: &str) {
        let claims =
            async |policy: &str| crate::login::post(device, "account/claim", &[], json!({"policy": policy})).await;
        assert_eq!(claims("another").await.status, 422);
        let begun = claims(policy).await.ok(200);
        let url = begun["data"]["url"].as_str().expect("an address");
        let id = url.strip_prefix("/claim/what-happened?request=").expect("what happened");
        let answers = json!({"loss": "accident", "on": "2027-06-01", "pincode": "110001"});
        device.event(&device.view(id).await, "submit", answers).await.ok(200);
        let told = async || {
            let view = device.view(id).await;
            (view["step"]["id"] == "claim.open.waiting").then_some(view)
        };
        let view = self.server.until("the claim", told).await;
        for known in ["DL-3-CAB-1234", policy, "HDFC ERGO, claims: 022 6234 6234", "Cashless garages near 110001"] {
            assert!(view.to_string().contains(known), "{known}: {view}");
        }
        let page = device.get("/dashboard").await.text();
        assert!(page.contains("Your claims") && page.contains("An accident · DL-3-CAB-1234"), "{page}");
    }

    /// Finds the policy on another device: the number and its code, which may be somebody else's by now, ask for the
    /// number of a policy; with it the account is open, and the policy's file.
    async fn finds_her_policy_in_her_account(&self, file: &str) {
        let device = self.server.visitor();
        crate::login::logs_in(self.server, &device, self.mobile).await;
        assert_eq!(device.get("/api/v1/account/dashboard").await.status, 401);
        let records = self.server.store().await.records(&self.id()).await.expect("records");
        let policy = records.iter().find(|record| record.kind == "policy").expect("a policy");
        let proof = json!({"policy_number": policy.data["policy_number"]});
        crate::login::post(&device, "iam/open-account", &[], proof).await.ok(200);
        let account = device.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
        let journeys = account["journeys"].as_array().expect("journeys");
        assert!(journeys.iter().any(|journey| journey["id"] == self.id().as_str()), "{account}");
        assert_eq!(account["documents"][0]["url"], file);
        assert!(device.get("/dashboard").await.text().contains(file));
        assert!(device.get(file).await.bytes.starts_with(b"%PDF-"));
        self.renews_from_her_account(&device, policy.data["policy_number"].as_str().expect("a number")).await;
        self.claims_from_her_account(&device, policy.data["policy_number"].as_str().expect("a number")).await;
        // The copy of the customer's data says where it is.
        let export = device.get("/api/v1/account/export").await.ok(200)["data"].clone();
        let told =
            export["journeys"].as_array().into_iter().flatten().find(|journey| journey["id"] == self.id().as_str());
        let document = &told.expect("her journey")["documents"][0];
        assert_eq!((&document["url"], &document["type"]), (&json!(file), &json!("application/pdf")));
    }
}

/// R1-16, R1-17
#[tokio::test(flavor = "multi_thread")]
async fn from_the_registration_number_to_the_policy() {
    let server = shop().await;
    looks_around(&server).await;
    let mut asha = Customer::arrives(&server, MOBILE, json!({})).await;
    asha.is_not_heard_as_a_partner().await;
    asha.asks_for_prices().await;

    asha.is_told_whose_check_often_fails().await;
    let card = asha.sees_prices_that_add_up().await;
    assert_eq!(block(&asha.view, "options")["compare_max"], 3, "R1-16");
    let (chosen, price) = (&card["action"]["data"], card["price"]["paise"].as_i64().expect("a price"));
    asha.cannot_choose_what_nobody_offered(chosen).await;
    asha.chooses_with_a_double_click(chosen).await;
    asha.is_alone_in_her_journey().await;

    asha.fills_the_proposal().await;
    let order = asha.pays_the_price_of_the_card(price).await;
    let file = asha.has_her_policy().await;
    asha.has_never_logged_in().await;
    asha.finds_the_summary_at_its_address().await;
    asha.finds_it_in_lists_by_its_name().await;
    asha.keeps_a_paper_that_anybody_can_check().await;
    asha.opens_her_policy_from_the_messages(&file).await;
    asha.is_charged_once(&order, price).await;
    asha.is_found_by_who_shows_her_number().await;

    let three_years_ms = 3 * 365 * 86_400_000;
    server.clock.advance(three_years_ms);
    asha.finds_her_policy_in_her_account(&file).await;
    server.stop().await;
}

/// R5-42
#[tokio::test(flavor = "multi_thread")]
async fn contact_data_is_whole_for_agents_of_some_sources_alone() {
    let server = shop().await;
    let masked = ["*****10001", "*****10002", "*****10003"];
    for (mobile, masked, attribution, is_whole) in [
        ("9810010001", masked[0], json!({}), false),
        ("9810010002", masked[1], json!({"source": "letter", "sub-source": "fusion"}), false),
        ("9810010003", masked[2], json!({"source": "letter"}), true),
    ] {
        let mut asha = Customer::arrives(&server, mobile, attribution).await;
        asha.asks_for_prices().await;
        let offers = asha.offers().await;
        let card = offers.iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer");
        asha.does("select", card["action"]["data"].clone(), "car.owner").await;
        asha.fills_the_proposal().await;
        let id = asha.id();
        let owner = server.store().await.journey(&id).await.expect("a read").expect("a journey").owner;
        let agent = Actor { roles: vec!["partner-agent".into()], ..Actor::visitor(owner) };
        let seen = server.product.runtime.journeys.view(&agent, &id).await.expect("the check page");
        let (hers, theirs) = (asha.view.to_string(), serde_json::to_string(&seen).expect("JSON"));
        assert!(hers.contains(masked) && !hers.contains(mobile) && !hers.contains("asha@example.com"));
        assert_eq!(theirs.contains(mobile) && theirs.contains("asha@example.com"), is_whole, "{theirs}");
        assert_eq!(theirs.contains(masked), !is_whole);
    }
    server.stop().await;
}
