//! Functions on texts.

use crate::values::type_error;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const TEXT_BYTES_MAX: usize = 64 * 1024;

/// Words that people read, with `{{name}}` places.
pub fn say(words: &str, places: &Value, language: &str) -> Result<Value, String> {
    crate::text::Text::in_language(words, language)?.render(places).map(Value::String)
}

/// A person's name as `{first, middle, last}`, null where it has none. The last two words are one part where `together`
/// has them, in small letters: `d souza`.
pub fn name_parts(name: &str, together: &Value) -> Result<Value, String> {
    let pairs = together.as_array().ok_or_else(|| type_error("a list", together))?;
    let words: Vec<&str> = name.split_whitespace().collect();
    let (first, rest) = words.split_at(words.len().min(1));
    let is_pair = |pair: &[&str]| pairs.iter().any(|one| one.as_str() == Some(&pair.join(" ").to_lowercase()));
    let two = rest.len().checked_sub(2).filter(|at| is_pair(&rest[*at..]));
    let (middle, last) = rest.split_at(two.unwrap_or(rest.len().saturating_sub(1)));
    let part = |words: &[&str]| (!words.is_empty()).then(|| words.join(" "));
    Ok(json!({"first": part(first), "middle": part(middle), "last": part(last)}))
}

/// `mobile`: all but the last digits as stars, five of ten; `email`: the inner part of the local name;
/// `last4`: all but the last four characters, of a shorter one half; `number`: all but the last third, at most four, as X, which a number of
/// letters and digits may hold.
pub fn mask(text: &str, kind: &str) -> Result<String, String> {
    let chars: Vec<char> = text.chars().collect();
    Ok(match kind {
        "mobile" => {
            let hidden = chars.len().saturating_sub(5).max(chars.len().min(5));
            chars.iter().enumerate().map(|(i, c)| if i < hidden { '*' } else { *c }).collect()
        }
        "email" => match text.split_once('@') {
            Some((local, domain)) => {
                let count = local.chars().count();
                let is_shown = |i: usize| count > 1 && i == 0 || count > 2 && i + 1 == count;
                let masked = local.chars().enumerate().map(|(i, c)| if is_shown(i) { c } else { '*' });
                format!("{}@{domain}", masked.collect::<String>())
            }
            None => "*".repeat(chars.len()),
        },
        "number" => {
            let shown = (chars.len() / 3).min(4);
            chars.iter().enumerate().map(|(i, c)| if i + shown < chars.len() { 'X' } else { *c }).collect()
        }
        "last4" => {
            let shown = if chars.len() > 4 { 4 } else { chars.len() / 2 };
            chars.iter().enumerate().map(|(i, c)| if i + shown < chars.len() { '*' } else { *c }).collect()
        }
        _ => return Err(format!("`mask` knows mobile, email, number and last4, not `{kind}`")),
    })
}

/// How personal data of a kind is shown to whoever is not the customer: `mobile` and `email` as [`mask`] has them, names
/// and addresses word by word, anything else as a number.
pub fn mask_personal(text: &str, kind: &str) -> String {
    let number = |part: &str| mask(part, "number").unwrap_or_default();
    match kind {
        "mobile" | "email" => mask(text, kind).unwrap_or_default(),
        "name" | "address" => text.split(' ').map(number).collect::<Vec<_>>().join(" "),
        _ => number(text),
    }
}

pub fn replace(text: &str, from: &str, to: &str) -> Result<Value, String> {
    if from.is_empty() {
        return Ok(Value::String(text.to_owned()));
    }
    let length = text.len() + text.matches(from).count() * to.len();
    if length > TEXT_BYTES_MAX {
        return Err("the text becomes too long".into());
    }
    Ok(Value::String(text.replace(from, to)))
}

/// Makes the first letter of every word upper case, the rest lower case.
pub fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut start = true;
    for c in text.chars() {
        if start {
            out.extend(c.to_uppercase())
        } else {
            out.extend(c.to_lowercase())
        }
        start = !c.is_alphanumeric() && c != '\'';
    }
    out
}

pub fn join(list: &Value, separator: &str) -> Result<Value, String> {
    let items = list.as_array().ok_or_else(|| type_error("a list", list))?;
    let parts: Vec<String> = items.iter().filter(|v| !v.is_null()).map(crate::text::plain).collect();
    if parts.iter().map(|p| p.len() + separator.len()).sum::<usize>() > TEXT_BYTES_MAX {
        return Err("the text becomes too long".into());
    }
    Ok(Value::String(parts.join(separator)))
}

pub fn split(text: &str, separator: &str) -> Result<Value, String> {
    if separator.is_empty() {
        return Err("`split` needs a separator".into());
    }
    Ok(text.split(separator).map(str::to_owned).collect::<Vec<_>>().into())
}

/// Hash of a text by FNV-1a, 31 bits: a short stable number for samples, not for security.
pub fn hash(text: &str) -> i64 {
    let hash = text.bytes().fold(0x811c_9dc5_u32, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    i64::from((hash ^ (hash >> 15)) & 0x7fff_ffff)
}

/// UUID of a text, always the same: version 8 of RFC 9562, from the SHA-256 of the text.
pub fn uuid(text: &str) -> String {
    let mut bytes = Sha256::digest(text.as_bytes());
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex::encode(&bytes[..16]);
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R5-40, R5-41.
    #[test]
    fn masks_what_is_personal() {
        for (text, kind, expected) in [
            ("9876543210", "mobile", "*****43210"),
            ("rahul@example.com", "email", "r***l@example.com"),
            ("ab@x.in", "email", "a*@x.in"),
            ("a@b.co", "email", "*@b.co"),
            ("123456789012", "last4", "********9012"),
            ("9012", "last4", "**12"),
            ("12", "mobile", "**"),
        ] {
            assert_eq!(mask(text, kind).as_deref(), Ok(expected));
        }
    }

    /// R3-55.
    #[test]
    fn every_word_of_a_name_is_in_one_part() {
        let together = json!(["d souza"]);
        for (name, first, middle, last) in [
            ("Asha", Some("Asha"), None, None),
            ("Asha Rao", Some("Asha"), None, Some("Rao")),
            ("Anthony D Souza", Some("Anthony"), None, Some("D Souza")),
            ("D Souza", Some("D"), None, Some("Souza")),
            ("Maria Ana D Souza", Some("Maria"), Some("Ana"), Some("D Souza")),
            ("Rahul D Sharma", Some("Rahul"), Some("D"), Some("Sharma")),
            ("", None, None, None),
        ] {
            let expected = json!({"first": first, "middle": middle, "last": last});
            assert_eq!(name_parts(name, &together), Ok(expected), "{name}");
        }
    }
}
