//! The document around what the web app's code draws: doctype, head, the data that a browser starts with.
//!
//! What stands in the body is drawn by `engine-draw` from the same JSON; here is only the frame, and what a page shows
//! when nothing could be drawn. Text reaches a page only through [`writer::Html`], addresses only through
//! [`link::safe_url`].

mod document;
mod link;
mod structured;
mod writer;

pub use document::{
    AppSite, Body, Brand, Content, EmbeddedJourney, LanguageOffer, OwnForm, Page, PersonalPage, Surroundings, bare,
    canonical, document, drawing, on_day,
};
pub use link::safe_url;
pub use structured::{CARD, COUNTRY, Described, Trail};
