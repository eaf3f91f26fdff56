//! Thousands of files that are made to hurt: none takes long, none panics, and what comes out of one is a plain picture, or
//! the file is refused.

use engine_files::{ContentKind, Media, PictureRules, Video, pdf, picture, sniff};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use std::time::{Duration, Instant};

const FILES: u64 = 10_000;
const RULES: PictureRules =
    PictureRules { width_min: 8, height_min: 8, pixels_max: 4_000_000, side_max: 128, preview_max: 32 };
/// A build for tests is slow; nobody waits for minutes either way.
const LONGEST: Duration = Duration::from_secs(20);

/// Random numbers, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

fn samples() -> Vec<Vec<u8>> {
    let (width, height) = (96, 64);
    let noise =
        RgbImage::from_fn(width, height, |x, y| Rgb([((x * 7) ^ (y * 13)) as u8, (x * y) as u8, (x + y) as u8]));
    let (mut jpeg, mut png, mut webp) = (Vec::new(), Vec::new(), Vec::new());
    JpegEncoder::new_with_quality(&mut jpeg, 80).encode_image(&noise).expect("a JPEG");
    PngEncoder::new(&mut png).write_image(noise.as_raw(), width, height, ExtendedColorType::Rgb8).expect("a PNG");
    WebPEncoder::new_lossless(&mut webp)
        .write_image(noise.as_raw(), width, height, ExtendedColorType::Rgb8)
        .expect("a WebP");
    let paper = b"%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[3 0 R]>> \
        endobj\n3 0 obj <</Type/Page>> endobj\n4 0 obj <</Type/ObjStm/Filter/FlateDecode/N 1/First 4>>\nstream\n\x78\x9c\
        \x03\x00\x00\x00\x00\x01\nendstream endobj\n%%EOF\n";
    let mut film = b"\0\0\0\x18ftypmp42\0\0\0\0isommp42\0\0\0\x14mdat0123456789ab\0\0\0\x74moov\0\0\0\x6cmvhd".to_vec();
    film.extend([0; 12]);
    film.extend([0, 0, 2, 88, 0, 0, 82, 8]);
    film.extend([0; 80]);
    let mut web = b"\x1A\x45\xDF\xA3\x84webm\x2A\xD7\xB1\x83\x0F\x42\x40\x44\x89\x88\x40\xDF\x40\0\0\0\0\0".to_vec();
    web.extend(b"\x1F\x43\xB6\x75\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xE7\x82\x27\x10");
    web.extend([9; 400]);
    vec![jpeg, png, webp, paper.to_vec(), film, web]
}

/// One change out of many.
fn hurt(file: &mut Vec<u8>, others: &[Vec<u8>], chance: &mut Chance) {
    let len = file.len();
    let at = chance.below(len);
    match chance.below(10) {
        0 => file.truncate(at),
        1 => (0..1 + chance.below(20)).for_each(|_| {
            let at = chance.below(len);
            if let Some(byte) = file.get_mut(at) {
                *byte = chance.next() as u8;
            }
        }),
        2 => {
            let part: Vec<u8> = (0..chance.below(64)).map(|_| chance.next() as u8).collect();
            file.splice(at..at, part);
        }
        3 => {
            let end = (at + chance.below(64)).min(len);
            file.drain(at..end);
        }
        // sizes and lengths that promise much
        4 => file.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0xFF),
        5 => file.iter_mut().skip(at).take(4).for_each(|byte| *byte = 0),
        6 => {
            let other = &others[chance.below(others.len())];
            let from = chance.below(other.len());
            file.truncate(at);
            file.extend(&other[from..]);
        }
        7 => {
            let again = file.get(at..(at + 200).min(len)).map(<[u8]>::to_vec).unwrap_or_default();
            (0..chance.below(50)).for_each(|_| file.extend(&again));
        }
        8 => {
            let words: [&[u8]; 8] = [
                b"/JavaScript",
                b"/Encrypt 1 0 R",
                b"<script>",
                b"stream\n",
                b"\xFF\xDA\xFF\xDA\xFF\xDA",
                b"IHDR\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF",
                b"moov\0\0\0\x01",
                b"Exif\0\0MM\0\x2a\xFF\xFF\xFF\xFF",
            ];
            let word = words[chance.below(words.len())].to_vec();
            file.splice(at..at, word);
        }
        _ => file.rotate_left(at.min(16)),
    }
}

fn look(file: &[u8]) {
    let Some(kind) = sniff(file) else { return };
    match kind.media() {
        Media::Picture => {
            let Ok(made) = picture(kind, file, &RULES) else { return };
            assert_eq!(sniff(&made.jpeg), Some(ContentKind::Jpeg));
            assert!(made.width <= RULES.side_max && made.height <= RULES.side_max);
            for kept in [&made.jpeg, &made.preview] {
                assert!(image::load_from_memory(kept).is_ok(), "what is kept is a picture");
                assert!(!kept.windows(4).any(|part| part == b"Exif"), "and nothing else");
            }
        }
        Media::Pdf => {
            if pdf(file, 30).is_ok() {
                assert!(file.starts_with(b"%PDF-"), "it is nothing else");
            }
        }
        Media::Video => {
            let mut video = Video::of(kind);
            file.chunks(1 + file.len() % 97).for_each(|part| video.push(part));
            let _ = video.millis();
        }
    }
}

#[test]
fn no_file_hurts() {
    let samples = samples();
    samples.iter().for_each(|whole| look(whole));
    for seed in 1..=FILES {
        let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut file = samples[chance.below(samples.len())].clone();
        for _ in 0..1 + chance.below(4) {
            hurt(&mut file, &samples, &mut chance);
        }
        let begun = Instant::now();
        look(&file);
        assert!(begun.elapsed() < LONGEST, "seed {seed} took {:?}", begun.elapsed());
    }
}
