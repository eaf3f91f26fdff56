//! Forms and pages against the contract with the web theme.

use super::writer::Html;
use super::{Chrome, Content, Page, document};
use crate::assets::Entry;
use engine_runtime::StepView;
use engine_runtime::view::{FormPart, MessageView};
use serde_json::{Value, json};

fn form(schema: Value, ui: Value, data: Value, messages: &[MessageView]) -> String {
    let mut html = Html::default();
    super::form::form(
        &mut html,
        &FormPart {
            id: "parcel/cover".into(),
            schema: schema.into(),
            ui: ui.into(),
            data,
            draft: false,
            submit: "Continue".into(),
        },
        messages,
    );
    html.into_string()
}

fn check(property: Value, ui: Value, data: Value, expected: &str) {
    let html = form(
        json!({"type": "object", "required": ["x"], "properties": {"x": property}}),
        json!({"x": ui}),
        json!({"x": data}),
        &[],
    );
    let fields =
        html.split_once("autocomplete=\"on\">").unwrap().1.split_once("<div class=\"form-actions\">").unwrap().0;
    assert_eq!(fields, expected);
}

#[test]
fn widgets() {
    check(
        json!({"type": "string", "title": "Name", "description": "As on your card", "maxLength": 60}),
        json!({"ui:options": {"autocomplete": "name"}}),
        json!("A \"B\""),
        "<div class=\"field\" data-widget=\"text\" data-pointer=\"/x\"><label class=\"field-label\" for=\"f-x\">Name</label><p class=\"field-hint\" id=\"f-x-hint\">As on your card</p><div class=\"control\"><input class=\"input\" id=\"f-x\" name=\"x\" type=\"text\" value=\"A &quot;B&quot;\" autocomplete=\"name\" maxlength=\"60\" spellcheck=\"false\" aria-describedby=\"f-x-hint\" aria-required=\"true\"></div></div>",
    );
    check(
        json!({"type": "string", "title": "Mobile", "x-normalise": ["trim"], "maxLength": 10}),
        json!({"ui:widget": "mobile"}),
        json!(null),
        "<div class=\"field\" data-widget=\"mobile\" data-pointer=\"/x\"><label class=\"field-label\" for=\"f-x\">Mobile</label><div class=\"control\"><span class=\"affix\">+91</span><input class=\"input\" id=\"f-x\" name=\"x\" type=\"tel\" value=\"\" inputmode=\"numeric\" autocomplete=\"tel-national\" aria-required=\"true\"></div></div>",
    );
    check(
        json!({"type": "integer", "title": "Value"}),
        json!({"ui:widget": "money"}),
        json!(12_345_600),
        "<div class=\"field\" data-widget=\"money\" data-pointer=\"/x\"><label class=\"field-label\" for=\"f-x\">Value</label><div class=\"control\"><span class=\"affix\">₹</span><input class=\"input\" id=\"f-x\" name=\"x\" type=\"text\" value=\"1,23,456\" inputmode=\"numeric\" aria-required=\"true\"></div></div>",
    );
    check(
        json!({"title": "Size", "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large", "description": "over 5 kg"}]}),
        json!({"ui:widget": "choice"}),
        json!("l"),
        "<fieldset class=\"field\" id=\"f-x\" data-widget=\"choice\" data-pointer=\"/x\"><legend class=\"field-label\">Size</legend><div class=\"choices\"><label class=\"choice\" for=\"f-x-0\"><input type=\"radio\" id=\"f-x-0\" name=\"x\" value=\"s\" required=\"\"><span class=\"choice-body\"><span class=\"choice-title\">Small</span></span></label><label class=\"choice\" for=\"f-x-1\"><input type=\"radio\" id=\"f-x-1\" name=\"x\" value=\"l\" checked=\"\" required=\"\"><span class=\"choice-body\"><span class=\"choice-title\">Large</span><span class=\"choice-text\">over 5 kg</span></span></label></div></fieldset>",
    );
    check(
        json!({"type": "boolean", "title": "I agree"}),
        json!({"ui:widget": "consent"}),
        json!(false),
        "<div class=\"field\" data-widget=\"consent\" data-pointer=\"/x\"><label class=\"consent\" for=\"f-x\"><input type=\"checkbox\" id=\"f-x\" name=\"x\" value=\"true\" aria-required=\"true\"><span>I agree</span></label></div>",
    );
    check(
        json!({"type": "string", "title": "Born on"}),
        json!({"ui:widget": "date", "ui:options": {"autocomplete": "bday"}}),
        json!("1990-05-07"),
        "<fieldset class=\"field\" id=\"f-x\" data-widget=\"date\" data-pointer=\"/x\"><legend class=\"field-label\">Born on</legend><div class=\"date\"><div class=\"date-part\"><label for=\"f-x-day\">Day</label><input class=\"input\" id=\"f-x-day\" name=\"x.day\" inputmode=\"numeric\" maxlength=\"2\" value=\"07\" autocomplete=\"bday-day\" aria-required=\"true\"></div><div class=\"date-part\"><label for=\"f-x-month\">Month</label><input class=\"input\" id=\"f-x-month\" name=\"x.month\" inputmode=\"numeric\" maxlength=\"2\" value=\"05\" autocomplete=\"bday-month\" aria-required=\"true\"></div><div class=\"date-part\"><label for=\"f-x-year\">Year</label><input class=\"input\" id=\"f-x-year\" name=\"x.year\" inputmode=\"numeric\" maxlength=\"4\" value=\"1990\" autocomplete=\"bday-year\" aria-required=\"true\"></div></div></fieldset>",
    );
    let slot = |key: &str, text: &str, full: bool| json!({"key": key, "text": text, "day": "2026-11-23", "full": full});
    check(
        json!({"type": "string", "title": "When?", "enum": ["a"]}),
        json!({"ui:widget": "slots", "ui:options": {"slots": [slot("a", "10:00 AM", false), slot("b", "5:30 PM", true)]}}),
        json!("a"),
        "<fieldset class=\"field\" id=\"f-x\" data-widget=\"slots\" data-pointer=\"/x\"><legend class=\"field-label\">When?</legend><div class=\"slots\"><div class=\"slots-days\" role=\"radiogroup\" aria-label=\"Day\"><label class=\"slots-day\" for=\"f-x-2026-11-23\"><input type=\"radio\" id=\"f-x-2026-11-23\" name=\"f-x-day\" value=\"2026-11-23\" checked=\"\" aria-label=\"Monday, 23 November\"><span aria-hidden=\"true\"><small>Mon</small><strong>23</strong><small>Nov</small></span></label></div><div class=\"slots-times\" role=\"radiogroup\" aria-label=\"When?: Monday, 23 November\"><div class=\"slots-part\"><p class=\"slots-part-name\">Morning</p><div class=\"slots-grid\"><label class=\"slots-time\" for=\"f-x-a\"><input type=\"radio\" id=\"f-x-a\" name=\"x\" value=\"a\" checked=\"\" required=\"\"><span>10:00 AM</span></label></div></div><div class=\"slots-part\"><p class=\"slots-part-name\">Evening</p><div class=\"slots-grid\"><label class=\"slots-time\" for=\"f-x-b\"><input type=\"radio\" id=\"f-x-b\" name=\"x\" value=\"b\" disabled=\"\" required=\"\"><span>5:30 PM<span class=\"sr\"> (taken)</span></span></label></div></div></div><p class=\"slots-chosen\" role=\"status\" data-chosen=\"true\">Monday, 23 November at <strong>10:00 AM</strong></p></div></fieldset>",
    );
    check(json!({"type": "string"}), json!({"ui:widget": "hidden"}), json!("secret"), "");
}

#[test]
fn order_groups_conditions_and_errors() {
    let schema = json!({"type": "object", "properties": {
        "kind": {"type": "string", "title": "Kind"}, "note": {"type": "string", "title": "Note"}, "extra": {"type": "string", "title": "Extra"},
        "to": {"type": "object", "title": "Receiver", "properties": {"name": {"type": "string", "title": "Name"}}},
    }});
    let ui = json!({"ui:order": ["extra", "*", "kind"], "ui:groups": [{"title": "More", "fields": ["note"], "collapsed": true}], "extra": {"ui:show": {"kind": ["a", "b"]}}});
    let message = MessageView {
        code: "wrong".into(),
        level: engine_runtime::view::Level::Error,
        pointer: Some("/to/name".into()),
        text: "Enter a name".into(),
    };
    let shown = form(schema.clone(), ui.clone(), json!({"kind": "a"}), std::slice::from_ref(&message));
    let at = |part: &str| shown.find(part).unwrap_or_else(|| panic!("{part} in {shown}"));
    assert!(at("<details class=\"group\"><summary class=\"group-title\">More") < at("f-extra"));
    assert!(at("f-extra") < at("id=\"f-to-name\"") && at("id=\"f-to-name\"") < at("id=\"f-kind\""));
    assert!(shown.contains("name=\"to.name\"") && shown.contains("data-pointer=\"/to/name\""));
    assert!(
        shown.contains("aria-invalid=\"true\"")
            && shown.contains(
                "<p class=\"field-error\" id=\"f-to-name-error\"><span class=\"sr\">Error: </span>Enter a name</p>"
            )
    );
    assert!(shown.contains("Extra<span class=\"field-optional\"> (optional)</span>"));
    assert!(!form(schema, ui, json!({"kind": "c"}), &[]).contains("f-extra"));
}

#[test]
fn a_page_cannot_be_broken_by_texts() {
    let evil = "</script><script>alert(1)</script>";
    let view: StepView = serde_json::from_value(json!({
        "journey": {"id": null, "workflow": "parcel/cover", "line": "parcel", "title": evil, "version": "1", "revision": 0, "status": "active", "base": "/parcel", "language": "en", "channel": "web"},
        "step": {"id": "cover.size", "kind": "form", "title": evil, "path": null, "url": "/parcel", "progress": {"sections": []}, "events": [], "back": "javascript:alert(1)", "changeable": [], "waits": [], "stream": null, "consents": [], "hide": [],
            "view": {"blocks": [{"block": "links", "items": [{"label": evil, "href": "javascript:alert(1)"}]}, {"block": "text", "text": evil}]}},
        "messages": [{"code": "x", "level": "info", "pointer": null, "text": evil}], "server_time": "2026-01-01T00:00:00.000Z",
    }))
    .unwrap();
    let chrome = Chrome {
        name: evil.into(),
        nav: vec![json!({"text": evil, "link": "javascript:alert(1)"})],
        legal: evil.into(),
        ..Chrome::default()
    };
    let entry = Entry { scripts: vec!["/assets/main.js".into()], ..Entry::default() };
    let page = document(
        &chrome,
        &Page { title: evil.into(), description: evil.into(), ..Page::default() },
        &Content::Step(&view),
        &entry,
        "en",
    );
    assert_eq!(page.matches("<script").count(), 2, "{page}");
    let (markup, boot) = page.split_once("id=\"boot\">").unwrap();
    assert!(!markup.contains("javascript:"), "{markup}");
    let boot: Value = serde_json::from_str(boot.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(boot["view"]["step"]["title"], evil);
    assert_eq!(boot["site"]["page"]["title"], evil);
}
