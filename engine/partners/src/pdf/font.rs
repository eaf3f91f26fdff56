//! The two standard fonts: which byte a character is, and how wide. Widths are the public metrics of Helvetica in
//! thousandths of the size; the fonts themselves are in every reader.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Font {
    Regular,
    Bold,
}

/// Bytes in WinAnsi encoding. The standard fonts have no rupee sign: it is written `Rs.`.
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' '..='~' | '\u{a1}'..='\u{ff}' => bytes.push(c as u32 as u8),
            '₹' => bytes.extend_from_slice(b"Rs. "),
            '€' => bytes.push(0x80),
            '…' => bytes.push(0x85),
            '‘' => bytes.push(0x91),
            '’' => bytes.push(0x92),
            '“' => bytes.push(0x93),
            '”' => bytes.push(0x94),
            '•' => bytes.push(0x95),
            '–' => bytes.push(0x96),
            '—' => bytes.push(0x97),
            c if c.is_whitespace() => bytes.push(b' '),
            _ => bytes.push(b'?'),
        }
    }
    bytes
}

/// Width of encoded text, in thousandths of a point at the given size.
pub fn width(bytes: &[u8], font: Font, size: u32) -> u32 {
    let table = match font {
        Font::Regular => &REGULAR,
        Font::Bold => &BOLD,
    };
    bytes
        .iter()
        .map(|byte| table.get(usize::from(*byte).wrapping_sub(32)).map_or(OTHER, |width| u32::from(*width)) * size)
        .sum()
}

/// Everything beyond ASCII counts as wide as most letters.
const OTHER: u32 = 611;

#[rustfmt::skip]
const REGULAR: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

#[rustfmt::skip]
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
    975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
    333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
    611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];
