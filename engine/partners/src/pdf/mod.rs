//! A plain A4 document from headings, rows of label and value, and lines of text.
//!
//! A fake partner hands it out as its paper. The same input gives the same bytes.

mod font;
mod layout;
mod write;

use serde_json::Value;

/// `{title, subtitle?, sections: [{heading?, rows: [[label, value]…], lines: [text…]}]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    pub title: String,
    pub subtitle: String,
    pub sections: Vec<Section>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    pub heading: String,
    /// A value that is an amount (`₹1,234.00`) stands at the right margin; an empty label spans nothing.
    pub rows: Vec<(String, String)>,
    pub lines: Vec<String>,
}

/// The bytes of the document.
pub fn render(document: &Document) -> Vec<u8> {
    write::pages(&layout::pages(document), &document.title)
}

impl Document {
    /// Reads what a script gives; anything that is not text is written as it is, a missing part is empty.
    pub fn from_json(json: &Value) -> Document {
        let sections = list(&json["sections"]).iter().map(|section| Section {
            heading: text(&section["heading"]),
            rows: list(&section["rows"]).iter().map(|row| (text(&row[0]), text(&row[1]))).collect(),
            lines: list(&section["lines"]).iter().map(text).collect(),
        });
        Document { title: text(&json["title"]), subtitle: text(&json["subtitle"]), sections: sections.collect() }
    }
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn text(json: &Value) -> String {
    match json {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "Yes".into(),
        Value::Bool(false) => "No".into(),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => json.to_string(),
    }
}
