//! The laid out paper as a tagged PDF.

use crate::layout::{HEIGHT, Ink, Layout, Leaf, Mark, Node, Role, WIDTH};
use crate::letters::Letters;
use crate::{Error, Paper};
use krilla::action::LinkAction;
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb::Color;
use krilla::configure::{Accessibility, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{Path, PathBuilder, Point, Rect};
use krilla::metadata::Metadata;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node as Tagged, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};
use krilla::{Document, SerializeSettings};
use std::num::NonZeroU16;

pub fn paint(paper: &Paper, layout: &Layout, letters: &Letters) -> Result<Vec<u8>, Error> {
    let configuration = ConfigurationBuilder::new().with_accessibility_validator(Accessibility::UA1).finish();
    let configuration = configuration.map_err(|error| Error::Write(format!("{error:?}")))?;
    let mut document =
        Document::new_with(SerializeSettings { configuration, enable_tagging: true, ..SerializeSettings::default() });
    let mut painted: Vec<Vec<Identifier>> = layout.leaves.iter().map(|_| Vec::new()).collect();
    for (number, ground) in layout.grounds.iter().enumerate() {
        let settings = PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(|| Error::Write("no page".into()))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface.start_tagged(ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)));
        ground.iter().for_each(|mark| draw(&mut surface, mark, letters));
        surface.end_tagged();
        let own = || layout.leaves.iter().enumerate().filter(|(_, leaf)| leaf.page == number);
        for (at, leaf) in own() {
            painted[at].push(surface.start_tagged(ContentTag::Other));
            leaf.marks.iter().for_each(|mark| draw(&mut surface, mark, letters));
            surface.end_tagged();
        }
        surface.finish();
        for (at, leaf) in own() {
            painted[at].extend(link_of(leaf).map(|link| page.add_tagged_annotation(link)));
        }
        page.finish();
    }
    let mut tree = TagTree::new().with_lang(Some(paper.language.clone()));
    for node in &layout.tree {
        tag_nodes(node, &mut painted).into_iter().for_each(|node| tree.push(node));
    }
    document.set_tag_tree(tree);
    let mut outline = Outline::new();
    for (title, page, top) in &layout.headings {
        let place = XyzDestination::new(*page, Point::from_xy(0.0, *top));
        outline.push_child(OutlineNode::new(title.clone(), place));
    }
    document.set_outline(outline);
    let about = Metadata::new().title(paper.title.clone()).language(paper.language.clone());
    document.set_metadata(about.creator(paper.brand.clone()).authors(vec![paper.brand.clone()]));
    document.finish().map_err(|error| Error::Write(format!("{error:?}")))
}

fn link_of(leaf: &Leaf) -> Option<Annotation> {
    let ([left, top, right, bottom], address) = leaf.link.as_ref()?;
    let area = Rect::from_ltrb(*left, *top, *right, *bottom)?;
    let link = LinkAnnotation::new(area, Target::Action(LinkAction::new(address.clone()).into()));
    Some(Annotation::new_link(link, Some(address.clone())))
}

fn tag_nodes(node: &Node, painted: &mut [Vec<Identifier>]) -> Vec<Tagged> {
    match node {
        Node::Leaf(at) => std::mem::take(&mut painted[*at]).into_iter().map(Tagged::from).collect(),
        Node::Group(role, nodes) => {
            let children = nodes.iter().flat_map(|node| tag_nodes(node, painted)).collect();
            vec![TagGroup::with_children(tag(role), children).into()]
        }
    }
}

fn tag(role: &Role) -> TagKind {
    match role {
        Role::Heading(level, title) => {
            Tag::Hn(NonZeroU16::new(*level).unwrap_or(NonZeroU16::MIN), Some(title.clone())).into()
        }
        Role::Paragraph => Tag::P.into(),
        Role::Table => Tag::Table.into(),
        Role::Row => Tag::TR.into(),
        Role::Label => Tag::TH(TableHeaderScope::Row).into(),
        Role::Value => Tag::TD.into(),
        Role::Figure(alt) => Tag::Figure(Some(alt.clone())).into(),
        Role::Link => Tag::Link.into(),
    }
}

fn colour(ink: Ink) -> Color {
    let (red, green, blue) = match ink {
        Ink::Text => (0x16, 0x27, 0x2b),
        Ink::Soft => (0x51, 0x60, 0x5f),
        Ink::Line => (0xe6, 0xde, 0xcf),
        Ink::Brand => (0x0a, 0x55, 0x60),
        Ink::Glow => (0xf4, 0xb9, 0x3a),
        Ink::OnBrand | Ink::Plate => (0xff, 0xff, 0xff),
        Ink::OnBrandSoft => (0xbf, 0xe0, 0xe1),
        Ink::Black => (0x11, 0x11, 0x11),
    };
    Color::new(red, green, blue)
}

fn fill(surface: &mut Surface, ink: Ink) {
    surface.set_stroke(None);
    surface.set_fill(Some(Fill { paint: colour(ink).into(), ..Fill::default() }));
}

fn draw(surface: &mut Surface, mark: &Mark, letters: &Letters) {
    match mark {
        Mark::Text { x, y, size, weight, ink, line } => {
            fill(surface, *ink);
            let mut x = *x;
            for run in letters.shape(line, *weight) {
                surface.draw_glyphs(Point::from_xy(x, *y), &run.glyphs, run.font, line, *size, false);
                x += run.width * size;
            }
        }
        Mark::Box { x, y, width, height, radius, ink } => {
            fill(surface, *ink);
            path(surface, rounded(*x, *y, *width, *height, *radius));
        }
        Mark::Squares { x, y, side, dark } => {
            fill(surface, Ink::Black);
            let mut all = PathBuilder::new();
            let squares = dark.iter().filter_map(|(row, column)| {
                Rect::from_xywh(x + *column as f32 * side, y + *row as f32 * side, *side, *side)
            });
            squares.for_each(|square| all.push_rect(square));
            path(surface, all.finish());
        }
    }
}

fn path(surface: &mut Surface, path: Option<Path>) {
    if let Some(path) = path {
        surface.draw_path(&path);
    }
}

/// How far the handles of a quarter of a circle reach.
const ROUND: f32 = 0.552;

fn rounded(x: f32, y: f32, width: f32, height: f32, radius: f32) -> Option<Path> {
    let (right, bottom, bow) = (x + width, y + height, radius * (1.0 - ROUND));
    let mut path = PathBuilder::new();
    if radius == 0.0 {
        path.push_rect(Rect::from_ltrb(x, y, right, bottom)?);
        return path.finish();
    }
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.cubic_to(right - bow, y, right, y + bow, right, y + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - bow, right - bow, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.cubic_to(x + bow, bottom, x, bottom - bow, x, bottom - radius);
    path.line_to(x, y + radius);
    path.cubic_to(x, y + bow, x + bow, y, x + radius, y);
    path.close();
    path.finish()
}
