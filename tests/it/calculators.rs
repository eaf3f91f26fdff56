//! Calculators: their calls against worked examples, and their pages, which say the same while somebody types.

use journey_tests::server::{TestServer, all_definitions};
use serde_json::{Value, json};

/// `[calculator, asked, gives]` of a table.
fn examples() -> Vec<(String, Value, Value)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../workflows/life/tables/calculator_examples.yaml");
    let table: Value = serde_yaml::from_str(&std::fs::read_to_string(path).expect("the table")).expect("YAML");
    let rows = table["rows"].as_array().expect("rows");
    rows.iter().map(|row| (row[0].as_str().expect("a calculator").to_owned(), row[1].clone(), row[2].clone())).collect()
}

fn query(asked: &Value) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in asked.as_object().expect("what is asked") {
        query.append_pair(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    query.finish()
}

/// R9-55, life-O32, life-O33: the figures that their pages show are those of the calls, and both are worked examples.
#[tokio::test]
async fn calculators_say_what_was_worked_out_by_hand() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    let with_call =
        ["sip", "lump-sum", "fixed-deposit", "recurring-deposit", "human-life-value", "income-tax", "term-premium"];
    let mut compared = 0;
    for (calculator, asked, gives) in examples().into_iter().filter(|(one, ..)| with_call.contains(&one.as_str())) {
        let said = visitor.get(&format!("/api/v1/calculators/{calculator}?{}", query(&asked))).await.ok(200);
        for (key, figure) in gives.as_object().expect("figures") {
            let told =
                said["data"]["quotes"].as_array().map_or_else(|| said["data"][key].clone(), |all| quote(all, key));
            assert_eq!(told, *figure, "{calculator} {asked}: {key}");
            compared += 1;
        }
    }
    assert!(compared > 700, "{compared} figures");
    server.stop().await;
}

/// What an insurer asks for, as the worked examples say it: both instalments and the medical check, or why it does not.
fn quote(all: &[Value], insurer: &str) -> Value {
    let Some(one) = all.iter().find(|one| one["insurer"] == insurer) else { return Value::Null };
    match one["reason"].as_str().filter(|reason| !reason.is_empty()) {
        Some(reason) => json!(reason),
        None => {
            let medical = one["medical"].as_str().unwrap_or_default();
            json!(format!("{} {} {medical}", one["instalment_first"], one["instalment_later"]))
        }
    }
}

/// life-O31: an amount is read as people write it; a rate out of range is said at its field, and the last result stays.
#[tokio::test]
async fn an_amount_is_read_with_its_commas() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    let call = "/api/v1/calculators/sip";
    let refused = visitor.get(&format!("{call}?monthly=1,00,000&rate=0&years=10&step_up=0")).await.ok(422);
    let pointers: Vec<&str> =
        refused["errors"].as_array().expect("errors").iter().filter_map(|e| e["pointer"].as_str()).collect();
    assert_eq!(pointers, ["/rate"], "{refused}");
    let with = visitor.get(&format!("{call}?monthly=1,00,000&rate=12&years=10&step_up=0")).await.ok(200);
    let without = visitor.get(&format!("{call}?monthly=100000&rate=12&years=10&step_up=0")).await.ok(200);
    assert_eq!((&with, &with["data"]["invested"]), (&without, &json!(12_000_000)));
    let page = "/investment/sip-calculator?monthly=1,00,000&rate=0&years=10&step_up=0";
    let shown = visitor.send("GET", page, &[("accept", "application/json")], None).await.ok(200);
    assert_eq!(shown["errors"][0]["pointer"], "/rate", "{shown}");
    assert_eq!(shown["results"][0]["items"][1]["value"]["paise"], 1_200_000_000, "{shown}");
    server.stop().await;
}

/// What is out of range is said at its field, and the last result stays; the address can be passed on.
#[tokio::test]
async fn the_page_of_a_calculator_works_without_and_with_scripts() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    let page = visitor.get("/investment/sip-calculator?monthly=10000&rate=12&years=10&step_up=0").await;
    assert!(page.text().contains("232339100"), "the answers of the address are worked out");
    let accept = [("accept", "application/json")];
    let answer = visitor.send("GET", "/sip-calculator?monthly=10000&rate=12&years=10&step_up=0", &accept, None).await;
    assert_eq!(answer.ok(200)["errors"], json!([]));
    let wrong = visitor.send("GET", "/sip-calculator?monthly=1&rate=99&years=10", &accept, None).await.ok(200);
    let pointers: Vec<&str> =
        wrong["errors"].as_array().expect("errors").iter().filter_map(|e| e["pointer"].as_str()).collect();
    assert_eq!(pointers, ["/monthly", "/rate"]);
    let refused = visitor.get("/api/v1/calculators/sip?monthly=1&rate=99&years=10&step_up=0").await;
    assert_eq!(refused.status, 422);
    for wrong in [
        "human-life-value?age=60&retire_age=50",
        "human-life-value?income=1&own_expenses=2",
        "fixed-deposit?months=0&days=6",
    ] {
        assert_eq!(visitor.get(&format!("/api/v1/calculators/{wrong}")).await.status, 422, "{wrong}");
    }
    server.stop().await;
}
