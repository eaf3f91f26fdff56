//! Documents of fake partners, read back by an independent program.

use engine_partners::pdf::{Document, render};
use serde_json::json;
use std::collections::BTreeSet;
use std::process::Command;

/// Text of a document as `pdftotext` (poppler) sees it.
pub fn text_of(bytes: &[u8]) -> String {
    pdftotext(bytes, "-layout")
}

fn pdftotext(bytes: &[u8], form: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("document.pdf");
    std::fs::write(&file, bytes).unwrap();
    let output = Command::new("pdftotext").arg(form).arg(&file).arg("-").output().expect("pdftotext of poppler-utils");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_document_reads_as_it_was_meant() {
    let rows: Vec<_> = (1..=60).map(|i| json!([format!("Parcel {i}"), format!("₹{i},204.50")])).collect();
    let long = "a long line of words that goes on and on ".repeat(8);
    let document = Document::from_json(
        &json!({"title": "Delivery note (copy) – No. 7", "subtitle": "Café “Süd”", "sections": [
            {"heading": "Sender", "rows": [["Name", "Asha Rao"], ["Address", long], ["Insured", true], ["Number", "X".repeat(120)]], "lines": ["Thank you \\ (and good-bye)"]},
            {"heading": "Parcels", "rows": rows, "lines": []},
            {"rows": [["Total of everything that was sent and is written above in the many rows of this list", "-₹1,23,456.00"]], "lines": [long]},
        ]}),
    );
    let bytes = render(&document);
    assert_eq!(bytes, render(&document), "the same every time");
    let text = text_of(&bytes);
    for part in [
        "Delivery note (copy) – No. 7",
        "Café “Süd”",
        "Asha Rao",
        "Yes",
        "Rs. 1,204.50",
        "Rs. 60,204.50",
        "-Rs. 1,23,456.00",
        "Thank you \\ (and good-bye)",
        "Page 1 of 3",
        "Page 3 of 3",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Every word survives wrapping, and amounts end at the same column.
    assert_eq!(text.matches("goes").count(), 16);
    assert_eq!(text.matches('X').count(), 120);
    let words = pdftotext(&bytes, "-bbox");
    let ends: BTreeSet<&str> = words
        .lines()
        .filter(|word| word.contains(",204.50<"))
        .filter_map(|word| word.split("xMax=\"").nth(1)?.split('.').next())
        .collect();
    assert_eq!(ends, BTreeSet::from(["539"]), "{words}");
}

#[test]
fn nothing_makes_an_empty_page() {
    assert!(text_of(&render(&Document::from_json(&json!(null)))).contains("Page 1 of 1"));
}
