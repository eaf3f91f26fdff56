//! Cards of who gave no offer: written by nobody, made from the answers of a fan-out.

use super::{Names, ViewPart};
use engine_statechart::{EvalError, Scope, expression::Expression};
use serde_json::{Map, Value, json};

/// The key `unanswered` of the block `options`.
#[derive(Debug)]
pub(super) struct Unanswered {
    /// A map: who was asked → `{state, error?, previous?}`.
    pub of: Expression,
    /// Whether nobody is waited for any more: who is still asked counts as failed.
    pub over: Option<Expression>,
    /// Name under which the author's keys know the row `{key, value}`.
    pub row: String,
    /// What the author says of each.
    pub provider: ViewPart,
    /// The old price, while it is asked for again.
    pub price: Option<ViewPart>,
}

/// What became of one who was asked.
enum Card {
    Asked,
    Declined,
    Failed,
}

impl Card {
    /// `None` for who answered: the author draws those.
    fn of(answer: &Value, is_over: bool) -> Option<Card> {
        match answer["state"].as_str() {
            Some("answered") => None,
            Some("declined") => Some(Card::Declined),
            Some("asked") if !is_over => Some(Card::Asked),
            _ => Some(Card::Failed),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Card::Asked => "asked",
            Card::Declined => "declined",
            Card::Failed => "failed",
        }
    }
}

impl Unanswered {
    pub fn render(&self, scope: &Scope<'_>, names: &Names<'_>, list: &mut Vec<Value>) -> Result<(), EvalError> {
        let Value::Object(answers) = self.of.eval(scope)? else { return Ok(()) };
        let is_over = self.over.as_ref().map_or(Ok(false), |over| over.eval_bool(scope))?;
        for (who, answer) in answers {
            let Some(card) = Card::of(&answer, is_over) else { continue };
            let mut drawn = Map::from_iter([("id".into(), json!(format!("{who}.{}", card.name())))]);
            drawn.insert("state".into(), card.name().into());
            match card {
                Card::Asked if !answer["previous"].is_null() => {
                    drawn.insert("stale".into(), true.into());
                }
                Card::Declined if answer["error"]["message"].is_string() => {
                    drawn.insert("reason".into(), answer["error"]["message"].clone());
                }
                _ => {}
            }
            let is_open = matches!(card, Card::Asked);
            let row = json!({"key": who, "value": answer});
            let mut names = names.clone();
            names.known.push((&self.row, &row));
            let scope = scope.clone().with(&self.row, &row);
            drawn.insert("provider".into(), self.provider.render(&scope, &names)?);
            if let Some(price) = self.price.as_ref().filter(|_| is_open) {
                let price = price.render(&scope, &names)?;
                (!price.is_null()).then(|| drawn.insert("price".into(), price));
            }
            list.push(Value::Object(drawn));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::view::View;
    use engine_statechart::Scope;
    use serde_json::json;

    #[test]
    fn who_gave_no_offer_has_a_card_that_nobody_wrote() {
        let text = "blocks: [{block: options, items: [], unanswered: {of: data.quotes, over: data.over, as: who,\n\
                    provider: {name: who.key}, price: who.value.?previous.?price}}]";
        let node = crate::source::read("quotes.yaml", text.as_bytes()).expect("readable");
        let mut problems = Vec::new();
        let view = View::compile("quotes", "quotes.yaml", &node, Vec::new(), &mut problems).expect("a view");
        let quotes = json!({
            "a": {"state": "answered"},
            "b": {"state": "asked", "previous": {"price": {"paise": 100}}},
            "c": {"state": "declined", "error": {"message": "Too old"}},
            "d": {"state": "failed"},
        });
        let cards = |over: bool| {
            let scope = Scope::new();
            let (drawn, _) = view.render(&json!({"quotes": quotes, "over": over}), &[], &scope).expect("drawn");
            drawn["blocks"][0]["items"].clone()
        };
        let open = cards(false);
        assert_eq!(
            open,
            json!([
                {"id": "b.asked", "state": "asked", "stale": true, "provider": {"name": "b"}, "price": {"paise": 100}},
                {"id": "c.declined", "state": "declined", "reason": "Too old", "provider": {"name": "c"}},
                {"id": "d.failed", "state": "failed", "provider": {"name": "d"}},
            ])
        );
        assert_eq!(cards(true)[0]["state"], "failed", "nobody is waited for any more");
    }
}
