//! Answers against their form.

use super::{NOON, catalog, library};
use engine_definitions::{Audience, FieldError};
use engine_statechart::Scope;
use serde_json::{Map, Value, json};

fn staff() -> Audience {
    Audience { roles: vec!["call-centre".into()], channel: "web".into(), ..Audience::default() }
}

/// Normalises and validates answers; `pointer code text` of each error.
fn answers(audience: &Audience, data: Value) -> (Value, Vec<String>) {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let form = workflow.form("library/loan/loan").expect("form");
    let mut data = data;
    let errors: Vec<FieldError> = form.check(audience, &scope, &mut data).expect("checks");
    (data, errors.into_iter().map(|e| format!("{} {} {}", e.pointer, e.code, e.text)).collect())
}

#[test]
fn forms_say_what_is_wrong() {
    let visitor = Audience::default();
    let good = json!({"title": " Asha1  R@o ", "pages": "120", "member": false, "card": "x", "mobile": "+919876543210", "code": ""});
    let kept = json!({"title": "Asha Ro", "pages": 120, "member": false, "mobile": "9876543210", "readers": []});
    assert_eq!(answers(&visitor, good), (kept, vec![]));
    for (data, expected) in [
        (
            json!({"title": "A", "pages": 1, "member": false}),
            "/title minLength Please enter Title between 3 - 50 characters",
        ), // R5-02
        (
            json!({"title": "Abc", "pages": 1, "member": false, "code": "12345"}),
            "/code minLength Please enter Shelf mark of length 10 characters",
        ), // R5-01
        (
            json!({"title": "Abc", "pages": 1, "member": false, "mobile": "1234567890"}),
            "/mobile pattern Invalid mobile number.",
        ), // R5-09
        (json!({"title": "Abc", "pages": 1401, "member": false}), "/pages maximum Please check Pages"),
        (json!({"title": "Abc", "pages": 1, "member": true}), "/card required Please enter Card"),
        (
            json!({"title": "Abc", "pages": 1, "member": false, "back_on": "2026-12-06"}),
            "/back_on x-date.max Back on: 5 Dec 2026 at the latest",
        ),
        (
            json!({"title": "Abc", "pages": 1, "member": false, "admin": true}),
            "/admin unknown This field is not expected",
        ),
        (
            json!({"pages": 1, "member": "maybe"}),
            "/title required Please enter Title|/member type Please check Are you a member?",
        ),
    ] {
        assert_eq!(answers(&visitor, data.clone()).1.join("|"), expected, "{data}");
    }
    let cut = answers(&staff(), json!({"title": "Abc", "member": false, "mobile": "9876543210", "note": "x"})).1;
    assert_eq!(cut, ["/mobile unknown This field is not expected"]);
}

#[test]
fn forms_are_cut_on_the_server() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let form = workflow.form("library/loan/loan").expect("form");
    let view = form.view(&staff(), &scope).expect("a view");
    let shown = view.schema.to_string();
    assert_eq!(view.schema.pointer("/properties/pages/maximum"), Some(&json!(1400)));
    assert_eq!(view.schema.pointer("/required"), Some(&json!(["title", "member", "card"])));
    assert_eq!(view.schema.pointer("/properties/readers/items/required"), Some(&json!([])));
    assert!(!shown.contains("mobile") && !shown.contains("x-pii") && !shown.contains("$cel"), "{shown}");
    assert!(!shown.contains("\"age\""), "a variant cuts the fields of rows: {shown}");
    assert_eq!(form.secrets(), ["pin"]);
    let fields = form.fields(&staff(), &scope).expect("names");
    assert!(fields.contains("note"));

    // What this actor cannot see of an answer stays, in rows by their keys.
    let mut old = json!({"mobile": "9876543210", "note": "old", "readers": [
        {"key": "r1", "name": "Asha", "age": 40}, {"key": "r2", "name": "Ravi", "age": 9}]});
    let new = json!({"title": "Emma", "readers": [{"key": "r2", "name": "Ravi Rao"}, {"key": "r3", "name": "Lila"}]});
    let (Value::Object(mut map), Value::Object(new)) = (std::mem::take(&mut old), new) else { panic!("objects") };
    fields.replace(&mut map, new);
    let expected = json!({"mobile": "9876543210", "title": "Emma", "readers": [
        {"key": "r2", "name": "Ravi Rao", "age": 9}, {"key": "r3", "name": "Lila"}]});
    assert_eq!(Value::Object(map), expected);
}
