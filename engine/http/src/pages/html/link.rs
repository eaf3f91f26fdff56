//! The one place that lets an address into a page.

/// The address when it is relative, http, https, tel or mailto; `None` for anything that could run.
pub fn safe_url(url: &str) -> Option<&str> {
    let url = url.trim();
    if url.is_empty() || url.chars().any(|part| part.is_control()) || url.starts_with("//") || url.contains('\\') {
        return None;
    }
    let scheme_end = url
        .find(':')
        .filter(|end| url[..*end].chars().all(|part| part.is_ascii_alphanumeric() || matches!(part, '+' | '-' | '.')));
    match scheme_end.map(|end| url[..end].to_ascii_lowercase()).as_deref() {
        None => Some(url),
        Some("http" | "https" | "tel" | "mailto") => Some(url),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_addresses_pass() {
        for good in
            ["/a?b=c:d", "page", "#top", "https://x.example/", "HTTP://x", "tel:+911", "mailto:a@b", "?q=1", "/a:b"]
        {
            assert_eq!(safe_url(good), Some(good));
        }
        for bad in [
            "javascript:alert(1)",
            " JaVaScript:x",
            "java\nscript:x",
            "data:text/html,x",
            "//evil.example",
            "/\\evil",
            "vbscript:x",
            "",
        ] {
            assert_eq!(safe_url(bad), None, "{bad}");
        }
    }
}
