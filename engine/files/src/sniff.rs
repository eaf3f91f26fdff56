//! What begins so: the first bytes decide, never a name.

/// Kind of what people send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    Picture,
    Pdf,
    Video,
}

impl Media {
    pub const ALL: [Media; 3] = [Media::Picture, Media::Pdf, Media::Video];

    pub const fn word(self) -> &'static str {
        match self {
            Media::Picture => "picture",
            Media::Pdf => "pdf",
            Media::Video => "video",
        }
    }

    pub fn of_word(word: &str) -> Option<Media> {
        Media::ALL.into_iter().find(|media| media.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    Jpeg,
    Png,
    Webp,
    Heic,
    Pdf,
    Mp4,
    Mov,
    Webm,
}

impl ContentKind {
    pub fn media(self) -> Media {
        match self {
            ContentKind::Jpeg | ContentKind::Png | ContentKind::Webp | ContentKind::Heic => Media::Picture,
            ContentKind::Pdf => Media::Pdf,
            ContentKind::Mp4 | ContentKind::Mov | ContentKind::Webm => Media::Video,
        }
    }

    /// Media type as the file is kept: pictures are made anew.
    pub fn media_type(self) -> &'static str {
        match self {
            ContentKind::Jpeg | ContentKind::Png | ContentKind::Webp | ContentKind::Heic => "image/jpeg",
            ContentKind::Pdf => "application/pdf",
            ContentKind::Mp4 => "video/mp4",
            ContentKind::Mov => "video/quicktime",
            ContentKind::Webm => "video/webm",
        }
    }

    /// Ending of the name that the file gets.
    pub fn ending(self) -> &'static str {
        match self {
            ContentKind::Jpeg | ContentKind::Png | ContentKind::Webp | ContentKind::Heic => "jpg",
            ContentKind::Pdf => "pdf",
            ContentKind::Mp4 => "mp4",
            ContentKind::Mov => "mov",
            ContentKind::Webm => "webm",
        }
    }
}

/// Bytes at the head that are enough to know.
const BRANDS_END: usize = 64;
const HEIC: [&[u8]; 10] = [b"heic", b"heix", b"hevc", b"hevx", b"heim", b"heis", b"mif1", b"msf1", b"avif", b"avis"];

/// Kind of a file by its first bytes; `None`: nothing that is taken anywhere.
pub fn sniff(head: &[u8]) -> Option<ContentKind> {
    match head {
        [0xFF, 0xD8, 0xFF, ..] => Some(ContentKind::Jpeg),
        [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Some(ContentKind::Png),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ContentKind::Webp),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some(ContentKind::Pdf),
        [0x1A, 0x45, 0xDF, 0xA3, ..] => {
            let is_webm = head.get(..BRANDS_END.min(head.len()))?.windows(4).any(|word| word == b"webm");
            is_webm.then_some(ContentKind::Webm)
        }
        [_, _, _, _, b'f', b't', b'y', b'p', rest @ ..] => brand(rest),
        // films of old cameras say no brand
        [_, _, _, _, b'm', b'o', b'o', b'v' | b'f', ..] | [_, _, _, _, b'w', b'i', b'd', b'e', ..] => {
            Some(ContentKind::Mov)
        }
        _ => None,
    }
}

fn brand(rest: &[u8]) -> Option<ContentKind> {
    let major = rest.get(..4)?;
    let all = rest.get(..BRANDS_END.min(rest.len()))?;
    let video = [b"isom", b"iso2", b"mp41", b"mp42", b"avc1", b"iso5", b"iso6", b"M4V ", b"3gp4", b"3gp5", b"mmp4"];
    if major == b"qt  " {
        return Some(ContentKind::Mov);
    }
    if HEIC.contains(&major) {
        return Some(ContentKind::Heic);
    }
    let knows = |word: &[u8]| video.iter().any(|brand| brand.as_slice() == word);
    (knows(major) || all.chunks_exact(4).any(knows)).then_some(ContentKind::Mp4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_decide() {
        for (head, kind) in [
            (b"\xFF\xD8\xFF\xE0".as_slice(), Some(ContentKind::Jpeg)),
            (b"\x89PNG\r\n\x1a\n", Some(ContentKind::Png)),
            (b"RIFF\x00\x00\x00\x00WEBPVP8 ", Some(ContentKind::Webp)),
            (b"%PDF-1.7", Some(ContentKind::Pdf)),
            (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", Some(ContentKind::Heic)),
            (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isom", Some(ContentKind::Mp4)),
            (b"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00qt  ", Some(ContentKind::Mov)),
            (b"\x1A\x45\xDF\xA3\x9f\x42\x86\x81\x01\x42\x82\x84webm", Some(ContentKind::Webm)),
            (b"\x1A\x45\xDF\xA3\x9f\x42\x86\x81\x01\x42\x82\x88matroska", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'>", None),
            (b"<!doctype html>", None),
            (b"GIF89a", None),
            (b"PK\x03\x04", None),
            (b" %PDF-1.4", None),
            (b"MZ", None),
            (b"", None),
        ] {
            assert_eq!(sniff(head), kind, "{}", String::from_utf8_lossy(head));
        }
    }
}
