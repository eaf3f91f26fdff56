//! What a customer wrote that nobody else reads, in the spellings that a page could have.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Fields whose answers are the customer's alone, by name or by its end.
const OWN: [&str; 14] = [
    "dob",
    "pan_number",
    "aadhar_number",
    "ckyc_number",
    "driving_license",
    "voter_id_card",
    "passport_number",
    "account_number",
    "previous_policy_number",
    "engine_number",
    "chassis_number",
    "abha_number",
    "address_line_1",
    "microchip",
];
/// Beginning of the fields in which illnesses are chosen.
const ILL: &str = "ill";
/// Shorter ones stand in other texts, too.
const LENGTH_MIN: usize = 8;
/// Beginning of a number of which the last digits are shown.
const COVERED: &str = "XXXX";
/// Choices that say of no illness which it is.
const NONE: [&str; 2] = ["none", "other"];

/// Words of one customer, small.
#[derive(Default)]
pub struct OwnWords {
    /// Nowhere on a page, in a list, in a stream.
    pub written: BTreeSet<String>,
    /// Illnesses, by their titles: they stand in the choices of a form, and nowhere in what is said of this customer.
    pub illnesses: BTreeSet<String>,
}

impl OwnWords {
    /// Adds what was sent with a form.
    pub fn add(&mut self, rules: &Value, data: &Map<String, Value>) {
        for (name, value) in data {
            let rule = &rules["properties"][name];
            let is_own = OWN.iter().any(|own| name == own || name.strip_suffix(own).is_some_and(|n| n.ends_with('_')));
            match value {
                Value::String(text) if is_own && is_whole(text) => self.write(text),
                Value::Array(list) if name.starts_with(ILL) => {
                    self.illnesses.extend(list.iter().filter_map(|chosen| title(&rule["items"], chosen)));
                }
                Value::Array(rows) => {
                    for (n, row) in rows.iter().enumerate() {
                        let rule = rule["prefixItems"].get(n).unwrap_or(&rule["items"]);
                        row.as_object().into_iter().for_each(|row| self.add(rule, row));
                    }
                }
                _ => {}
            }
        }
    }

    fn write(&mut self, text: &str) {
        self.written.insert(text.to_lowercase());
        if let [year, month, day] = text.split('-').collect::<Vec<_>>()[..]
            && year.len() == 4
        {
            self.written.insert(format!("{day}/{month}/{year}"));
        }
    }
}

/// Long enough to be nobody else's, and no number that is shown in part already.
fn is_whole(text: &str) -> bool {
    text.len() >= LENGTH_MIN && !text.starts_with(COVERED)
}

fn title(items: &Value, chosen: &Value) -> Option<String> {
    let choices = items["oneOf"].as_array()?;
    let choice = choices.iter().find(|choice| &choice["const"] == chosen && !NONE.iter().any(|none| chosen == none))?;
    Some(choice["title"].as_str()?.to_lowercase())
}
