//! `multipart/form-data`: texts and files in one request, and how the sandbox reads them.

use crate::client::CallFile;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Writes content type and body; a value that is the id of a file is the file.
pub fn write(pairs: &[(String, String)], files: &[CallFile], key: &str) -> (String, Vec<u8>) {
    let boundary = format!("journey-{}", hex::encode(&Sha256::digest(key.as_bytes())[..16]));
    let mut body = Vec::new();
    for (name, value) in pairs {
        let name = quote(name);
        body.extend(format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"").bytes());
        match files.iter().find(|file| file.id == *value) {
            Some(file) => {
                let (called, kind) = (quote(&file.name), quote(&file.media_type));
                body.extend(format!("; filename=\"{called}\"\r\nContent-Type: {kind}\r\n\r\n").bytes());
                body.extend(&file.bytes);
            }
            None => {
                body.extend(b"\r\n\r\n");
                body.extend(value.bytes());
            }
        }
        body.extend(b"\r\n");
    }
    body.extend(format!("--{boundary}--\r\n").bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// Quotes a text as HTML says it: what would end the text is written otherwise.
fn quote(text: &str) -> String {
    text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// Texts as they are, of files `{name, type, size}`.
pub fn read(body: &[u8], boundary: &str) -> Map<String, Value> {
    let mark = format!("--{boundary}").into_bytes();
    let ends: Vec<usize> =
        body.windows(mark.len()).enumerate().filter(|(_, part)| *part == mark).map(|(at, _)| at).collect();
    ends.windows(2).filter_map(|part| one(body.get(part[0] + mark.len() + 2..part[1].checked_sub(2)?)?)).collect()
}

fn one(part: &[u8]) -> Option<(String, Value)> {
    let gap = part.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, content) = (std::str::from_utf8(part.get(..gap)?).ok()?, part.get(gap + 4..)?);
    let said = |word: &str| head.split(word).nth(1)?.split('"').next();
    let name = said("; name=\"")?.to_owned();
    let value = match said("; filename=\"") {
        Some(file) => {
            let kind = head.split("Content-Type: ").nth(1).unwrap_or_default().trim();
            json!({"name": file, "type": kind, "size": content.len()})
        }
        None => Value::from(String::from_utf8_lossy(content)),
    };
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let file = CallFile {
            id: "f1".into(),
            name: "a\"b.jpg".into(),
            media_type: "image/jpeg".into(),
            sha256: String::new(),
            bytes: b"\xFF\xD8\r\n--not the end".to_vec(),
        };
        let pairs = [("kind".to_owned(), "x".to_owned()), ("file".to_owned(), "f1".to_owned())];
        let (kind, body) = write(&pairs, &[file], "key");
        let boundary = kind.strip_prefix("multipart/form-data; boundary=").expect("a boundary");
        let expected = json!({"kind": "x", "file": {"name": "a%22b.jpg", "type": "image/jpeg", "size": 17}});
        assert_eq!(Value::Object(read(&body, boundary)), expected);
    }
}
