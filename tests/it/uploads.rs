//! Files that people send: they come in parts, are looked at, and belong to nobody else.

use engine_definitions::Files;
use engine_runtime::Actor;
use engine_settings::Settings;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, Rgb, RgbImage};
use journey_tests::people::{logs_in, sitting};
use journey_tests::postgres;
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions, fixture, until};
use serde_json::{Value, json};
use std::path::Path;

/// The fixture with the partners that look at files, as they are shipped.
fn definitions() -> Files {
    let product = all_definitions();
    let mut files = fixture("files");
    let shipped = |path: &str| {
        path.starts_with("workflows/partners/files/")
            || path.starts_with("workflows/contracts/shared/scan-file")
            || path.starts_with("workflows/contracts/shared/read-document")
            || ["workflows/shared/texts.yaml", "workflows/roles.yaml", "forms/shared/messages.json"].contains(&path)
    };
    for (path, bytes) in product.iter().filter(|(path, _)| shipped(path)) {
        files.insert(path, bytes.clone());
    }
    files
}

async fn start(change: impl FnOnce(&mut Settings)) -> TestServer {
    TestServer::start_with(definitions(), |settings| {
        settings.limits.rate_per_s = 0;
        settings.limits.write_rate_per_s = 0;
        change(settings);
    })
    .await
}

/// Somebody at the step that asks for papers.
struct Sender {
    visitor: Visitor,
    journey: String,
}

impl Sender {
    async fn at(server: &TestServer) -> Sender {
        Sender::of(server.visitor()).await
    }

    async fn of(visitor: Visitor) -> Sender {
        let begun = visitor.start("files/send", json!({"name": "Asha"})).await.ok(201);
        let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
        assert_eq!(begun["step"]["path"], "papers");
        Sender { visitor, journey }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/journeys/{}/uploads{rest}", self.journey)
    }

    async fn begin(&self, said: Value) -> Reply {
        self.visitor.send("POST", &self.path(""), &[], Some(said.to_string())).await
    }

    async fn put(&self, id: &str, first: usize, part: &[u8], size: usize) -> Reply {
        let range = format!("bytes {first}-{}/{size}", first + part.len() - 1);
        let headers = [("content-type", "application/octet-stream"), ("content-range", range.as_str())];
        self.visitor.send_bytes("PUT", &self.path(&format!("/{id}")), &headers, Some(part.to_vec())).await
    }

    async fn show(&self, id: &str) -> Value {
        self.visitor.get(&self.path(&format!("/{id}"))).await.ok(200)
    }

    /// All of a file, in parts of the size that the server says; what became of it.
    async fn sends(&self, kind: &str, name: &str, media_type: &str, bytes: &[u8]) -> Value {
        let said = json!({"kind": kind, "name": name, "size": bytes.len(), "type": media_type});
        let mut upload = self.begin(said).await.ok(201);
        let id = upload["id"].as_str().expect("an id").to_owned();
        let chunk = upload["chunk_bytes"].as_u64().expect("a size") as usize;
        for (i, part) in bytes.chunks(chunk).enumerate() {
            upload = self.put(&id, i * chunk, part, bytes.len()).await.ok(200);
            if upload["status"] == "refused" {
                break;
            }
        }
        upload
    }

    async fn view(&self) -> Value {
        self.visitor.view(&self.journey).await
    }

    async fn submits(&self, data: Value) -> Reply {
        self.visitor.event(&self.view().await, "submit", data).await
    }

    async fn refused(&self, data: Value) -> Vec<(String, String)> {
        let reply = self.submits(data).await;
        assert_eq!((reply.status, reply.code().as_str()), (422, "invalid"));
        let errors = reply.json()["errors"].as_array().cloned().unwrap_or_default();
        let text = |error: &Value, name: &str| error[name].as_str().unwrap_or_default().to_owned();
        errors.iter().map(|error| (text(error, "pointer"), text(error, "code"))).collect()
    }
}

fn id_of(upload: &Value) -> &str {
    upload["id"].as_str().expect("an id")
}

fn sample(width: u32, height: u32, seed: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let noise = (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503) ^ seed.wrapping_mul(97)) >> 7;
        Rgb([noise as u8, (noise >> 8) as u8, (x + y + seed) as u8])
    })
}

fn jpeg(width: u32, height: u32, seed: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 90).encode_image(&sample(width, height, seed)).expect("a JPEG");
    bytes
}

fn png(width: u32, height: u32, seed: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = sample(width, height, seed);
    PngEncoder::new(&mut bytes).write_image(picture.as_raw(), width, height, ExtendedColorType::Rgb8).expect("a PNG");
    bytes
}

/// The header of a PNG carries a sum.
fn sum_of(png: &mut [u8]) {
    let mut sum = flate2::Crc::new();
    sum.update(&png[12..29]);
    png[29..33].copy_from_slice(&sum.sum().to_be_bytes());
}

/// A camera held upright writes where it was.
fn with_place(jpeg: &[u8]) -> Vec<u8> {
    let mut tiff = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
    tiff.extend(b"GPSLatitude 28.6139 GPSLongitude 77.2090");
    let mut all = vec![0xFF, 0xD8, 0xFF, 0xE1];
    all.extend(u16::try_from(tiff.len() + 2).expect("short").to_be_bytes());
    all.extend(tiff);
    all.extend(&jpeg[2..]);
    all
}

fn pdf(catalog: &str, pages: usize) -> Vec<u8> {
    let objects: String = (0..pages).map(|n| format!("{} 0 obj <</Type/Page/Parent 2 0 R>> endobj\n", n + 3)).collect();
    let tree = format!("2 0 obj <</Type/Pages/Count {pages}>> endobj\n");
    format!("%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R {catalog}>> endobj\n{tree}{objects}trailer <</Root 1 0 R>>\n%%EOF\n")
        .into_bytes()
}

fn film(seconds: u32) -> Vec<u8> {
    let boxed = |name: &[u8], content: &[u8]| -> Vec<u8> {
        [&u32::try_from(content.len() + 8).expect("small").to_be_bytes(), name, content].concat()
    };
    let mut header = vec![0; 12];
    header.extend(600u32.to_be_bytes());
    header.extend((600 * seconds).to_be_bytes());
    header.extend([0; 80]);
    let moov = boxed(b"moov", &boxed(b"mvhd", &header));
    [boxed(b"ftyp", b"mp42\0\0\0\0isom"), boxed(b"mdat", &vec![7; 300_000]), moov].concat()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

/// Everything that lies in a folder, as one.
fn stored(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => all.extend(stored(&path)),
            path => all.extend(std::fs::read(path).unwrap_or_default()),
        }
    }
    all
}

async fn whole_way(server: &TestServer) {
    let sender = Sender::at(server).await;
    let view = sender.view().await;
    let field = &view["step"]["form"]["schema"]["properties"]["pages"];
    assert_eq!(field["x-ui"]["accept"], "image/jpeg,image/png,image/webp,application/pdf");
    assert_eq!(
        (&field["x-ui"]["max"], &field["maxItems"], &field["items"]["maxLength"]),
        (&json!(3), &json!(3), &json!(32))
    );

    let bytes = with_place(&jpeg(1_200, 900, 1));
    assert!(holds(&bytes, "GPSLatitude"));
    let upload = sender.sends("front", "C:\\photos\\rc.png", "image/jpeg", &bytes).await;
    assert_eq!(
        (&upload["status"], &upload["media"], &upload["name"]),
        (&json!("ready"), &json!("picture"), &json!("rc.jpg"))
    );
    assert_eq!((&upload["width"], &upload["height"]), (&json!(900), &json!(1_200)), "it is upright");
    let front = id_of(&upload).to_owned();

    let file = sender.visitor.get(upload["file"].as_str().expect("an address")).await;
    assert_eq!((file.status, file.header("content-type")), (200, "image/jpeg"));
    assert!(file.header("content-disposition").starts_with("attachment;"), "{:?}", file.headers);
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    assert!(file.header("content-security-policy").contains("sandbox"));
    assert!(!holds(&file.bytes, "GPSLatitude") && !holds(&file.bytes, "Exif"), "where it was taken is gone");
    let small = sender.visitor.get(upload["preview"].as_str().expect("an address")).await;
    let small = image::load_from_memory(&small.bytes).expect("a picture");
    assert_eq!((small.width(), small.height()), (240, 320));

    let page = sender.sends("pages", "last.pdf", "application/pdf", &pdf("", 4)).await;
    assert_eq!((&page["status"], &page["pages"], &page["preview"]), (&json!("ready"), &json!(4), &Value::Null));
    let listed = sender.visitor.get(&sender.path("")).await.ok(200);
    assert_eq!(listed["uploads"].as_array().expect("a list").len(), 2);

    // What lies on the disk says nothing.
    let lies = stored(server.folder());
    assert!(!holds(&lies, "last.pdf") && !holds(&lies, "%PDF-1.4"), "it is sealed");

    // Wrong answers say why.
    let other = Sender::at(server).await;
    let theirs = other.sends("front", "a.jpg", "image/jpeg", &jpeg(300, 200, 9)).await;
    let coming =
        sender.begin(json!({"kind": "film", "name": "a.mp4", "size": 1_000, "type": "video/mp4"})).await.ok(201);
    let wrong =
        sender.refused(json!({"front": id_of(&page), "pages": [id_of(&theirs), "guess"], "film": id_of(&coming)}));
    let expected = [("/front", "upload.kind"), ("/pages", "upload.unknown"), ("/film", "upload.waiting")];
    assert_eq!(wrong.await, expected.map(|(pointer, code)| (pointer.to_owned(), code.to_owned())));
    assert_eq!(sender.refused(json!({})).await[0].1, "required");

    // Nobody else gets anything.
    for method in ["GET", "DELETE"] {
        for rest in ["", "/file", "/preview"] {
            let (path, body) = (sender.path(&format!("/{front}{rest}")), (method == "DELETE").then(String::new));
            if method == "GET" || rest.is_empty() {
                let reply = other.visitor.send(method, &path, &[], body).await;
                assert_eq!(reply.status, 404, "{method} {path}");
            }
        }
    }
    let taken = Sender { visitor: other.visitor, journey: sender.journey.clone() };
    assert_eq!(taken.begin(json!({"kind": "front", "name": "a", "size": 1, "type": ""})).await.status, 404);
    assert_eq!(taken.put(&front, 0, b"x", 1).await.status, 404);
    assert_eq!(taken.visitor.get(&taken.path("")).await.status, 404);

    // The answer is taken, and a partner reads what was sent.
    sender.submits(json!({"front": front, "pages": [id_of(&page)]})).await.ok(200);
    let done = until("the reader", async || Some(sender.view().await).filter(|view| view["step"]["path"] == "done"));
    let done = done.await;
    assert!(done["step"]["view"].to_string().contains("DL3CAB1234"), "{}", done["step"]["view"]);
    let (path, body) = (sender.path(&format!("/{front}")), Some(String::new()));
    let kept = sender.visitor.send("DELETE", &path, &[], body).await;
    assert_eq!((kept.status, kept.code().as_str()), (409, "not_possible"));

    // Another in its place leaves it in the history.
    sender.visitor.event(&done, "again", json!({})).await.ok(200);
    let said = json!({"kind": "front", "name": "b.jpg", "size": 1, "type": "image/jpeg"});
    assert_eq!(sender.begin(said.clone()).await.json()["errors"][0]["code"], "upload.count");
    let bytes = jpeg(200, 150, 77);
    let mut said = said;
    (said["size"], said["replaces"]) = (json!(bytes.len()), json!(front));
    let next = sender.begin(said).await.ok(201);
    assert_eq!(sender.put(id_of(&next), 0, &bytes, bytes.len()).await.ok(200)["status"], "ready");
    let before = sender.show(&front).await;
    assert_eq!((&before["status"], &before["replaced_by"]), (&json!("replaced"), &next["id"]));
    assert_eq!(sender.visitor.get(before["file"].as_str().expect("an address")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_belongs_to_an_answer_and_to_nobody_else() {
    let server = start(|_| {}).await;
    whole_way(&server).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_on_postgres() {
    let url = postgres::database().await.expect("a database");
    let server = start(|settings| settings.database.url = url).await;
    whole_way(&server).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_line_costs_one_part() {
    let server = start(|settings| settings.limits.body_bytes_max = 16 * 1024).await;
    let sender = Sender::at(&server).await;
    let bytes = jpeg(400, 300, 5);
    let size = bytes.len();
    assert!(size > 40_000, "{size}");
    let begun =
        sender.begin(json!({"kind": "front", "name": "a.jpg", "size": size, "type": "image/jpeg"})).await.ok(201);
    assert_eq!((&begun["status"], &begun["chunk_bytes"]), (&json!("receiving"), &json!(16_384)));
    let id = id_of(&begun).to_owned();
    let part = |n: usize| &bytes[n * 16_384..((n + 1) * 16_384).min(size)];
    assert_eq!(sender.put(&id, 0, part(0), size).await.ok(200)["received"], 16_384);
    // Again, with a gap, and as if it were another file: nothing changes.
    assert_eq!(sender.put(&id, 0, part(0), size).await.ok(200)["received"], 16_384);
    assert_eq!(sender.put(&id, 20_000, part(1), size).await.ok(200)["received"], 16_384);
    assert_eq!(sender.put(&id, 16_384, part(1), size + 1).await.ok(200)["received"], 16_384);
    let asked = [("content-range", &*format!("bytes */{size}"))];
    let asked = sender.visitor.send("PUT", &sender.path(&format!("/{id}")), &asked, Some(String::new())).await;
    assert_eq!(asked.ok(200)["received"], 16_384);
    // Nothing half is given out, and no answer has it.
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{id}/file"))).await.status, 404);
    assert_eq!(sender.refused(json!({"front": id})).await[0].1, "upload.waiting");
    let mut upload = Value::Null;
    for n in 1..=size / 16_384 {
        upload = sender.put(&id, n * 16_384, part(n), size).await.ok(200);
    }
    assert_eq!((&upload["status"], &upload["received"]), (&json!("ready"), &upload["size"]));

    // Headers that are missing or wrong.
    let path = sender.path(&format!("/{id}"));
    let bare = sender.visitor.send_bytes("PUT", &path, &[("content-type", "application/octet-stream")], Some(vec![1]));
    assert_eq!(bare.await.status, 400);
    let foreign = [("content-range", "bytes 0-0/1"), ("content-type", "application/octet-stream"), ("x-journey", "")];
    assert_eq!(sender.visitor.send_bytes("PUT", &path, &foreign, Some(vec![1])).await.code(), "csrf");
    let json = [("content-range", "bytes 0-0/1"), ("content-type", "application/json")];
    assert_eq!(sender.visitor.send_bytes("PUT", &path, &json, Some(vec![1])).await.code(), "media_type");
    let short = [("content-range", "bytes 0-9/10"), ("content-type", "application/octet-stream")];
    assert_eq!(sender.visitor.send_bytes("PUT", &path, &short, Some(vec![1])).await.code(), "body_invalid");

    // One that is taken back is gone, also from the disk.
    let said = json!({"kind": "pages", "name": "b.jpg", "size": size, "type": "image/jpeg"});
    let begun = sender.begin(said).await.ok(201);
    let id = id_of(&begun).to_owned();
    sender.put(&id, 0, part(0), size).await.ok(200);
    let folder = server.folder().join("files").join(&sender.journey).join(&id);
    assert!(folder.exists());
    let gone = sender.visitor.send("DELETE", &sender.path(&format!("/{id}")), &[], Some(String::new())).await;
    assert_eq!(gone.status, 204);
    assert!(!folder.exists(), "its bytes are gone");
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{id}"))).await.status, 404);
    server.stop().await;
}

/// motor-O17, motor-O18
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_taken_says_why() {
    let server = start(|settings| {
        settings.uploads.per_minute = 1_000;
        settings.uploads.journey_files_max = 1_000;
        settings.uploads.pixels_max = 2_000_000;
    })
    .await;
    let sender = Sender::at(&server).await;
    let picture = jpeg(300, 200, 1);
    let mut bomb = png(100, 80, 1);
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    sum_of(&mut bomb);
    let zip = [pdf("", 1).as_slice(), b"PK\x03\x04 something else PK\x05\x06"].concat();
    let heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic".to_vec();
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".to_vec();
    let cut = picture[..picture.len() / 3].to_vec();
    let cases: [(&str, &str, &str, Vec<u8>, &str); 17] = [
        ("pages", "a.svg", "", svg.clone(), "upload.type"),
        ("pages", "a.jpg", "image/jpeg", svg, "upload.type"),
        ("pages", "a.jpg", "image/jpeg", b"<!doctype html><script>1</script>".to_vec(), "upload.type"),
        ("pages", "a.pdf", "application/pdf", b"GIF89a".to_vec(), "upload.type"),
        ("pages", "a.jpg", "image/jpeg", b"MZ\x90\0".to_vec(), "upload.type"),
        ("pages", "a.mp4", "", film(30), "upload.type"),
        ("film", "a.jpg", "", picture.clone(), "upload.type"),
        ("pages", "a.jpg", "image/jpeg", heic, "upload.heic"),
        ("pages", "a.jpg", "image/jpeg", cut, "upload.unreadable"),
        ("pages", "a.png", "image/png", bomb, "upload.large_picture"),
        ("pages", "a.png", "image/png", png(63, 40, 1), "upload.small"),
        ("pages", "a.pdf", "application/pdf", pdf("/Encrypt 9 0 R", 1), "upload.password"),
        ("pages", "a.pdf", "application/pdf", pdf("/OpenAction <</S/JavaScript/JS(x)>>", 1), "upload.script"),
        ("pages", "a.pdf", "application/pdf", pdf("", 31), "upload.pages"),
        ("pages", "a.pdf", "application/pdf", zip, "upload.unreadable"),
        ("film", "a.mp4", "video/mp4", film(19), "upload.short"),
        ("film", "a.mp4", "video/mp4", film(121), "upload.long"),
    ];
    for (kind, name, media_type, bytes, code) in cases {
        let upload = sender.sends(kind, name, media_type, &bytes).await;
        assert_eq!((&upload["status"], &upload["reason"]["code"]), (&json!("refused"), &json!(code)), "{name}");
        let text = upload["reason"]["text"].as_str().expect("words");
        assert!(!text.starts_with("upload.") && !text.contains("{{"), "{code}: {text}");
        assert_eq!(upload["file"], Value::Null);
        assert_eq!(sender.visitor.get(&sender.path(&format!("/{}/file", id_of(&upload)))).await.status, 404);
    }
    assert!(stored(&server.folder().join("files")).is_empty(), "nothing of them is kept");

    // What is sent is taken for what it is, whatever it is called; the same again is not.
    let upload = sender.sends("pages", "a.pdf", "application/pdf", &picture).await;
    assert_eq!((&upload["status"], &upload["name"]), (&json!("ready"), &json!("a.jpg")));
    let again = sender.sends("front", "b.jpg", "image/jpeg", &with_place(&picture)).await;
    assert_eq!(again["reason"]["code"], Value::Null, "turned, it is another picture");
    let again = sender.sends("pages", "c.jpg", "image/jpeg", &picture).await;
    assert_eq!(again["reason"]["code"], "upload.same");
    assert_eq!(again["reason"]["text"], "This looks like the same picture again");
    let ready = sender.sends("film", "walk.mp4", "video/mp4", &film(35)).await;
    assert_eq!((&ready["status"], &ready["seconds"], &ready["media"]), (&json!("ready"), &json!(35), &json!("video")));
    let whole = sender.visitor.get(ready["file"].as_str().expect("an address")).await;
    assert_eq!((whole.bytes.len(), whole.header("content-type")), (film(35).len(), "video/mp4"));
    let hashed =
        json!({"kind": "pages", "name": "d.pdf", "size": 10, "type": "application/pdf", "sha256": "00".repeat(32)});
    let begun = sender.begin(hashed).await.ok(201);
    assert_eq!(sender.put(id_of(&begun), 0, b"%PDF-1.4\n\n", 10).await.ok(200)["reason"]["code"], "upload.unreadable");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_is_said_before_it_comes() {
    let server = start(|settings| {
        settings.uploads.picture_bytes_max = 500_000;
        settings.uploads.journey_bytes_max = 900_000;
        settings.uploads.per_minute = 9;
        settings.uploads.journey_files_max = 8;
    })
    .await;
    let sender = Sender::at(&server).await;
    let code = async |said: Value| {
        let reply = sender.begin(said).await;
        (reply.status, reply.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned())
    };
    let said =
        |kind: &str, size: i64, media_type: &str| json!({"kind": kind, "name": "a", "size": size, "type": media_type});
    let no = |code: &str| (422, code.to_owned());
    assert_eq!(code(said("front", 500_001, "image/jpeg")).await, no("upload.size"));
    assert_eq!(code(said("front", 0, "image/jpeg")).await, no("upload.empty"));
    assert_eq!(code(said("front", 10, "image/heic")).await, no("upload.heic"));
    assert_eq!(code(said("front", 10, "image/svg+xml")).await, no("upload.type"));
    assert_eq!(code(said("front", 10, "video/mp4")).await, no("upload.type"));
    assert_eq!(code(said("rc_front", 10, "image/jpeg")).await, no("upload.kind_unknown"), "nobody asks for it");
    assert_eq!(code(said("nothing", 10, "image/jpeg")).await, no("upload.kind_unknown"));
    assert_eq!(code(said("pages", 500_000, "")).await, (201, String::new()));
    assert_eq!(code(said("pages", 500_000, "")).await, no("upload.journey_bytes"));
    for _ in 0..7 {
        assert_eq!(code(said("pages", 10, "")).await, (201, String::new()));
    }
    assert_eq!(code(said("pages", 10, "")).await, no("upload.journey_files"));
    server.clock.advance(61_000);
    for _ in 0..2 {
        assert_eq!(code(said("pages", 10, "")).await, no("upload.journey_files"));
    }
    let other = Sender::at(&server).await;
    for n in 0..9 {
        let (kind, bytes) = match n {
            0..3 => ("pages", jpeg(100, 80, n)),
            3..6 => ("seen", jpeg(100, 80, n)),
            // refused, but begun
            _ => ("front", b"nothing".to_vec()),
        };
        other.sends(kind, "a.jpg", "image/jpeg", &bytes).await;
    }
    let limited = other.begin(said("front", 10, "")).await;
    assert_eq!((limited.status, limited.code().as_str()), (429, "limited"));
    assert!(!limited.header("retry-after").is_empty());
    server.clock.advance(61_000);
    let full = other.begin(said("pages", 10, "image/jpeg")).await;
    assert_eq!(full.json()["errors"][0]["code"], "upload.count");
    assert_eq!(full.json()["errors"][0]["text"], "No more than 3 files here");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn partners_look_before_anybody_gets_it() {
    let server = start(|_| {}).await;
    let sender = Sender::at(&server).await;
    let settled = async |id: &str| {
        until("partners", async || Some(sender.show(id).await).filter(|one| one["status"] != "scanning")).await
    };
    let clean = sender.sends("seen", "rc.jpg", "image/jpeg", &jpeg(200, 100, 1)).await;
    let clean = settled(id_of(&clean)).await;
    assert_eq!((&clean["status"], &clean["read"]["confidence"]), (&json!("ready"), &json!(0.5)));
    for (name, code) in
        [("eicar.jpg", "upload.virus"), ("blurred.jpg", "upload.blurred"), ("unmasked.jpg", "upload.masked")]
    {
        let seed = name.len() as u32 + 100;
        let upload = sender.sends("seen", name, "image/jpeg", &jpeg(200, 100, seed)).await;
        let upload = settled(id_of(&upload)).await;
        assert_eq!((&upload["status"], &upload["reason"]["code"]), (&json!("refused"), &json!(code)), "{name}");
    }
    // Without a reader a file is as good.
    let upload = sender.sends("seen", "reader-down.jpg", "image/jpeg", &jpeg(200, 100, 3)).await;
    let upload = until("the reader is given up", async || {
        server.clock.advance(20_000);
        Some(sender.show(id_of(&upload)).await).filter(|one| one["status"] != "scanning")
    });
    assert_eq!(upload.await["status"], "ready");
    // While the scanner is down nothing is handed on.
    let upload = sender.sends("seen", "scanner-down.jpg", "image/jpeg", &jpeg(200, 100, 4)).await;
    assert_eq!(upload["status"], "scanning");
    let id = id_of(&upload).to_owned();
    let called = async || {
        let calls = reqwest::get(format!("{}/sandbox/calls.json?partner=scanner", server.product.url())).await;
        let calls: Value = calls.expect("an answer").json().await.expect("JSON");
        calls["recent"].as_array().expect("calls").iter().filter(|call| call["result"] == "503").count()
    };
    until("two tries", async || {
        server.clock.advance(70_000);
        (called().await >= 2).then_some(())
    })
    .await;
    assert_eq!(sender.show(&id).await["status"], "scanning");
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{id}/file"))).await.status, 404);
    let front = sender.sends("front", "f.jpg", "image/jpeg", &jpeg(200, 100, 6)).await;
    assert_eq!(sender.refused(json!({"front": id_of(&front), "seen": [id]})).await[0].1, "upload.waiting");
    server.stop().await;
}

/// What a crash leaves behind is looked at again, or goes.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_stays_half() {
    let server = start(|_| {}).await;
    let sender = Sender::at(&server).await;
    let store = server.store().await;
    let bytes = jpeg(200, 100, 1);
    let said = json!({"kind": "pages", "name": "a.jpg", "size": bytes.len(), "type": "image/jpeg"});
    let begun = sender.begin(said.clone()).await.ok(201);
    let half = id_of(&begun).to_owned();
    sender.put(&half, 0, &bytes[..1_000], bytes.len()).await.ok(200);
    // The process might have died when all was there: it is looked at by whoever comes next.
    let upload = sender.sends("pages", "b.jpg", "image/jpeg", &bytes).await;
    let ready = id_of(&upload).to_owned();
    let record = store.upload(&ready).await.expect("read").expect("it is there");
    let now = server.product.runtime.now_ms();
    let died = engine_store::UploadRecord { state: 1, version: record.version + 1, due_ms: Some(now), ..record };
    assert!(store.change_upload(died).await.expect("written"));
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{ready}/file"))).await.status, 404);
    until("another look", async || Some(sender.show(&ready).await).filter(|one| one["status"] == "ready")).await;
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{ready}/file"))).await.status, 200);
    // What never came whole goes after a day.
    server.clock.advance(25 * 3_600_000);
    let folder = server.folder().join("files").join(&sender.journey).join(&half);
    until("it goes", async || (!folder.exists()).then_some(())).await;
    assert_eq!(sender.visitor.get(&sender.path(&format!("/{half}"))).await.status, 404);
    server.stop().await;
}

/// R4-41, life-O22: who acts for a customer sends a file and sees that it came, and neither opens it nor finds another one.
#[tokio::test(flavor = "multi_thread")]
async fn files_are_the_customers_alone() {
    let server = start(|_| {}).await;
    let agent = sitting(&server, "health-agent", 7).await;
    let sender = Sender::of(agent).await;
    let sent = sender.sends("front", "front.jpg", "image/jpeg", &jpeg(300, 200, 4)).await;
    let id = sent["id"].as_str().expect("an id");
    let list = sender.visitor.get(&sender.path("")).await.ok(200);
    assert_eq!(list["uploads"].as_array().map(Vec::len), Some(1), "{list}");
    assert!(list["uploads"][0].get("file").is_none_or(Value::is_null), "{list}");
    for what in ["file", "preview"] {
        assert_eq!(sender.visitor.get(&sender.path(&format!("/{id}/{what}"))).await.status, 404);
    }
    let other = Sender { visitor: sitting(&server, "health-agent", 8).await, journey: sender.journey.clone() };
    assert_eq!(other.visitor.get(&other.path("")).await.status, 404);
    assert_eq!(other.begin(json!({"kind": "front", "name": "a", "size": 10, "type": ""})).await.status, 404);
    server.stop().await;
}

const MOBILE: &str = "9813572468";

/// The fixture's files with all that is shipped, so that somebody can log in and be forgotten.
fn with_account() -> Files {
    let product = all_definitions();
    let mut files = product.clone();
    for (path, bytes) in fixture("files").iter() {
        let text = String::from_utf8_lossy(bytes).replace("\"kind\": \"front\"", "\"kind\": \"rc_front\"");
        let text = text.replace("\"kind\": \"pages\"", "\"kind\": \"previous_policy\"");
        let text = text.replace("\"kind\": \"film\"", "\"kind\": \"video_walkaround\"");
        let text = text.replace("\"kind\": \"seen\"", "\"kind\": \"other\"");
        if path.contains("/files/") {
            files.insert(path, text.into_bytes());
        }
    }
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn they_go_with_their_person_and_are_in_her_copy() {
    let server = TestServer::start_with(with_account(), |settings| {
        settings.otp.proof_bits = 4;
        settings.otp.resend_ms = 0;
    })
    .await;
    let visitor = server.visitor();
    logs_in(&server, &visitor, MOBILE).await;
    let sender = Sender::of(visitor).await;
    let upload = sender.sends("rc_front", "canary-name.jpg", "image/jpeg", &jpeg(800, 600, 1)).await;
    let id = id_of(&upload).to_owned();
    until("partners", async || Some(sender.show(&id).await).filter(|one| one["status"] == "ready")).await;
    assert!(!holds(&stored(server.folder()), "canary-name"), "it is sealed");
    let session = sender.visitor.cookie("__Host-session");
    let actor = server.product.runtime.people.session(&session).await.expect("read").expect("her session");
    let copy = server.product.runtime.people.export(&actor).await.expect("her copy");
    let files: Vec<&Value> = copy["journeys"]
        .as_array()
        .expect("journeys")
        .iter()
        .flat_map(|one| one["files"].as_array())
        .flatten()
        .collect();
    assert_eq!((files.len(), &files[0]["name"]), (1, &json!("canary-name.jpg")));
    let folder = server.folder().join("files").join(&sender.journey);
    assert!(folder.exists());
    let forgotten = server.product.runtime.operations.forget_person(&Actor::operator("test"), MOBILE).await;
    assert!(matches!(forgotten, Ok(Some(Ok(_)))));
    assert!(!folder.exists(), "its bytes are gone");
    assert_eq!(server.store().await.upload(&id).await.expect("read"), None);
    server.stop().await;
}
