//! Pages as the embedded engine draws them: the same as any other JavaScript engine would, and none that breaks out.

use engine_draw::{Bundle, Draw, Limits};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn built(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web").join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}; `make web` builds it", path.display()))
}

fn item(text: &str, link: &str, below: Value) -> Value {
    json!({
        "link": link, "text": text, "title": "", "img_path": "", "subMenus": below, "desktop_only": false,
        "mobile_only": false, "domain": "", "selfTarget": false, "upper_text": "", "logoImage": "",
    })
}

/// One page of every kind, and every example of a block and of a widget, as a first step and as content.
fn pages() -> Vec<String> {
    let gallery: Value = serde_json::from_slice(&built("dist/server/gallery.json")).expect("the gallery");
    let site = json!({
        "name": "Sample", "path": "/parcels", "home": "/", "logo": true, "legal": "It sells nothing.",
        "call": {"number": "+91180", "display": "180", "text": "24/7"}, "login": {"text": "Login", "link": "/me"},
        "menu": [item("Parcels", "/parcels", json!([item("Claims", "https://claims.example/", json!([]))]))],
        "footer": [{"title": "Company", "links": [item("Terms", "/terms", json!([])), item("Soon", "#", json!([]))]}],
    });
    let page = |what: Value| {
        let mut page = json!({"site": site, "title": "A page"});
        page.as_object_mut().expect("a map").extend(what.as_object().expect("a map").clone());
        page.to_string()
    };
    let kinds = ["form", "choice", "comparison", "review", "wait", "tracker", "redirect", "message", "upload"];
    let mut pages: Vec<String> = kinds.iter().map(|kind| page(json!({"skeleton": kind}))).collect();
    pages.push(page(json!({"confirm": {"text": "Go on?", "label": "Yes"}})));
    for view in gallery.as_object().expect("a map").values() {
        pages.push(page(json!({"view": view})));
        if let Some(blocks) = view.pointer("/step/view/blocks") {
            pages.push(page(json!({"blocks": blocks})));
        }
    }
    pages
}

#[tokio::test]
async fn every_example_is_drawn_as_node_draws_it() {
    let pages = pages();
    assert!(pages.len() > 50, "{}", pages.len());
    let mut node = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/scripts/draw.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let asked = pages.join("\n");
    let mut stdin = node.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = node.wait_with_output().expect("node ends");
    writer.join().expect("no panic").expect("node reads");
    let theirs: Vec<String> = String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a text"))
        .collect();
    assert_eq!(theirs.len(), pages.len());

    let bundle = Bundle::new(built("dist/server/draw.js"));
    let draw = Draw::start(Limits::default()).expect("a thread");
    for (page, theirs) in pages.iter().zip(&theirs) {
        let ours = draw.html(&bundle, page).await.unwrap_or_else(|| panic!("not drawn: {page}"));
        assert_eq!(&*ours, theirs, "{page}");
        // The page's policy allows neither styles nor handlers in markup; and content pages have no scripts to help.
        for forbidden in [" style=\"", " onclick=", "<style", "<script", "javascript:"] {
            assert!(!ours.contains(forbidden), "{forbidden} in {ours}");
        }
    }
}

#[tokio::test]
async fn a_page_cannot_be_broken_by_texts() {
    let evil = "</script><script>alert(1)</script>";
    let link = item(evil, "javascript:alert(1)", json!([]));
    let page = json!({
        "site": {"name": evil, "path": evil, "home": "javascript:alert(1)", "logo": true, "menu": [link], "footer": [{"title": evil, "links": [link]}], "legal": evil},
        "title": evil,
        "blocks": [
            {"block": "links", "items": [{"label": evil, "href": "javascript:alert(1)"}]},
            {"block": "text", "title": evil, "text": evil}, {"block": "hero", "title": evil, "points": [evil]},
            {"block": "of a newer kind"},
        ],
    });
    let bundle = Bundle::new(built("dist/server/draw.js"));
    let draw = Draw::start(Limits::default()).expect("a thread");
    let html = draw.html(&bundle, &page.to_string()).await.expect("a page");
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;"), "{html}");
    assert!(!html.contains("<script") && !html.contains("href=\"javascript:"), "{html}");
}
