//! Marks on pages → the bytes of a PDF file.

use super::font::Font;
use super::layout::{HEIGHT, Mark, Page, RULE, WIDTH};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

const REGULAR: Name<'static> = Name(b"F1");
const BOLD: Name<'static> = Name(b"F2");

pub fn pages(pages: &[Page], title: &str) -> Vec<u8> {
    let mut ids = Ref::new(1);
    let (catalog, tree, info, regular, bold) = (ids.bump(), ids.bump(), ids.bump(), ids.bump(), ids.bump());
    let places: Vec<(Ref, Ref)> = pages.iter().map(|_| (ids.bump(), ids.bump())).collect();

    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(tree).lang(TextStr("en-IN"));
    pdf.document_info(info).title(TextStr(title));
    pdf.pages(tree).kids(places.iter().map(|(page, _)| *page)).count(i32::try_from(pages.len()).unwrap_or(i32::MAX));
    for (id, name) in [(regular, b"Helvetica".as_slice()), (bold, b"Helvetica-Bold")] {
        pdf.type1_font(id).base_font(Name(name)).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    for (page, (id, content)) in pages.iter().zip(&places) {
        let mut entry = pdf.page(*id);
        entry.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).parent(tree).contents(*content);
        entry.resources().fonts().pair(REGULAR, regular).pair(BOLD, bold);
        entry.finish();
        pdf.stream(*content, &marks(page));
    }
    pdf.finish()
}

fn marks(page: &Page) -> Vec<u8> {
    let mut content = Content::new();
    for mark in page {
        match mark {
            Mark::Text { x, y, size, font, grey, bytes } => {
                let name = match font {
                    Font::Regular => REGULAR,
                    Font::Bold => BOLD,
                };
                content.set_fill_gray(if *grey { 0.35 } else { 0.0 });
                content.begin_text().set_font(name, *size as f32).next_line(*x, *y).show(Str(bytes)).end_text();
            }
            Mark::Rule { y, strong } => {
                content.set_stroke_gray(if *strong { 0.2 } else { 0.85 }).set_line_width(if *strong {
                    0.8
                } else {
                    0.5
                });
                content.move_to(RULE.0, *y).line_to(RULE.1, *y).stroke();
            }
        }
    }
    content.finish().to_vec()
}
