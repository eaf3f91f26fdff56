//! The picture that a shared link gets: title, a line and whose page it is, drawn in our own letters as a PNG.

use crate::Error;
use crate::letters::{Letters, Weight, letters};
use rustybuzz::ttf_parser::{GlyphId, OutlineBuilder};

/// What is drawn. All texts are as people read them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Card {
    pub title: String,
    /// Smaller words below.
    pub line: String,
    /// Name of whose page it is.
    pub brand: String,
}

type Colour = [u8; 3];

const BRAND: Colour = [0x0a, 0x55, 0x60];
const GLOW: Colour = [0xf4, 0xb9, 0x3a];
const WHITE: Colour = [0xff, 0xff, 0xff];
const SOFT: Colour = [0xbf, 0xe0, 0xe1];

/// Room on the left and right.
const MARGIN: f32 = 80.0;
/// Lines that fit, of each.
const TITLE_LINES: usize = 3;
const LINES: usize = 3;

/// The picture, so many pixels wide and high.
pub fn png(card: &Card, (width, height): (usize, usize)) -> Result<Vec<u8>, Error> {
    let letters = letters()?;
    let mut canvas = Canvas::new(width, height);
    let across = width as f32 - 2.0 * MARGIN;
    let mut y = 170.0;
    for line in cut(letters.wrap(&card.title, Weight::Bold, 68.0, across), TITLE_LINES) {
        canvas.write(letters, &line, (Weight::Bold, 68.0, WHITE), MARGIN, y);
        y += 84.0;
    }
    y += 6.0;
    for line in cut(letters.wrap(&card.line, Weight::Regular, 34.0, across), LINES) {
        canvas.write(letters, &line, (Weight::Regular, 34.0, SOFT), MARGIN, y);
        y += 48.0;
    }
    let foot = height as f32 - 64.0;
    canvas.fill_box(MARGIN, foot - 26.0, 26.0, 26.0, GLOW);
    canvas.write(letters, &letters.readable(&card.brand), (Weight::Bold, 36.0, WHITE), MARGIN + 44.0, foot);
    canvas.fill_box(0.0, height as f32 - 14.0, width as f32, 14.0, GLOW);
    canvas.png()
}

/// The first lines; where words are left out the last one says so.
fn cut(mut lines: Vec<String>, max: usize) -> Vec<String> {
    if lines.len() > max {
        lines.truncate(max);
        if let Some((shorter, _)) = lines.last().and_then(|last| last.rsplit_once(' ')) {
            let shorter = format!("{shorter} …");
            lines.pop();
            lines.push(shorter);
        }
    }
    lines
}

/// Pixels, and how much of each the shape covers that is being drawn.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Colour>,
    /// Changes of what is covered, from left to right in each row; a row has one place more than pixels.
    edges: Vec<f32>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Canvas {
        let size = width * height;
        Canvas { width, height, pixels: vec![BRAND; size], edges: vec![0.0; height * (width + 1)] }
    }

    fn fill_box(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        let (right, bottom) = (x + width, y + height);
        self.edge((x, y), (x, bottom));
        self.edge((right, bottom), (right, y));
        self.fill(colour);
    }

    /// One line of text, its letters standing on `y`.
    fn write(&mut self, letters: &Letters, text: &str, look: (Weight, f32, Colour), mut x: f32, y: f32) {
        let (weight, size, colour) = look;
        for run in letters.shape(text, weight) {
            let scale = size / run.font.units_per_em();
            for glyph in &run.glyphs {
                let origin = (x + glyph.x_offset * size, y - glyph.y_offset * size);
                let mut pen = Pen { canvas: self, origin, scale, start: origin, at: origin };
                run.face.outline_glyph(GlyphId(glyph.glyph_id.to_u32() as u16), &mut pen);
                x += glyph.x_advance * size;
            }
        }
        self.fill(colour);
    }

    /// Takes in one side of a shape.
    fn edge(&mut self, from: (f32, f32), to: (f32, f32)) {
        let (direction, top, bottom) = if from.1 < to.1 { (1.0, from, to) } else { (-1.0, to, from) };
        if top.1 == bottom.1 {
            return;
        }
        let slope = (bottom.0 - top.0) / (bottom.1 - top.1);
        let first = top.1.max(0.0) as usize;
        let last = (bottom.1.ceil().max(0.0) as usize).min(self.height);
        for row in first..last {
            let upper = top.1.max(row as f32);
            let lower = bottom.1.min(row as f32 + 1.0);
            if lower <= upper {
                continue;
            }
            let at = |y: f32| (top.0 + (y - top.1) * slope).clamp(0.0, self.width as f32 - 0.001);
            let (left, right) = (at(upper).min(at(lower)), at(upper).max(at(lower)));
            self.spread(row * (self.width + 1), left, right, direction * (lower - upper));
        }
    }

    /// Spreads a side's height over the pixels that it crosses in one row, from `row` on.
    fn spread(&mut self, row: usize, left: f32, right: f32, height: f32) {
        let (first, last) = (left as usize, right as usize);
        let width = right - left;
        let mut covered = 0.0;
        for column in first..=last {
            let (start, end) = (column as f32, column as f32 + 1.0);
            // a side covers all of a pixel on its right, and of a pixel that it crosses what lies on its right
            let area = if width > f32::EPSILON {
                let (from, to) = (left.max(start), right.min(end));
                height * ((to - from) * (end - (from + to) / 2.0) + (start - left).max(0.0)) / width
            } else {
                height * (end - left)
            };
            self.edges[row + column] += area - covered;
            covered = area;
        }
        self.edges[row + last + 1] += height - covered;
    }

    /// Colours what the sides enclose.
    fn fill(&mut self, colour: Colour) {
        for (row, edges) in self.pixels.chunks_mut(self.width).zip(self.edges.chunks(self.width + 1)) {
            let mut covered = 0.0_f32;
            for (pixel, edge) in row.iter_mut().zip(edges) {
                covered += edge;
                let share = covered.abs().min(1.0);
                if share > 0.002 {
                    for (old, new) in pixel.iter_mut().zip(colour) {
                        *old = (f32::from(*old) + (f32::from(new) - f32::from(*old)) * share).round() as u8;
                    }
                }
            }
        }
        self.edges.fill(0.0);
    }

    fn png(&self) -> Result<Vec<u8>, Error> {
        let wrong = |error: png::EncodingError| Error::Write(error.to_string());
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(wrong)?;
        writer.write_image_data(self.pixels.as_flattened()).map_err(wrong)?;
        writer.finish().map_err(wrong)?;
        Ok(out)
    }
}

/// Draws the outline of a glyph as short straight sides.
struct Pen<'c> {
    canvas: &'c mut Canvas,
    origin: (f32, f32),
    scale: f32,
    start: (f32, f32),
    at: (f32, f32),
}

/// Straight sides of one curve.
const STEPS: u8 = 8;

impl Pen<'_> {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.origin.0 + x * self.scale, self.origin.1 - y * self.scale)
    }

    fn go(&mut self, to: (f32, f32)) {
        self.canvas.edge(self.at, to);
        self.at = to;
    }
}

impl OutlineBuilder for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.at = self.place(x, y);
        self.start = self.at;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.go(self.place(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (from, by, to) = (self.at, self.place(x1, y1), self.place(x, y));
        for step in 1..=STEPS {
            let t = f32::from(step) / f32::from(STEPS);
            let of = |a: f32, b: f32, c: f32| (1.0 - t) * (1.0 - t) * a + 2.0 * (1.0 - t) * t * b + t * t * c;
            self.go((of(from.0, by.0, to.0), of(from.1, by.1, to.1)));
        }
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (from, one, two, to) = (self.at, self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        for step in 1..=STEPS {
            let t = f32::from(step) / f32::from(STEPS);
            let rest = 1.0 - t;
            let of = |a: f32, b: f32, c: f32, d: f32| {
                rest.powi(3) * a + 3.0 * rest * rest * t * b + 3.0 * rest * t * t * c + t.powi(3) * d
            };
            self.go((of(from.0, one.0, two.0, to.0), of(from.1, one.1, two.1, to.1)));
        }
    }

    fn close(&mut self) {
        self.go(self.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_covers_its_pixels_and_halves_of_those_at_its_border() {
        let mut canvas = Canvas::new(8, 4);
        canvas.fill_box(1.0, 1.0, 2.5, 2.0, [0, 0, 0]);
        let row = |at: usize| canvas.pixels[at * 8..(at + 1) * 8].iter().map(|pixel| pixel[1]).collect::<Vec<_>>();
        assert_eq!(row(0), [0x55; 8]);
        assert_eq!(row(1), [0x55, 0, 0, 43, 0x55, 0x55, 0x55, 0x55]);
        assert_eq!(row(3), [0x55; 8]);
    }

    #[test]
    fn a_card_is_a_small_picture_of_its_words() {
        let words = "Large parcels to the hills: what they cost, and what a day more takes off the price of ₹60,000";
        let of = |title: &str| Card { title: title.into(), line: words.into(), brand: "Parcels".into() };
        let size = (1200, 630);
        let picture = png(&of(words), size).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG") && picture.len() < 300_000, "{}", picture.len());
        assert_ne!(picture, png(&of("पार्सल: पहाड़ तक का दाम"), size).expect("a picture"));
    }

    #[test]
    fn words_that_do_not_fit_are_left_out_and_it_is_said() {
        let lines = |n: usize| (0..n).map(|at| format!("line {at}")).collect::<Vec<_>>();
        assert_eq!(cut(lines(2), 2), ["line 0", "line 1"]);
        assert_eq!(cut(lines(3), 2), ["line 0", "line …"]);
    }
}
