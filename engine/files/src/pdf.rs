//! A PDF is kept as it came, so it may do nothing but show pages: no scripts, no files inside, no password. Nothing is
//! interpreted: names are looked for in all of its bytes and in the packed objects, which alone may hide them.

use crate::Unfit;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Names of what does something; written with `#41` too, which is read first.
const ACTIVE: [&[u8]; 9] = [
    b"JavaScript",
    b"Launch",
    b"EmbeddedFile",
    b"EmbeddedFiles",
    b"RichMedia",
    b"Rendition",
    b"XFA",
    b"ImportData",
    b"SubmitForm",
];
const ENCRYPTED: &[u8] = b"Encrypt";
const NAME_MAX: usize = 127;
/// Most unpacked bytes of one group of objects, and of all.
const GROUP_MAX: u64 = 8 * 1024 * 1024;
const GROUPS_MAX: u64 = 48 * 1024 * 1024;
/// How far before its bytes a group says what it is.
const DICT_MAX: usize = 4 * 1024;
/// Mark of the end: after it may stand no more than line breaks, or else it is something else as well.
const END: &[u8] = b"%%EOF";
const ZIP_END: &[u8] = b"PK\x05\x06";
const ZIP_END_MAX: usize = 66_000;

/// How many pages it has.
pub fn pdf(bytes: &[u8], pages_max: u32) -> Result<u32, Unfit> {
    let last = rfind(bytes, END).ok_or(Unfit::Unreadable)?;
    let rest = bytes.get(last + END.len()..).unwrap_or_default();
    let tail = bytes.get(bytes.len().saturating_sub(ZIP_END_MAX)..).unwrap_or_default();
    if !rest.iter().all(|byte| is_space(*byte)) || rfind(tail, ZIP_END).is_some() {
        return Err(Unfit::Unreadable);
    }
    let mut seen = Seen::default();
    seen.read(bytes);
    if seen.is_encrypted {
        return Err(Unfit::Password);
    }
    let mut left = GROUPS_MAX;
    for at in finds(bytes, b"stream") {
        if let Some(group) = packed_objects(bytes, at, &mut left)? {
            seen.read(&group);
        }
    }
    if seen.is_active {
        return Err(Unfit::Script);
    }
    let pages = match seen.counted {
        0 => seen.pages,
        counted => seen.pages.min(counted),
    };
    match pages {
        0 => Err(Unfit::Unreadable),
        pages if pages > pages_max => Err(Unfit::Pages),
        pages => Ok(pages),
    }
}

#[derive(Default)]
struct Seen {
    is_active: bool,
    is_encrypted: bool,
    /// Objects that are a page, those of earlier versions of the file too.
    pages: u32,
    /// The largest number that a tree of pages says.
    counted: u32,
}

impl Seen {
    fn read(&mut self, bytes: &[u8]) {
        let mut at = 0;
        let mut is_type = false;
        while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'/')) {
            let begin = at + found + 1;
            let (name, end) = name(bytes, begin);
            let name = name.as_slice();
            self.is_active |= ACTIVE.contains(&name);
            self.is_encrypted |= name == ENCRYPTED;
            if is_type && name == b"Page" {
                self.pages = self.pages.saturating_add(1);
            }
            if name == b"Count" {
                self.counted = self.counted.max(number(bytes, end));
            }
            is_type = name == b"Type"
                && bytes.get(end..).is_some_and(|rest| rest.iter().find(|byte| !is_space(**byte)) == Some(&b'/'));
            at = end.max(begin);
        }
    }
}

/// The name that begins there, and where it ends.
fn name(bytes: &[u8], begin: usize) -> (Vec<u8>, usize) {
    let (mut name, mut at) = (Vec::new(), begin);
    while let Some(byte) = bytes.get(at).copied().filter(|byte| !is_space(*byte) && !b"/<>[](){}%".contains(byte)) {
        if name.len() > NAME_MAX {
            break;
        }
        let digits = bytes.get(at + 1..at + 3).filter(|_| byte == b'#');
        let written = digits.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        name.push(written.unwrap_or(byte));
        at += if written.is_some() { 3 } else { 1 };
    }
    (name, at)
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let rest = bytes.get(at..).unwrap_or_default();
    let digits = rest.iter().skip_while(|byte| is_space(**byte)).take_while(|byte| byte.is_ascii_digit()).take(9);
    digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// The objects that are packed in the stream whose keyword stands there; `None`: it has none.
fn packed_objects(bytes: &[u8], at: usize, left: &mut u64) -> Result<Option<Vec<u8>>, Unfit> {
    let before = bytes.get(at.saturating_sub(DICT_MAX)..at).unwrap_or_default();
    if at >= 3 && bytes.get(at - 3..at) == Some(b"end") || !before.trim_ascii_end().ends_with(b">>") {
        return Ok(None);
    }
    let dict = before.get(rfind(before, b"obj").unwrap_or_default()..).unwrap_or_default();
    let named = names(dict);
    let has = |word: &[u8]| named.iter().any(|name| name == word);
    if !has(b"ObjStm") {
        return Ok(None);
    }
    // Nobody packs them otherwise but who wants to hide something.
    if !has(b"FlateDecode")
        || has(b"Predictor")
        || named.iter().any(|name| name != b"FlateDecode" && name.ends_with(b"Decode"))
    {
        return Err(Unfit::Unreadable);
    }
    let start = at + b"stream".len();
    let start = start + usize::from(bytes.get(start) == Some(&b'\r'));
    let start = start + usize::from(bytes.get(start) == Some(&b'\n'));
    let limit = GROUP_MAX.min(*left);
    let mut group = Vec::new();
    let mut unpacked = ZlibDecoder::new(bytes.get(start..).unwrap_or_default()).take(limit + 1);
    // A damaged end leaves what came before it, which is what a reader shows too.
    let _ = unpacked.read_to_end(&mut group);
    let size = group.len() as u64;
    if size > limit {
        return Err(Unfit::Unreadable);
    }
    *left -= size;
    Ok(Some(group))
}

fn names(dict: &[u8]) -> Vec<Vec<u8>> {
    let slashes = dict.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.map(|(at, _)| name(dict, at + 1).0).collect()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

fn rfind(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).rposition(|window| window == part)
}

fn finds<'b>(bytes: &'b [u8], part: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    bytes.windows(part.len()).enumerate().filter(move |(_, window)| *window == part).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::io::Write;

    fn file(objects: &str) -> Vec<u8> {
        let pages = "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj 3 0 obj <</Type /Page /Parent 2 0 R>> endobj";
        format!("%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R {objects} >> endobj {pages}\ntrailer <</Root 1 0 R>>\n%%EOF\n").into_bytes()
    }

    fn with_packed(filter: &str, inside: &[u8]) -> Vec<u8> {
        let mut pack = ZlibEncoder::new(Vec::new(), Compression::default());
        pack.write_all(inside).expect("in memory");
        let packed = pack.finish().expect("in memory");
        let mut all = file("");
        all.truncate(all.len() - 6);
        all.extend(format!("9 0 obj <</Type/ObjStm/N 1/First 4/Filter{filter}>>\nstream\r\n").bytes());
        all.extend(packed);
        all.extend(b"\nendstream endobj\n%%EOF\n");
        all
    }

    #[test]
    fn pages_and_what_is_not_taken() {
        assert_eq!(pdf(&file(""), 30), Ok(1));
        assert_eq!(pdf(&file("/OpenAction <</S/JavaScript/JS(app.alert(1))>>"), 30), Err(Unfit::Script));
        assert_eq!(pdf(&file("/OpenAction <</S/Java#53cript/JS(x)>>"), 30), Err(Unfit::Script));
        assert_eq!(pdf(&file("/AA <</O <</S/Launch/F(cmd.exe)>> >>"), 30), Err(Unfit::Script));
        assert_eq!(pdf(&file("/Names <</EmbeddedFiles 5 0 R>>"), 30), Err(Unfit::Script));
        assert_eq!(pdf(&file("/Encrypt 8 0 R"), 30), Err(Unfit::Password));
        assert_eq!(pdf(&file("/Title (nothing)"), 0), Err(Unfit::Pages));
        assert_eq!(pdf(b"%PDF-1.4\n%%EOF", 30), Err(Unfit::Unreadable), "no pages");
        let whole = file("");
        assert_eq!(pdf(&whole[..whole.len() - 9], 30), Err(Unfit::Unreadable), "cut");
    }

    #[test]
    fn packed_objects_are_looked_into() {
        let page = b"4 0 <</Type/Page>>".as_slice();
        assert_eq!(pdf(&with_packed("/FlateDecode", page), 30), Ok(1), "the tree says how many");
        assert_eq!(pdf(&with_packed("/FlateDecode", b"4 0 <</S/JavaScript/JS 5 0 R>>"), 30), Err(Unfit::Script));
        assert_eq!(pdf(&with_packed("[/FlateDecode/ASCIIHexDecode]", page), 30), Err(Unfit::Unreadable));
        let bomb = vec![b' '; 9 * 1024 * 1024];
        assert_eq!(pdf(&with_packed("/FlateDecode", &bomb), 30), Err(Unfit::Unreadable));
    }

    #[test]
    fn what_is_something_else_as_well_is_not_taken() {
        let mut zip = file("");
        zip.extend(b"PK\x03\x04rest");
        assert_eq!(pdf(&zip, 30), Err(Unfit::Unreadable));
        let mut zip = file("");
        zip.truncate(zip.len() - 6);
        zip.extend(b"PK\x05\x06comment\n%%EOF\n");
        assert_eq!(pdf(&zip, 30), Err(Unfit::Unreadable));
    }
}
