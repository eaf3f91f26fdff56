//! What who came by a link sees of a page: nothing to press that the link does not let them send.

use crate::actor::LinkAccess;
use crate::view::StepView;
use serde_json::Value;

pub(super) fn leave_out(view: &mut StepView, link: &LinkAccess) {
    if !link.lets_anything() {
        // It was said to who sent something.
        view.messages.clear();
    }
    let Some(shown) = view.step.view.as_mut() else { return };
    leave_out_events(shown, link);
    if !link.lets("submit") {
        view.step.form = None;
    }
}

fn is_refused(value: &Value, link: &LinkAccess) -> bool {
    value.get("event").and_then(Value::as_str).is_some_and(|event| !link.lets(event))
}

fn leave_out_events(value: &mut Value, link: &LinkAccess) {
    match value {
        Value::Array(items) => {
            items.retain(|item| !is_refused(item, link));
            items.iter_mut().for_each(|item| leave_out_events(item, link));
        }
        Value::Object(map) => {
            map.retain(|_, inner| !is_refused(inner, link));
            map.values_mut().for_each(|inner| leave_out_events(inner, link));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_link_does_not_let_somebody_press_is_not_there() {
        let link = LinkAccess { journey: "j".into(), events: vec!["look".into()] };
        let mut view = json!({"blocks": [
            {"block": "options", "items": [{"title": "A", "action": {"event": "select"}, "more": [{"event": "look"}]}]},
            {"block": "actions", "items": [{"event": "share"}, {"event": "look"}, {"href": "/"}]},
        ]});
        leave_out_events(&mut view, &link);
        let left = json!({"blocks": [
            {"block": "options", "items": [{"title": "A", "more": [{"event": "look"}]}]},
            {"block": "actions", "items": [{"event": "look"}, {"href": "/"}]},
        ]});
        assert_eq!(view, left);
    }
}
