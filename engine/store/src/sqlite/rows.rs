//! Rows of many commits as two parameters: `[[…],[…]]` in JSON, read in SQL with `jsonb_each` and `value ->> i`, and one
//! blob with everything long, which a row names by place and length: documents are neither escaped nor parsed on the way.
//! One statement per table then writes a whole batch, whatever its size, and its text never changes.

use serde_json::Value;

#[derive(Default)]
pub struct Rows {
    text: String,
    long: Vec<u8>,
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
        use std::fmt::Write;
        self.separate();
        // writing to a text never fails
        let _ = write!(self.text, "{value}");
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

    /// A short text; it takes one field.
    pub fn text(&mut self, value: &str) -> &mut Self {
        self.separate();
        if value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:; ".contains(&b)) {
            self.text.push('"');
            self.text.push_str(value);
            self.text.push('"');
        } else {
            self.text.push_str(&Value::from(value).to_string());
        }
        self
    }

    /// Takes two fields, as do [`Rows::long`] and [`Rows::json`]: place (from 1) and length in the blob.
    pub fn bytes(&mut self, value: &[u8]) -> &mut Self {
        let place = self.long.len();
        self.long.extend_from_slice(value);
        self.named(place)
    }

    pub fn no_bytes(&mut self) -> &mut Self {
        self.null().null()
    }

    pub fn long(&mut self, value: &str) -> &mut Self {
        self.bytes(value.as_bytes())
    }

    /// The document as its text.
    pub fn json(&mut self, value: &Value) -> &mut Self {
        let place = self.long.len();
        // a value can always be written
        let _ = serde_json::to_writer(&mut self.long, value);
        self.named(place)
    }

    /// The two parameters.
    pub fn finish(mut self) -> (String, Vec<u8>) {
        if self.count == 0 {
            return ("[]".into(), self.long);
        }
        self.text.push_str("]]");
        (self.text, self.long)
    }

    fn named(&mut self, place: usize) -> &mut Self {
        let length = self.long.len() - place;
        self.int(place as i64 + 1).int(length as i64)
    }

    fn separate(&mut self) {
        if !self.text.ends_with('[') {
            self.text.push(',');
        }
    }
}

/// What a statement says for short: `v[i]` is field i of the row `r`, `b[i]` the bytes and `t[i]` the text that fields i and
/// i + 1 name.
pub fn expand(statement: &str) -> String {
    let mut out = String::with_capacity(statement.len() * 3);
    let mut rest = statement;
    while let Some(at) = rest.find('[') {
        let Some((index, after)) = rest[at + 1..].split_once(']') else { break };
        let (before, kind) = rest.split_at(at - 1);
        out.push_str(before);
        let i: usize = index.parse().unwrap_or_default();
        match &kind[..1] {
            "v" => out.push_str(&format!("r.value ->> {i}")),
            "b" => out.push_str(&format!("substr($long, r.value ->> {i}, r.value ->> {})", i + 1)),
            _ => out.push_str(&format!("cast(substr($long, r.value ->> {i}, r.value ->> {}) as text)", i + 1)),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `$rows` and `$long` become the parameters `first` and `first + 1`.
pub fn numbered(statement: &str, first: usize) -> String {
    statement.replace("$rows", &format!("${first}")).replace("$long", &format!("${}", first + 1))
}
