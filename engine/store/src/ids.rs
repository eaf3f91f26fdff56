//! How ids and keys are kept: compactly, and without loss for any text.
//!
//! 32 lower-case hex digits (a simple UUID, half a SHA-256) take 16 bytes, 64 take 32, a UUID with hyphens 17;
//! any other text is kept as it is behind a tag.

use crate::{EffectKey, Result, StoreError};

const UUID: u8 = 1;
const TEXT: u8 = 2;
/// A text whose tagged form would have the length of a bare id.
const PADDED: u8 = 3;

pub(crate) fn pack(text: &str) -> Vec<u8> {
    if matches!(text.len(), 32 | 64)
        && let Some(bytes) = from_hex(text.as_bytes())
    {
        return bytes;
    }
    if text.len() == 36
        && [8, 13, 18, 23].iter().all(|&at| text.as_bytes()[at] == b'-')
        && let Some(bytes) = from_hex(text.replace('-', "").as_bytes())
        && bytes.len() == 16
    {
        return [&[UUID], bytes.as_slice()].concat();
    }
    let tag: &[u8] = if matches!(text.len() + 1, 16 | 32) { &[PADDED, 0] } else { &[TEXT] };
    [tag, text.as_bytes()].concat()
}

pub(crate) fn unpack(bytes: &[u8], column: &'static str) -> Result<String> {
    let corrupt = |reason: &str| StoreError::Corrupt { column, reason: reason.to_owned() };
    let text = |rest: &[u8]| String::from_utf8(rest.to_vec()).map_err(|e| corrupt(&e.to_string()));
    match bytes {
        _ if matches!(bytes.len(), 16 | 32) => Ok(to_hex(bytes)),
        [UUID, rest @ ..] if rest.len() == 16 => {
            let hex = to_hex(rest);
            Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
        }
        [TEXT, rest @ ..] | [PADDED, 0, rest @ ..] => text(rest),
        _ => Err(corrupt("unknown form of id")),
    }
}

/// Events of a journey have 20 bits for `seq`, effects 12 more for their index; 31 remain for the journey's number.
pub(crate) const SEQ_MAX: i64 = (1 << 20) - 1;
pub(crate) const INDEX_MAX: i32 = (1 << 12) - 1;

pub(crate) fn effect_id(journey: i64, seq: i64, index: i32) -> i64 {
    journey << 32 | seq << 12 | i64::from(index)
}

/// The part of an effect's id below the journey's number.
pub(crate) fn effect_place(key: &EffectKey) -> i64 {
    effect_id(0, key.seq, key.index)
}

pub(crate) fn effect_key(journey: String, id: i64) -> EffectKey {
    EffectKey { journey, seq: id >> 12 & SEQ_MAX, index: (id & i64::from(INDEX_MAX)) as i32 }
}

/// Whether (seq, index) has a place in an effect's id.
pub(crate) fn fits(seq: i64, index: i32) -> bool {
    (0..=SEQ_MAX).contains(&seq) && (0..=INDEX_MAX).contains(&index)
}

fn from_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    digits.chunks(2).map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect()
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from(if half < 10 { b'0' + half } else { b'a' + half - 10 }));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back() {
        for (text, bytes) in [
            ("0123456789abcdef0123456789abcdef", 16),
            ("0123456789ABCDEF0123456789abcdef", 33),
            ("01234567-89ab-cdef-0123-456789abcdef", 17),
            ("fifteen letters", 17),
            ("exactly thirty-one letters here", 33),
            ("", 1),
            ("naïve", 7),
            (&"a0".repeat(32), 32),
        ] {
            let packed = pack(text);
            assert_eq!(packed.len(), bytes, "{text}");
            assert_eq!(unpack(&packed, "id").ok().as_deref(), Some(text));
        }
        let key = EffectKey { journey: "j".into(), seq: SEQ_MAX, index: INDEX_MAX };
        assert_eq!(effect_key("j".into(), effect_id((1 << 31) - 1, key.seq, key.index)), key);
    }
}
