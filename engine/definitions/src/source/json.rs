//! JSON text → nodes with positions. Strict RFC 8259, duplicate keys refused.

use super::{Budget, Key, Node, Span, Value, duplicate};
use engine_statechart::Problem;
use std::collections::HashMap;
use std::sync::Arc;

pub fn read(file: &Arc<str>, text: &str) -> (Option<Node>, Vec<Problem>) {
    let mut reader =
        JsonReader { file, text, at: 0, line: 1, line_start: 0, budget: Budget::new(), problems: Vec::new() };
    let result = reader.value(1).and_then(|node| {
        reader.space();
        if reader.at < text.len() { Err(reader.wrong("text after the end of the document")) } else { Ok(node) }
    });
    match result {
        Ok(node) => (Some(node), reader.problems),
        Err(problem) => {
            reader.problems.push(problem);
            (None, reader.problems)
        }
    }
}

struct JsonReader<'a> {
    file: &'a Arc<str>,
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    budget: Budget,
    problems: Vec<Problem>,
}

impl JsonReader<'_> {
    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        self.space();
        let span = self.span();
        self.budget.take(1, &span)?;
        let value = match self.peek() {
            Some(b'{') => {
                Budget::depth(depth, &span)?;
                self.object(depth)?
            }
            Some(b'[') => {
                Budget::depth(depth, &span)?;
                self.array(depth)?
            }
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'a'..=b'z') => self.word()?,
            Some(_) => return Err(self.wrong("a value is expected here")),
            None => return Err(self.wrong("the file ends too early")),
        };
        Ok(Node::new(span, value))
    }

    fn object(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut entries = Vec::new();
        let mut seen: HashMap<String, Span> = HashMap::new();
        loop {
            self.space();
            if seen.is_empty() && self.take(b'}') {
                return Ok(Value::Map(entries));
            }
            let span = self.span();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a key in double quotes is expected here"));
            }
            let key = Key { span: span.clone(), name: self.string()? };
            let first = seen.get(&key.name).cloned();
            match &first {
                Some(first) => self.problems.push(duplicate(&key, first)),
                None => {
                    seen.insert(key.name.clone(), span);
                }
            }
            self.space();
            if !self.take(b':') {
                return Err(self.wrong("`:` is expected here"));
            }
            let value = self.value(depth + 1)?;
            if first.is_none() {
                entries.push((key, value));
            }
            self.space();
            if self.take(b'}') {
                return Ok(Value::Map(entries));
            }
            if !self.take(b',') {
                return Err(self.wrong("`,` or `}` is expected here"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.space();
            if items.is_empty() && self.take(b']') {
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.wrong("`,` or `]` is expected here"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start + 1;
        loop {
            match bytes.get(end) {
                None | Some(b'\n') => return Err(self.wrong("the text is not closed")),
                Some(b'"') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
            }
        }
        let raw = self.text.get(start..=end).ok_or_else(|| self.wrong("the text is not closed"))?;
        let text = serde_json::from_str::<String>(raw)
            .map_err(|_| self.wrong("the text holds an illegal character or escape"))?;
        self.at = end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Value, Problem> {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let raw = &rest[..length];
        let number: serde_json::Number = serde_json::from_str(raw).map_err(|_| self.wrong("not a number"))?;
        let value = match number.as_i64() {
            Some(i) => Value::Int(i),
            None if number.is_u64() => return Err(self.wrong("the number is too large for an integer")),
            None => Value::Float(number.as_f64().unwrap_or_default()),
        };
        self.at += length;
        Ok(value)
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let rest = &self.text[self.at..];
        for (word, value) in [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)] {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("a value is expected here"))
    }

    fn space(&mut self) {
        while let Some(b) = self.peek() {
            match b {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                _ => return,
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn span(&self) -> Span {
        let column = self.text[self.line_start..self.at].chars().count() as u32 + 1;
        Span::new(self.file, self.line, column)
    }

    fn wrong(&self, message: &str) -> Problem {
        Problem::error("syntax", &self.span(), message)
    }
}
