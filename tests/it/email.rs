//! An e-mail address is a customer's once they have entered the code that went there; a changed one is not, until they
//! have again.

use crate::login::{ASHA, RAVI, logs_in, post, start};
use journey_tests::people::password_in;
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};

const EMAIL: &str = "asha@example.com";

async fn says(visitor: &Visitor, email: &str) {
    post(visitor, "iam/user-accounts", &[], json!({"first_name": "Asha", "email": email})).await.ok(200);
}

/// Whether the profile says that its address is confirmed.
async fn is_confirmed(visitor: &Visitor) -> bool {
    let page = visitor.get("/editProfile").await.text();
    let (yes, no) = (page.contains(" is confirmed."), page.contains(" isn't confirmed yet"));
    assert!(yes != no, "{page}");
    yes
}

/// Has a code sent to the address of the profile: the journey, at the code's form.
async fn asks(server: &TestServer, visitor: &Visitor) -> Value {
    let url = post(visitor, "iam/confirm-email", &[], json!({})).await.ok(200)["data"]["url"].clone();
    let id = url.as_str().and_then(|url| url.split_once("?request=")).expect("a journey").1.to_owned();
    let asked = async || {
        let view = visitor.view(&id).await;
        (view["step"]["form"]["id"] == "shared/otp/otp").then_some(view)
    };
    server.until("the code's form", asked).await
}

/// The codes that went to an address.
async fn codes(server: &TestServer, email: &str) -> Vec<String> {
    let inbox = server.visitor().get(&format!("/sandbox/inbox.json?to={email}")).await.ok(200);
    let texts = inbox["messages"].as_array().into_iter().flatten().filter_map(|message| message["text"].as_str());
    texts.filter_map(password_in).map(str::to_owned).collect()
}

async fn code(server: &TestServer, email: &str) -> String {
    server.until("the code", async || codes(server, email).await.first().cloned()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_confirmed_by_the_code_that_went_there() {
    let server = start().await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    logs_in(&server, &asha, ASHA).await;
    logs_in(&server, &ravi, RAVI).await;
    assert!(!asha.get("/editProfile").await.text().contains("confirmed"), "there is none");
    assert_eq!(post(&asha, "iam/confirm-email", &[], json!({})).await.status, 422);
    says(&asha, "Asha@Example.com").await;
    assert!(!is_confirmed(&asha).await);

    let view = asks(&server, &asha).await;
    assert!(view.to_string().contains("a**a@example.com") && !view.to_string().contains(EMAIL), "{view}");
    let right = code(&server, EMAIL).await;
    let wrong = if right == "000000" { "000001" } else { "000000" };
    let view = asha.event(&view, "submit", json!({"code": wrong})).await.ok(200);
    assert_eq!(view["messages"][0]["code"], "otp.wrong");
    assert!(!is_confirmed(&asha).await);
    assert_eq!(ravi.event(&view, "submit", json!({"code": right})).await.status, 404, "it is her code in her hands");
    let done = asha.event(&view, "submit", json!({"code": right})).await.ok(200);
    assert_eq!(done["step"]["path"], "in");
    assert!(is_confirmed(&asha).await);

    // Another address is another matter, until it was that one again.
    says(&asha, "rao@example.com").await;
    assert!(!is_confirmed(&asha).await);
    says(&asha, EMAIL).await;
    assert!(is_confirmed(&asha).await);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_codes_sent_to_addresses_without_an_account() {
    let server = start().await;
    let stranger = server.visitor();
    assert_eq!(post(&stranger, "iam/confirm-email", &[], json!({})).await.status, 401);
    let view = stranger.start("account/email", json!({"email": EMAIL})).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let told = async || {
        let view = stranger.view(&id).await;
        (view["messages"][0]["level"] == "error").then_some(view)
    };
    server.until("the refusal", told).await;
    assert_eq!(codes(&server, EMAIL).await, Vec::<String>::new());
    server.stop().await;
}
