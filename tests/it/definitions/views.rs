//! What is shown and sent, with its data in it.

use super::{NOON, catalog, library};
use engine_definitions::House;
use engine_statechart::Scope;
use serde_json::json;

#[test]
fn views_messages_and_webhooks_render() {
    let catalog = catalog(&library());
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let (now, journey) = (workflow.now(NOON), json!({}));
    let host = workflow.host(&now, &journey, &catalog);
    let data = json!({"offers": {"a": {"by": "North", "price": 100}, "b": {"by": "South", "price": 0}}});
    let (view, misfits) = workflow
        .view("library/loan/found")
        .expect("view")
        .render(&data, &[], &Scope::new().with_host(&host))
        .expect("renders");
    assert_eq!(misfits, []);
    assert_eq!(
        view,
        json!({"title": "Found", "blocks": [{"block": "facts", "items": [{"label": "From North", "value": {"paise": 100}}]}]})
    );
    let house = House { letterhead: &catalog.site("hi").letterhead, address: "https://books.example" };
    let message = catalog
        .message("ready")
        .expect("message")
        .render(&["hi"], &json!({"name": "<A>", "items": ["x", "y"], "due": 5}), house)
        .expect("renders");
    assert_eq!((message.subject.as_deref(), message.text.as_str()), (Some("For <A>"), "x y ₹0.05"));
    let html = message.html.expect("an e-mail");
    assert!(html.contains("<title>For &lt;A&gt;</title>") && html.contains(">x y ₹0.05</p>"), "{html}");
}
