//! A paper to keep: a title, facts, tables and a code become a PDF of A4 pages, in our own letters.
//!
//! Papers are tagged (PDF/UA-1): headings, tables with their labels, a figure with its words, title and language, so
//! that they are read aloud in their order. Fonts are embedded as what is used of them; Devanagari is shaped, not only
//! written.
//!
//! This crate knows nothing of journeys, of HTTP, or of what the words mean. A new kind of part is a variant of
//! [`PaperPart`], laid out in `layout.rs`; what marks a page is made of is drawn in `paint.rs`.

pub mod card;
mod code;
mod layout;
mod letters;
mod paint;

/// What is printed. All texts are as people read them, in the paper's language.
#[derive(Debug, Clone)]
pub struct Paper {
    pub title: String,
    /// BCP 47: `en`, `hi`.
    pub language: String,
    /// Name of whose paper it is; stands with the mark at the top.
    pub brand: String,
    /// Words beside the brand: when the paper was made.
    pub made: String,
    /// Small words at the foot of each page.
    pub legal: String,
    pub parts: Vec<PaperPart>,
}

#[derive(Debug, Clone)]
pub enum PaperPart {
    /// Labels and values; as a card it is what the paper is about.
    Facts {
        title: String,
        facts: Vec<Fact>,
        card: bool,
    },
    /// Amounts that add up.
    Table {
        title: String,
        rows: Vec<Row>,
    },
    Text {
        title: String,
        text: String,
    },
    /// Texts with a heading each: questions, steps.
    List {
        title: String,
        items: Vec<(String, String)>,
    },
    /// An address as a QR code, and as words with a link.
    Code {
        title: String,
        text: String,
        address: String,
    },
}

#[derive(Debug, Clone)]
pub struct Fact {
    pub label: String,
    pub value: String,
    /// Small words below the value.
    pub hint: String,
    pub look: Look,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    /// A number on its plate.
    Plate,
}

#[derive(Debug, Clone)]
pub struct Row {
    pub label: String,
    /// Small words below the label.
    pub detail: String,
    pub value: String,
    pub is_total: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the font `{0}` is not usable")]
    Font(String),
    #[error("the address is too long for a code: {0}")]
    Code(#[from] qrcode::types::QrError),
    #[error("the paper cannot be written: {0}")]
    Write(String),
}

/// The paper as a PDF file.
pub fn pdf(paper: &Paper) -> Result<Vec<u8>, Error> {
    let letters = letters::letters()?;
    paint::paint(paper, &layout::layout(paper, letters)?, letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::{Weight, letters};

    fn paper(language: &str, words: &str, facts: usize) -> Paper {
        let fact = |label: String, look| Fact { label, value: words.into(), hint: words.into(), look };
        let facts: Vec<Fact> = (0..facts).map(|at| fact(format!("{words} {at}"), Look::Plain)).collect();
        let card = [&facts[..4], &[fact("Plate".into(), Look::Plate)]].concat();
        let row = |is_total| Row { label: words.into(), detail: words.into(), value: "₹1,234.50".into(), is_total };
        Paper {
            title: words.into(),
            language: language.into(),
            brand: "Parcels".into(),
            made: "21 Nov 2026".into(),
            legal: words.repeat(12),
            parts: vec![
                PaperPart::Facts { title: words.into(), facts: card, card: true },
                PaperPart::Facts { title: words.into(), facts, card: false },
                PaperPart::Table { title: words.into(), rows: vec![row(false), row(true)] },
                PaperPart::Text { title: String::new(), text: words.repeat(20) },
                PaperPart::List { title: words.into(), items: vec![(words.into(), words.into()); 2] },
                PaperPart::Code {
                    title: words.into(),
                    text: words.into(),
                    address: "https://parcels.example/v/1".into(),
                },
            ],
        }
    }

    /// What PDF/UA-1 asks for is checked while it is written: tags, titles, language, a character for every glyph.
    #[test]
    fn papers_are_accessible_in_every_language_and_length() {
        for (language, words) in [("en", "Your parcel, at a glance – ₹5 "), ("hi", "आपकी पॉलिसी एक नज़र में, क्षेत्र ₹5 ")]
        {
            for (facts, is_short) in [(4, true), (120, false)] {
                let paper = paper(language, words, facts);
                let laid_out = layout::layout(&paper, letters().expect("fonts")).expect("a layout");
                assert_eq!(laid_out.grounds.len() == 1, is_short, "{language} {facts}");
                let bytes = pdf(&paper).expect("it is written");
                assert!(bytes.starts_with(b"%PDF-1.7"));
                assert!(bytes.windows(7).any(|window| window == b"pdfuaid"), "{language} {facts}");
                assert!(!is_short || bytes.len() < 100_000, "fonts are embedded as what is used: {}", bytes.len());
            }
        }
    }

    #[test]
    fn what_the_fonts_cannot_write_is_a_question_mark() {
        let letters = letters().expect("fonts");
        assert_eq!(letters.readable("Asha\u{a0}Rao 張 आशा"), "Asha Rao ? आशा");
    }

    #[test]
    fn devanagari_is_shaped() {
        let letters = letters().expect("fonts");
        let glyphs =
            |text: &str| letters.shape(text, Weight::Regular).iter().map(|run| run.glyphs.len()).sum::<usize>();
        assert_eq!(glyphs("abc"), 3);
        assert!(glyphs("क्ष") < "क्ष".chars().count());
        assert_eq!(letters.shape("GST का मूल्य ₹5", Weight::Bold).len(), 7);
    }

    #[test]
    fn lines_are_no_wider_than_their_place_and_lose_no_word() {
        let letters = letters().expect("fonts");
        let text = "यह कोड हमारे रिकॉर्ड तक ले जाता है and back again";
        let lines = letters.wrap(text, Weight::Regular, 10.0, 90.0);
        assert!(lines.len() > 1 && lines.iter().all(|line| letters.width(line, Weight::Regular, 10.0) <= 90.0));
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn the_code_reads_as_its_address() {
        let address = "https://parcels.example/v/AZq0d1mScXK8f4Yw5s9a2Lk7Nq3Rb6Vt1Gh0Jp";
        let code = code::squares(address).expect("a code");
        let (quiet, scale) = (4, 3);
        let side = (code.side + 2 * quiet) * scale;
        let is_dark = |x: usize, y: usize| {
            let place = |at: usize| (at / scale).checked_sub(quiet);
            place(y).zip(place(x)).is_some_and(|place| code.dark.contains(&place))
        };
        let shade = |x, y| if is_dark(x, y) { 0 } else { 255 };
        let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, shade);
        let read: Vec<String> = image.detect_grids().iter().map(|grid| grid.decode().expect("readable").1).collect();
        assert_eq!(read, [address]);
    }
}
