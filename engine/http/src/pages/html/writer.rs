//! Writing HTML in which no text can become markup.

/// A growing page. Tags and attribute names are fixed text of the program; values and texts are escaped.
#[derive(Debug, Default)]
pub struct Html(String);

impl Html {
    /// Markup written in the program; never something that came from outside.
    pub fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Markup of the drawing engine, which escapes by itself.
    pub fn drawn(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    pub fn open(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) -> &mut Self {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.attribute(name, value);
        }
        self.0.push('>');
        self
    }

    pub fn close(&mut self, tag: &'static str) -> &mut Self {
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        escape(&mut self.0, text);
        self
    }

    /// `<tag …>text</tag>`
    pub fn element(&mut self, tag: &'static str, attributes: &[(&'static str, &str)], text: &str) -> &mut Self {
        self.open(tag, attributes).text(text).close(tag)
    }

    /// JSON for `<script type="application/json">`: `<`, `>` and `&` cannot end or open anything.
    pub fn json(&mut self, value: &impl serde::Serialize) -> &mut Self {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "null".into());
        for part in text.chars() {
            match part {
                '<' => self.0.push_str("\\u003c"),
                '>' => self.0.push_str("\\u003e"),
                '&' => self.0.push_str("\\u0026"),
                '\u{2028}' => self.0.push_str("\\u2028"),
                '\u{2029}' => self.0.push_str("\\u2029"),
                other => self.0.push(other),
            }
        }
        self
    }

    pub fn into_string(self) -> String {
        self.0
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        escape(&mut self.0, value);
        self.0.push('"');
    }
}

/// Attributes stand in double quotes, so an apostrophe is only an apostrophe.
fn escape(out: &mut String, text: &str) {
    for part in text.chars() {
        match part {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0' => {}
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        let mut html = Html::default();
        html.element("p", &[("title", "\"><script>")], "<b>&'");
        html.json(&"</script><!--");
        assert_eq!(
            html.into_string(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;'</p>\"\\u003c/script\\u003e\\u003c!--\""
        );
    }
}
