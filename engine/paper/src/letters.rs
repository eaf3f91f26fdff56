//! The fonts of a paper: which of them has a character, how a text is shaped, how wide it is, where it wraps.

use crate::Error;
use krilla::text::{Font, GlyphId, KrillaGlyph};
use rustybuzz::{Face, UnicodeBuffer};
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Bold,
}

/// A regular and a bold font.
type Pair = [&'static [u8]; 2];

/// Scripts in the order in which they are asked for a character.
const SCRIPTS: [(&str, Pair); 3] = [
    ("latin", [include_bytes!("../fonts/latin-regular.ttf"), include_bytes!("../fonts/latin-bold.ttf")]),
    ("rupee", [include_bytes!("../fonts/rupee-regular.ttf"), include_bytes!("../fonts/rupee-bold.ttf")]),
    ("devanagari", [include_bytes!("../fonts/devanagari-regular.ttf"), include_bytes!("../fonts/devanagari-bold.ttf")]),
];

pub struct Letters {
    regular: Vec<Script>,
    bold: Vec<Script>,
}

struct Script {
    font: Font,
    face: Face<'static>,
}

/// Neighbouring characters of one font, shaped.
pub struct Run<'f> {
    pub font: Font,
    pub face: &'f Face<'static>,
    pub glyphs: Vec<KrillaGlyph>,
    /// Width in ems.
    pub width: f32,
}

static LETTERS: LazyLock<Result<Letters, String>> = LazyLock::new(Letters::load);

/// Letters that are read once and kept as long as the process lives.
pub fn letters() -> Result<&'static Letters, Error> {
    LETTERS.as_ref().map_err(|name| Error::Font(name.clone()))
}

impl Letters {
    fn load() -> Result<Letters, String> {
        let fonts = |weight: usize| -> Result<Vec<Script>, String> {
            SCRIPTS.iter().map(|(name, fonts)| Script::read(fonts[weight]).ok_or_else(|| (*name).to_owned())).collect()
        };
        Ok(Letters { regular: fonts(0)?, bold: fonts(1)? })
    }

    fn of(&self, weight: Weight) -> &[Script] {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// The text as these fonts can write it: white space is a blank, what none of them has a question mark.
    pub fn readable(&self, text: &str) -> String {
        let known = |c: char| self.regular.iter().any(|script| script.has(c));
        text.chars()
            .map(|c| {
                if c.is_whitespace() {
                    ' '
                } else if known(c) {
                    c
                } else {
                    '?'
                }
            })
            .collect()
    }

    /// The glyphs refer to `text`.
    pub fn shape(&self, text: &str, weight: Weight) -> Vec<Run<'_>> {
        let scripts = self.of(weight);
        let mut pieces: Vec<(usize, usize)> = Vec::new();
        for (at, c) in text.char_indices() {
            // a character that the font before also has stays with it: it may join its neighbours
            let last = pieces.last().map(|(script, _)| *script).filter(|script| scripts[*script].has(c));
            let script = last.or_else(|| scripts.iter().position(|script| script.has(c))).unwrap_or_default();
            if pieces.last().is_none_or(|(last, _)| *last != script) {
                pieces.push((script, at));
            }
        }
        let ends = pieces.iter().skip(1).map(|(_, start)| *start).chain([text.len()]);
        pieces.iter().zip(ends).map(|(&(script, start), end)| scripts[script].shape(&text[start..end], start)).collect()
    }

    /// Width of a text in points.
    pub fn width(&self, text: &str, weight: Weight, size: f32) -> f32 {
        self.shape(text, weight).iter().map(|run| run.width).sum::<f32>() * size
    }

    /// Wraps a text to lines no wider than that; a word that is wider stands alone.
    pub fn wrap(&self, text: &str, weight: Weight, size: f32, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in self.readable(text).split(' ').filter(|word| !word.is_empty()) {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            match (longer.filter(|line| self.width(line, weight, size) <= width), lines.last_mut()) {
                (Some(longer), Some(last)) => *last = longer,
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

impl Script {
    fn read(bytes: &'static [u8]) -> Option<Script> {
        Some(Script { font: Font::new(bytes.into(), 0)?, face: Face::from_slice(bytes, 0)? })
    }

    fn has(&self, c: char) -> bool {
        self.face.glyph_index(c).is_some()
    }

    /// `start`: where the piece begins in the whole text.
    fn shape(&self, piece: &str, start: usize) -> Run<'_> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(piece);
        buffer.guess_segment_properties();
        let shaped = rustybuzz::shape(&self.face, &[], buffer);
        let infos = shaped.glyph_infos();
        let em = |units: i32| units as f32 / self.font.units_per_em();
        let end_of = |cluster: u32| {
            let next = infos.iter().map(|info| info.cluster).filter(|other| *other > cluster).min();
            start + next.map_or(piece.len(), |next| next as usize)
        };
        let glyphs: Vec<KrillaGlyph> = infos
            .iter()
            .zip(shaped.glyph_positions())
            .map(|(info, at)| {
                let range = start + info.cluster as usize..end_of(info.cluster);
                let (x, y) = (em(at.x_offset), em(at.y_offset));
                KrillaGlyph::new(GlyphId::new(info.glyph_id), em(at.x_advance), x, y, em(at.y_advance), range, None)
            })
            .collect();
        let width = glyphs.iter().map(|glyph| glyph.x_advance).sum();
        Run { font: self.font.clone(), face: &self.face, glyphs, width }
    }
}
