//! What customers type: a choice of a list, a row of the list behind a field, or a text that fits its rules.

use journey_tests::server::Visitor;
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

/// Texts that no rule of a form describes, by the name of the field. Some are answers that the page asks back or
/// refuses, some make a partner refuse or break (workflows/partners/README.md).
const TEXTS: &[(&str, &[&str])] = &[
    (
        "registration",
        &["DL-3-CAB-1234", "MH-12-AB-1234", "UP-16-XY-9999", "TN-37-CC-4321", "KA-1-AB-0404", "KA-1-AB-0500"],
    ),
    ("pincode", &["110001", "110001", "411001", "560001", "744101", "123123", "999999"]),
    ("engine_number", &["K12MN1234567", "K12MN1234567", "BADENGINE99", "K12PROPDOWN", "K12ISSUEDOWN", "K12POSTERR"]),
    ("chassis_number", &["MA3EJKD1S00123456", "MA3EJKD1S00123456", "BADCHASSIS1", "MA3KYCPEND123456"]),
    ("pan_number", &["ABCPR1234K", "ABCPR1234K", "ABCPS0000K", "ABCPN8888K", "ABCPN9999K"]),
    ("firm_pan_number", &["AAACB1234C", "AAAFB1234C"]),
    ("gstin_number", &["07AAACB1234C1Z5", "07AAAFB1234C1Z5", "00AAACB1234C1Z5"]),
    ("cin_number", &["U12345DL2015PTC123456"]),
    ("llpin_number", &["AAB1234"]),
    ("aadhar_number", &["234567891234", "234500001234"]),
    ("ckyc_number", &["12345678901234"]),
    ("driving_license", &["DL0420110149646"]),
    ("voter_id_card", &["ABC1234567"]),
    ("passport_number", &["M1234567"]),
    ("nrega_card", &["RJ-10-001-002-003456/123"]),
    ("passport_file_number", &["DL1234567890123"]),
    ("proposer_email", &["asha@example.com", "asha@example.com", "a@b"]),
    ("dob", &["1990-04-12", "1990-04-12", "2012-01-01"]),
    ("previous_policy_end_date", &["2026-12-05", "2026-11-01", "2026-08-01", "2027-03-01", "2028-07-08", "2030-11-21"]),
    ("third_party_end_date", &["2027-06-30", "2028-07-08", "2026-12-01"]),
    ("registered_on", &["2025-07-09", "2021-06-15", "2012-05-09", "2026-11-11", "2019-02-28"]),
    ("date_of_incorporation", &["2015-03-02"]),
    ("start_on", &["2026-12-01", "2026-12-10"]),
    ("end_on", &["2026-12-20", "2027-02-01"]),
    ("born_on", &["2023-05-01", "2026-09-01"]),
    ("second_dob", &["1992-04-12"]),
    ("microchip", &["900012345678901"]),
    ("udyam", &["UDYAM-KA-01-1234567"]),
    ("account_number", &["123456789012"]),
    ("ifsc", &["HDFC0000001"]),
    ("first_cover_date", &["2020-04-01", "2025-12-01"]),
    ("previous_policy_number", &["OG-25-1234-5678"]),
    ("policy_number", &["OG-25-1234-5678"]),
    ("pregnant_due", &["2027-03-01"]),
    ("illness_since", &["05/2024", "01/2019"]),
    ("hospitalised_when", &["05/2024", "01/2026"]),
    ("medicine_since", &["05/2024"]),
    ("abha_number", &["12345678901234"]),
    ("height_cm", &["165", "172", "180"]),
    ("occupation", &["salaried", "salaried", "self_employed", "unemployed"]),
    ("residence", &["india", "india", "nri"]),
    ("hazard", &["1", "1", "2"]),
    ("units", &["0", "0", "6"]),
    ("pregnant_weeks", &["0"]),
    ("annual_income", &["90000000", "240000000"]),
    ("weight_kg", &["62", "70", "81"]),
    ("company_name", &["Rao & Sons Pvt. Ltd."]),
    ("address_line_1", &["Flat 3/4, St. Mary's"]),
];

/// What most say yes to; without it hardly anybody makes an offer.
const MOSTLY_YES: [&str; 5] = ["is_vaccinated", "in_india", "indian_passport", "account_proved", "income_estimate"];

/// What customers say of an illness in words of their own: nobody else reads it.
pub const ILLNESS: &str = "Quaxitis";
const ILLNESS_ENDS: [&str; 4] = ["_what", "_which", "_words", "other_illness"];

/// Codes of the contract of proposals.
const ERRORS: u32 = 61;

/// An answer to a field, or none when the list behind it holds nothing that goes with what was chosen before.
pub async fn answer(
    browser: &Visitor,
    random: &mut StdRng,
    name: &str,
    rule: &Value,
    so_far: &Map<String, Value>,
) -> Option<Value> {
    // Any code of the contract's errors, so that each leads to a page that has its field.
    if name == "engine_number" && random.random_bool(0.3) {
        return Some(json!(format!("ERRKEY{:02}X", random.random_range(1..=ERRORS))));
    }
    if let Some((_, texts)) = TEXTS.iter().find(|(field, _)| *field == name) {
        let is_number = rule["type"] == "integer" || rule["type"] == "number";
        let text = texts.choose(random)?;
        return if is_number { text.parse::<i64>().ok().map(Value::from) } else { Some(json!(text)) };
    }
    if !rule["const"].is_null() {
        return Some(rule["const"].clone());
    }
    let choices = choices_of(rule);
    // Most have no illness, no claim and no other policy; the others are told apart by what they say of it.
    if choices.contains(&json!("none")) && random.random_bool(0.6) {
        return Some(json!("none"));
    }
    if let Some(choice) = choices.choose(random) {
        return Some(choice.clone());
    }
    if rule["x-ui"]["widget"] == "lookup" {
        return row(browser, random, &rule["x-ui"], so_far).await;
    }
    match rule["type"].as_str()? {
        "boolean" => Some(json!(random.random_bool(if MOSTLY_YES.contains(&name) { 0.85 } else { 0.25 }))),
        "integer" | "number" => {
            let (low, high) = (rule["minimum"].as_i64().unwrap_or(0), rule["maximum"].as_i64().unwrap_or(90));
            let step = rule["multipleOf"].as_i64().unwrap_or(1);
            Some(json!(random.random_range(low / step..=high / step) * step))
        }
        "array" => Some(choices_of(&rule["items"]).choose_multiple(random, 2).cloned().collect()),
        "string" if ILLNESS_ENDS.iter().any(|end| name.ends_with(end)) => Some(json!(ILLNESS)),
        _ if rule["format"] == "date" => Some(json!("2026-11-25")),
        _ => Some(json!("Asha Rao")),
    }
}

fn choices_of(rule: &Value) -> Vec<Value> {
    let titled = rule["oneOf"].as_array().into_iter().flatten().map(|choice| choice["const"].clone());
    titled.chain(rule["enum"].as_array().into_iter().flatten().cloned()).collect()
}

/// A row of reference data that fits what was chosen before.
async fn row(browser: &Visitor, random: &mut StdRng, ui: &Value, so_far: &Map<String, Value>) -> Option<Value> {
    let mut path = format!("/api/v1/master/{}?limit=40", ui["source"].as_str()?);
    for (column, pointer) in ui["filter"].as_object().into_iter().flatten() {
        let chosen = match pointer.as_str().and_then(|pointer| pointer.strip_prefix('/')) {
            Some(name) => so_far.get(name)?.as_str()?.to_owned(),
            None => pointer.as_str().map_or_else(|| pointer.to_string(), str::to_owned),
        };
        path += &format!("&{column}={chosen}");
    }
    let rows = browser.get(&path).await.ok(200);
    let row = rows["rows"].as_array()?.choose(random)?;
    Some(row[ui["value"].as_str()?].clone())
}
