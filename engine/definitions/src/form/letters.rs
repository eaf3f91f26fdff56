//! Letters and digits as people write them and as forms keep them. (web/src/renderer/form/letters.ts does the same; its
//! table is written from this one.)

use regex::Regex;
use regex_syntax::hir::{Class, HirKind};
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

/// What Unicode does not take apart, and how it is written with plain letters and signs.
pub const PLAIN: [(char, &str); 44] = [
    ('ß', "ss"),
    ('ẞ', "SS"),
    ('æ', "ae"),
    ('Æ', "Ae"),
    ('œ', "oe"),
    ('Œ', "Oe"),
    ('ø', "o"),
    ('Ø', "O"),
    ('ł', "l"),
    ('Ł', "L"),
    ('đ', "d"),
    ('Đ', "D"),
    ('ð', "d"),
    ('Ð', "D"),
    ('þ', "th"),
    ('Þ', "Th"),
    ('ħ', "h"),
    ('Ħ', "H"),
    ('ŧ', "t"),
    ('Ŧ', "T"),
    ('ŋ', "n"),
    ('Ŋ', "N"),
    ('ı', "i"),
    ('ĸ', "k"),
    ('ə', "e"),
    ('Ə', "E"),
    ('ɓ', "b"),
    ('Ɓ', "B"),
    ('ɗ', "d"),
    ('Ɗ', "D"),
    ('‘', "'"),
    ('’', "'"),
    ('ʼ', "'"),
    ('ʻ', "'"),
    ('′', "'"),
    ('“', "\""),
    ('”', "\""),
    ('‐', "-"),
    ('‑', "-"),
    ('–', "-"),
    ('—', "-"),
    ('−', "-"),
    ('⁄', "/"),
    ('∕', "/"),
];

/// Accents go, ligatures and wide letters are spelled out, `½` is `1/2` with a space behind a figure. Letters of other
/// scripts stay as they are.
pub fn latin(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut behind_figure = false;
    for c in text.chars() {
        let before = out.chars().next_back();
        if is_accent(c) && before.is_some_and(|b| b.is_ascii_alphabetic()) {
            continue;
        }
        let written = plain(c);
        let is_number = |text: &str| text.starts_with(|d: char| d.is_ascii_digit());
        let begins = digit(c).is_some() || written.as_deref().is_some_and(is_number);
        let is_figure = begins && digit(c).is_none();
        if begins && (is_figure || behind_figure) && before.is_some_and(|b| digit(b).is_some()) {
            out.push(' ');
        }
        behind_figure = is_figure;
        match written {
            Some(written) => out.push_str(&written),
            None => out.push(c),
        }
    }
    out
}

fn is_accent(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// A character with plain letters and signs alone; `None` when it cannot be written so.
fn plain(c: char) -> Option<String> {
    if c.is_ascii() {
        return Some(c.to_string());
    }
    let parts = std::iter::once(c).nfkd().filter(|part| !is_accent(*part));
    let written: String =
        parts.map(|part| transliterate(part).map_or_else(|| part.to_string(), str::to_owned)).collect();
    (written.is_ascii() && !written.is_empty()).then_some(written)
}

fn transliterate(c: char) -> Option<&'static str> {
    PLAIN.iter().find(|(from, _)| *from == c).map(|(_, to)| *to)
}

/// Writes digits of every script as 0 to 9.
pub fn digits(text: &str) -> String {
    text.chars().map(|c| digit(c).unwrap_or(c)).collect()
}

/// Reads a digit of any script: from zero to nine they stand together in each.
fn digit(c: char) -> Option<char> {
    static DIGITS: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c);
    }
    let all = DIGITS.get_or_init(|| match regex_syntax::parse(r"\p{Nd}").map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => {
            class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        _ => Vec::new(),
    });
    let at = u32::from(c);
    let (zero, _) = all.iter().find(|(from, to)| (*from..=*to).contains(&at))?;
    char::from_digit((at - zero) % 10, 10)
}

/// Letters, digits and what belongs to them, of scripts other than the English one. No step takes one away.
pub fn is_foreign(c: char) -> bool {
    static FOREIGN: OnceLock<Option<Regex>> = OnceLock::new();
    let foreign = FOREIGN.get_or_init(|| {
        Regex::new(r"[\p{L}\p{M}\p{N}--[\x{34f}\x{20d0}-\x{20ff}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}]]").ok()
    });
    !c.is_ascii() && foreign.as_ref().is_some_and(|foreign| foreign.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Whether nothing can be seen of a text.
pub fn is_blank(text: &str) -> bool {
    static VISIBLE: OnceLock<Option<Regex>> = OnceLock::new();
    let visible = VISIBLE.get_or_init(|| Regex::new(r"[^\p{Z}\p{Cc}\p{Cf}]").ok());
    !visible.as_ref().is_some_and(|visible| visible.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_latin_letters_plainly() {
        for (typed, written) in [
            ("José Peña", "Jose Pena"),
            ("Jose\u{301}", "Jose"),
            ("Łukasz Żak", "Lukasz Zak"),
            ("Nguyễn Văn An", "Nguyen Van An"),
            ("ﬁona Weiß", "fiona Weiss"),
            ("Śrī Ravi", "Sri Ravi"),
            ("Ａｓｈａ", "Asha"),
            ("D’Souza", "D'Souza"),
            ("12½ Lane", "12 1/2 Lane"),
            ("½2", "1/2 2"),
            ("१२½१", "१२ 1/2 १"),
            ("№ 12", "No 12"),
            ("आशा राव", "आशा राव"),
            ("й ά", "й ά"),
        ] {
            assert_eq!(latin(typed), written, "{typed}");
            assert_eq!(latin(written), written, "{typed}, twice");
        }
    }

    #[test]
    fn reads_digits_of_every_script() {
        for typed in ["९८७६५४३२१०", "٩٨٧٦٥٤٣٢١٠", "９８７６５４３２１０", "௯௮௭௬௫௪௩௨௧௦", "𝟗𝟖𝟕𝟔𝟓𝟒𝟑𝟐𝟏𝟎"]
        {
            assert_eq!(digits(typed), "9876543210");
        }
        assert_eq!(digits("MH १२"), "MH 12");
    }

    #[test]
    fn knows_what_belongs_to_other_scripts() {
        assert!("आशाéñа௫".chars().all(is_foreign));
        assert!(!"aZ09@😀\u{fe0f}\u{200b}’".chars().any(is_foreign));
        assert!(is_blank(" \u{a0}\u{200b}\u{feff}") && !is_blank("-") && !is_blank("😀"));
    }
}
