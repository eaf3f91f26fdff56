//! Rows of many commits as one JSON parameter: `[[…],[…]]`, read in SQL with `jsonb_each($n)` and `value ->> i`.
//! One statement per table then writes a whole batch, whatever its size, and its text never changes.

use crate::ids::to_hex;
use serde_json::Value;

#[derive(Default)]
pub struct Rows {
    text: String,
    pub count: usize,
}

impl Rows {
    pub fn of_part(_: usize) -> Self {
        Rows::default()
    }

    /// Starts a row; its fields follow.
    pub fn row(&mut self) -> &mut Self {
        self.text.push_str(if self.count == 0 { "[[" } else { "],[" });
        self.count += 1;
        self
    }

    pub fn int(&mut self, value: i64) -> &mut Self {
        self.separate();
        self.text.push_str(&value.to_string());
        self
    }

    pub fn maybe(&mut self, value: Option<i64>) -> &mut Self {
        match value {
            Some(value) => self.int(value),
            None => self.null(),
        }
    }

    pub fn null(&mut self) -> &mut Self {
        self.separate();
        self.text.push_str("null");
        self
    }

    pub fn text(&mut self, value: &str) -> &mut Self {
        self.separate();
        self.text.push_str(&Value::from(value).to_string());
        self
    }

    /// Read with `unhex(value ->> i)`.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.separate();
        self.text.push('"');
        self.text.push_str(&to_hex(value));
        self.text.push('"');
        self
    }

    /// The document as its text.
    pub fn json(&mut self, value: &Value) -> &mut Self {
        self.text(&value.to_string())
    }

    pub fn finish(mut self) -> String {
        if self.count == 0 {
            return "[]".into();
        }
        self.text.push_str("]]");
        self.text
    }

    fn separate(&mut self) {
        if !self.text.ends_with('[') {
            self.text.push(',');
        }
    }
}
