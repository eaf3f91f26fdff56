//! A picture is made anew: upright, at most so large, without anything but its pixels. What does not decode within the
//! bounds is not taken.

use crate::{ContentKind, Unfit};
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, Limits, RgbImage, imageops};
use std::io::Cursor;

#[derive(Debug, Clone, Copy)]
pub struct PictureRules {
    /// Least length of one side, `height_min` of the other, whichever way the picture is held; 0: any.
    pub width_min: u32,
    pub height_min: u32,
    pub pixels_max: u64,
    /// Longer side of the picture that is kept.
    pub side_max: u32,
    /// Longer side of the picture's preview.
    pub preview_max: u32,
}

pub struct Picture {
    pub jpeg: Vec<u8>,
    pub preview: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

const QUALITY: u8 = 85;
const PREVIEW_QUALITY: u8 = 75;
/// Passes over all pixels that a JPEG may ask for: a camera needs one, a progressive one about ten.
const SCANS_MAX: usize = 64;

/// Pixels of a picture, as its header says; `None` where it has none.
pub fn picture(kind: ContentKind, bytes: &[u8], rules: &PictureRules) -> Result<Picture, Unfit> {
    let source = Cursor::new(bytes);
    match kind {
        ContentKind::Jpeg => {
            if !is_whole(bytes) {
                return Err(Unfit::Unreadable);
            }
            re_encode(JpegDecoder::new(source).map_err(unreadable)?, rules)
        }
        ContentKind::Png => re_encode(PngDecoder::new(source).map_err(unreadable)?, rules),
        ContentKind::Webp => re_encode(WebPDecoder::new(source).map_err(unreadable)?, rules),
        ContentKind::Heic => Err(Unfit::Heic),
        _ => Err(Unfit::Type),
    }
}

/// Whether a JPEG goes on to its end, in a few passes: a decoder would fill up with grey what is missing. What a camera
/// puts behind the end is nobody's.
fn is_whole(bytes: &[u8]) -> bool {
    let (mut at, mut scans) = (2, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == 0xFF)) {
        at += found + 1;
        let Some(marker) = bytes.get(at) else { break };
        match marker {
            // filling, a byte of a pass that looks like a marker, a place to begin anew
            0xFF => continue,
            0x00 | 0x01 | 0xD0..=0xD7 => at += 1,
            0xD9 => return scans > 0,
            _ => {
                scans += usize::from(*marker == 0xDA);
                let length = bytes.get(at + 1..at + 3).map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]));
                if scans > SCANS_MAX || length < 2 {
                    break;
                }
                at += 1 + length;
            }
        }
    }
    false
}

fn unreadable(_: image::ImageError) -> Unfit {
    Unfit::Unreadable
}

fn re_encode(mut decoder: impl ImageDecoder, rules: &PictureRules) -> Result<Picture, Unfit> {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > rules.pixels_max {
        return Err(Unfit::Pixels);
    }
    let (longer, shorter) = (width.max(height), width.min(height));
    if longer < rules.width_min.max(rules.height_min) || shorter < rules.width_min.min(rules.height_min) || pixels == 0
    {
        return Err(Unfit::Small);
    }
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(rules.pixels_max.saturating_mul(8));
    decoder.set_limits(limits).map_err(unreadable)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let decoded = DynamicImage::from_decoder(decoder).map_err(unreadable)?;
    let small = smaller(on_white(decoded), rules.side_max);
    let mut upright = DynamicImage::ImageRgb8(small);
    upright.apply_orientation(orientation);
    let upright = upright.into_rgb8();
    let (width, height) = upright.dimensions();
    let jpeg = encode(&upright, QUALITY)?;
    let preview = encode(&smaller(upright, rules.preview_max), PREVIEW_QUALITY)?;
    Ok(Picture { jpeg, preview, width, height })
}

/// What can be seen through is white behind.
fn on_white(picture: DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.into_rgb8();
    }
    let seen = picture.into_rgba8();
    RgbImage::from_fn(seen.width(), seen.height(), |x, y| {
        let [r, g, b, a] = seen.get_pixel(x, y).0;
        let over = |part: u8| ((u16::from(part) * u16::from(a) + 255 * (255 - u16::from(a))) / 255) as u8;
        image::Rgb([over(r), over(g), over(b)])
    })
}

/// Each pixel the mean of those that it stands for; never larger.
fn smaller(picture: RgbImage, side_max: u32) -> RgbImage {
    let (width, height) = picture.dimensions();
    let longer = width.max(height);
    if longer <= side_max {
        return picture;
    }
    let side = |of: u32| (u64::from(of) * u64::from(side_max) / u64::from(longer)).max(1) as u32;
    imageops::thumbnail(&picture, side(width), side(height))
}

fn encode(picture: &RgbImage, quality: u8) -> Result<Vec<u8>, Unfit> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality).encode_image(picture).map_err(unreadable)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::ImageEncoder;
    use image::codecs::png::PngEncoder;

    const RULES: PictureRules =
        PictureRules { width_min: 64, height_min: 48, pixels_max: 1_000_000, side_max: 200, preview_max: 32 };

    fn sample(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| image::Rgb([x as u8, y as u8, if x < width / 2 { 255 } else { 0 }]))
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let picture = sample(width, height);
        PngEncoder::new(&mut bytes)
            .write_image(picture.as_raw(), width, height, image::ExtendedColorType::Rgb8)
            .expect("a PNG");
        bytes
    }

    /// The header of a PNG carries a sum.
    fn sum_of(png: &mut [u8]) {
        let mut sum = flate2::Crc::new();
        sum.update(&png[12..29]);
        png[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    }

    /// `orientation` 6: the camera was held upright, and the place stands beside it.
    fn turned_jpeg(orientation: u8) -> Vec<u8> {
        let jpeg = encode(&sample(400, 300), 90).expect("a JPEG");
        let mut tiff = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
        tiff.extend([orientation, 0, 0, 0, 0, 0, 0]);
        tiff.extend(b"GPSLatitude 28.6139");
        let mut all = vec![0xFF, 0xD8, 0xFF, 0xE1];
        all.extend(u16::try_from(tiff.len() + 2).expect("short").to_be_bytes());
        all.extend(tiff);
        all.extend(&jpeg[2..]);
        all
    }

    #[test]
    fn it_is_upright_and_says_nothing_of_where_it_was_taken() {
        let bytes = turned_jpeg(6);
        assert!(bytes.windows(11).any(|part| part == b"GPSLatitude"));
        let made = picture(ContentKind::Jpeg, &bytes, &RULES).expect("a picture");
        assert_eq!((made.width, made.height), (150, 200));
        assert!(!made.jpeg.windows(3).any(|part| part == b"GPS"), "the place is gone");
        assert!(!made.jpeg.windows(4).any(|part| part == b"Exif"));
        assert!(!made.preview.windows(4).any(|part| part == b"Exif"));
        let level = picture(ContentKind::Jpeg, &turned_jpeg(1), &RULES).expect("a picture");
        assert_eq!((level.width, level.height), (200, 150));
    }

    #[test]
    fn too_small_too_large_and_broken() {
        let of = |kind, bytes: &[u8]| picture(kind, bytes, &RULES).map(|made| (made.width, made.height));
        assert_eq!(of(ContentKind::Png, &png(100, 80)), Ok((100, 80)));
        assert_eq!(of(ContentKind::Png, &png(48, 64)), Ok((48, 64)), "held the other way");
        assert_eq!(of(ContentKind::Png, &png(63, 48)), Err(Unfit::Small));
        assert_eq!(of(ContentKind::Png, &png(2000, 1000)), Err(Unfit::Pixels));
        assert_eq!(of(ContentKind::Png, &png(100, 80)[..200]), Err(Unfit::Unreadable));
        assert_eq!(of(ContentKind::Jpeg, &png(100, 80)), Err(Unfit::Unreadable));
        let jpeg = encode(&sample(100, 80), 90).expect("a JPEG");
        assert_eq!(of(ContentKind::Jpeg, &[jpeg.as_slice(), b"a film behind it"].concat()), Ok((100, 80)));
        assert_eq!(of(ContentKind::Jpeg, &jpeg[..jpeg.len() / 2]), Err(Unfit::Unreadable), "cut");
        let passes = [&jpeg[..2], &[0xFF, 0xDA, 0, 2].repeat(100), &jpeg[2..]].concat();
        assert_eq!(of(ContentKind::Jpeg, &passes), Err(Unfit::Unreadable));
        // A header that promises what nobody could hold.
        let mut bomb = png(100, 80);
        bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
        sum_of(&mut bomb);
        assert_eq!(of(ContentKind::Png, &bomb), Err(Unfit::Pixels));
    }
}
