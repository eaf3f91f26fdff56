//! How long a video is, by its headers, read while its bytes go by: nothing is decoded. Of a recording that says no
//! length, the time of its last part counts.

use crate::{ContentKind, Unfit};

/// What is kept of a file's head that tells of the rest.
const HEAD_MAX: usize = 4 * 1024 * 1024;
/// A cluster's or fragment's beginning.
const PIECE: usize = 256;

pub struct Video {
    kind: ContentKind,
    boxes: Boxes,
    clusters: Clusters,
}

impl Video {
    pub fn of(kind: ContentKind) -> Video {
        Video { kind, boxes: Boxes::default(), clusters: Clusters::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        match self.kind {
            ContentKind::Webm => self.clusters.push(bytes),
            _ => self.boxes.push(bytes),
        }
    }

    /// Length of the video in milliseconds.
    pub fn millis(&self) -> Result<u64, Unfit> {
        let found = match self.kind {
            ContentKind::Webm => self.clusters.millis(),
            _ => self.boxes.millis(),
        };
        found.filter(|ms| *ms > 0).ok_or(Unfit::Unreadable)
    }
}

/// MP4 and QuickTime: a row of boxes, each with its size.
#[derive(Default)]
struct Boxes {
    /// The head of the box that is being read.
    head: Vec<u8>,
    /// Bytes of the box that are still passed over.
    skip: u64,
    /// Size at which a box that is kept is there whole.
    keep: Option<usize>,
    moov: Vec<u8>,
    /// The last time that a fragment begins at, in the units of its track.
    last: u64,
    is_broken: bool,
}

impl Boxes {
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_broken {
            if self.skip > 0 {
                let passed = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
                self.skip -= passed as u64;
                bytes = bytes.get(passed..).unwrap_or_default();
                continue;
            }
            let wanted = self.keep.unwrap_or(if self.head.len() < 8 { 8 } else { 16 });
            let take = wanted.saturating_sub(self.head.len()).min(bytes.len());
            self.head.extend(bytes.get(..take).unwrap_or_default());
            bytes = bytes.get(take..).unwrap_or_default();
            if self.head.len() == wanted {
                self.decide();
            }
        }
    }

    fn decide(&mut self) {
        if self.keep.take().is_some() {
            let whole = std::mem::take(&mut self.head);
            if whole.get(4..8) == Some(b"moov") {
                self.moov = whole;
            } else {
                self.last = self.last.max(find(&whole, b"tfdt").and_then(decode_time).unwrap_or_default());
            }
            return;
        }
        let Some(size) = be(&self.head, 0, 4) else { return };
        let (size, header) = match size {
            1 if self.head.len() < 16 => return,
            1 => (be(&self.head, 8, 8).unwrap_or_default(), 16),
            // to the end of the file
            0 => (u64::MAX, 8),
            size => (size, 8),
        };
        if size < header {
            self.is_broken = true;
            return;
        }
        let kept = matches!(self.head.get(4..8), Some(b"moov" | b"moof"));
        match usize::try_from(size) {
            Ok(size) if kept && size <= HEAD_MAX => self.keep = Some(size),
            _ if kept => self.is_broken = true,
            _ => {
                let read = self.head.len() as u64;
                self.head.clear();
                // eight bytes of what follows may be read already
                self.skip = size.saturating_sub(read);
            }
        }
        if self.keep == Some(self.head.len()) {
            self.decide();
        }
    }

    fn millis(&self) -> Option<u64> {
        let header = find(&self.moov, b"mvhd")?;
        let (scale, length) = times(header)?;
        if length > 0 {
            return millis(length, scale);
        }
        let tracks = find(&self.moov, b"mdhd").and_then(times).map_or(scale, |(scale, _)| scale);
        match find(&self.moov, b"mehd").and_then(decode_time) {
            Some(length) if length > 0 => millis(length, scale),
            _ => millis(self.last, tracks),
        }
    }
}

/// Scale and length of a header of a film or a track.
fn times(header: &[u8]) -> Option<(u64, u64)> {
    match header.first()? {
        1 => Some((be(header, 20, 4)?, be(header, 24, 8)?)),
        _ => Some((be(header, 12, 4)?, be(header, 16, 4)?)),
    }
}

fn decode_time(content: &[u8]) -> Option<u64> {
    match content.first()? {
        1 => be(content, 4, 8),
        _ => be(content, 4, 4),
    }
}

/// What stands in the first box of this name, wherever it is.
fn find<'b>(bytes: &'b [u8], name: &[u8]) -> Option<&'b [u8]> {
    let at = bytes.windows(4).position(|window| window == name)?;
    bytes.get(at + 4..(at + 4 + PIECE).min(bytes.len()))
}

fn millis(length: u64, scale: u64) -> Option<u64> {
    length.checked_mul(1000)?.checked_div(scale)
}

fn be(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let part = bytes.get(at..at + len)?;
    Some(part.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// WebM: the length stands in its head, or each cluster says its time.
#[derive(Default)]
struct Clusters {
    head: Vec<u8>,
    /// The end of what was looked through, so that nothing is cut in two.
    tail: Vec<u8>,
    last: u64,
}

const CLUSTER: [u8; 4] = [0x1F, 0x43, 0xB6, 0x75];
const TAIL: usize = 32;
const WEBM_HEAD: usize = 64 * 1024;
/// A time in a unit of one millisecond, unless the head says another.
const SCALE: u64 = 1_000_000;

impl Clusters {
    fn push(&mut self, bytes: &[u8]) {
        let room = WEBM_HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend(bytes.get(..room).unwrap_or_default());
        self.tail.extend(bytes);
        for (at, _) in self.tail.windows(4).enumerate().filter(|(_, window)| *window == CLUSTER) {
            let after = self.tail.get(at + 4..(at + 4 + TAIL).min(self.tail.len())).unwrap_or_default();
            let time = after.iter().position(|byte| *byte == 0xE7).and_then(|place| number(after, place + 1));
            self.last = self.last.max(time.unwrap_or_default());
        }
        let kept = self.tail.len().saturating_sub(TAIL + 8);
        self.tail.drain(..kept);
    }

    fn millis(&self) -> Option<u64> {
        let scale = self.element(&[0x2A, 0xD7, 0xB1]).and_then(|at| number(&self.head, at)).unwrap_or(SCALE);
        let said = self.element(&[0x44, 0x89]).and_then(|at| float(&self.head, at));
        let units = match said {
            Some(length) if length >= 1.0 => length as u64,
            _ => self.last,
        };
        Some(units.checked_mul(scale)? / SCALE)
    }

    /// Position of an element's size.
    fn element(&self, id: &[u8]) -> Option<usize> {
        self.head.windows(id.len()).position(|window| window == id).map(|at| at + id.len())
    }
}

/// An integer whose size stands there.
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let size = usize::from(bytes.get(at)? & 0x7F);
    if !(1..=8).contains(&size) { None } else { be(bytes, at + 1, size) }
}

fn float(bytes: &[u8], at: usize) -> Option<f64> {
    match bytes.get(at)? & 0x7F {
        4 => Some(f64::from(f32::from_bits(u32::try_from(be(bytes, at + 1, 4)?).ok()?))),
        8 => Some(f64::from_bits(be(bytes, at + 1, 8)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(name: &[u8], content: &[u8]) -> Vec<u8> {
        let size = u32::try_from(content.len() + 8).expect("small").to_be_bytes();
        [&size, name, content].concat()
    }

    /// `moov` behind the pictures, as phones write it.
    fn mp4(seconds: u32) -> Vec<u8> {
        let mut header = vec![0; 12];
        header.extend(600u32.to_be_bytes());
        header.extend((600 * seconds).to_be_bytes());
        header.extend([0; 80]);
        let moov = boxed(b"moov", &boxed(b"mvhd", &header));
        [boxed(b"ftyp", b"mp42\0\0\0\0isom"), boxed(b"mdat", &[7; 5_000]), moov].concat()
    }

    fn length(kind: ContentKind, bytes: &[u8], piece: usize) -> Result<u64, Unfit> {
        let mut video = Video::of(kind);
        bytes.chunks(piece).for_each(|part| video.push(part));
        video.millis()
    }

    #[test]
    fn a_film_says_its_length_however_it_comes() {
        let film = mp4(35);
        for piece in [1, 7, 16, 1_000, film.len()] {
            assert_eq!(length(ContentKind::Mp4, &film, piece), Ok(35_000), "pieces of {piece}");
        }
        assert_eq!(length(ContentKind::Mp4, &film[..2_000], 64), Err(Unfit::Unreadable), "cut");
        assert_eq!(length(ContentKind::Mov, b"\0\0\0\x02moov", 8), Err(Unfit::Unreadable));
        assert_eq!(length(ContentKind::Mp4, &[0; 64], 8), Err(Unfit::Unreadable));
    }

    #[test]
    fn a_recording_without_a_length_has_the_time_of_its_last_part() {
        let mut film = vec![0x1A, 0x45, 0xDF, 0xA3, 0x84, b'w', b'e', b'b', b'm'];
        film.extend([0x2A, 0xD7, 0xB1, 0x83, 0x0F, 0x42, 0x40]);
        for second in [0u16, 10, 25] {
            film.extend(CLUSTER);
            film.extend([0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xE7, 0x82]);
            film.extend((second * 1_000).to_be_bytes());
            film.extend([9; 300]);
        }
        for piece in [13, 64, film.len()] {
            assert_eq!(length(ContentKind::Webm, &film, piece), Ok(25_000), "pieces of {piece}");
        }
    }
}
