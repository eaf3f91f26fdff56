//! The reference journey: five forms of twelve fields after a start; what is sent, and what must be refused.

use serde_json::{Value, json};

pub const STEPS: [&str; 5] = ["mobile", "otp", "vehicle", "quote", "proposal"];

/// The answer of a step that is taken.
pub fn good(step: &str) -> Value {
    match step {
        "mobile" => {
            json!({"mobile": "9876543210", "country": "IN", "first_name": "Asha", "last_name": "Rao", "email": "asha.rao@example.com",
            "dob": "1990-04-12", "pin": "560001", "city": "Bengaluru", "lang": "en", "channel": "web", "consent": true, "marketing": false})
        }
        "otp" => {
            json!({"code": "123456", "attempt": 1, "device_id": "d-8f3a2b1c9e", "os": "android", "os_version": "14", "app_version": "3.2.1",
            "ip": "10.1.2.3", "lat": 12.97, "lon": 77.59, "tz": "Asia/Kolkata", "trusted": true, "ref": "campaign-7"})
        }
        "vehicle" => {
            json!({"reg_no": "KA01AB1234", "make": "Maruti", "model": "Baleno", "variant": "Zeta", "fuel": "petrol", "year": 2019, "cc": 1197,
            "engine_no": "K12MN1234567", "chassis_no": "MA3EWB22S00123456", "prev_insurer": "Acme General", "prev_expiry": "2026-01-31", "ncb_pct": 25})
        }
        "quote" => {
            json!({"quote_id": "Q-20260101-77", "insurer": "Acme General", "plan": "comp", "premium": 11250, "idv": 540000, "tenure": 1,
            "addons": ["zero_dep", "rsa"], "deductible": 1000, "pa_cover": true, "gst": 2025, "currency": "INR", "accepted": true})
        }
        _ => {
            json!({"owner": "Asha Rao", "gender": "f", "address1": "12 MG Road", "address2": "Indiranagar", "state": "Karnataka", "pin": "560001",
            "pan": "ABCDE1234F", "nominee": "Ravi Rao", "nominee_rel": "spouse", "nominee_age": 36, "nominee_share": 100, "declared": true})
        }
    }
}

/// Step, field and value of answers that must be refused: by the schema or by the guard.
pub fn bad() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("mobile", "mobile", json!("12345")),
        ("mobile", "consent", json!(false)),
        ("otp", "code", json!("000000")),
        ("vehicle", "chassis_no", json!("SHORT")),
        ("vehicle", "year", json!(1995)),
        ("quote", "premium", json!(90000)),
        ("proposal", "nominee_share", json!(50)),
    ]
}
