//! HTML of pages: the shell, the first screen of a step, content pages. Ids and classes are those of the web theme.
//!
//! A new block: one arm in `blocks.rs`. A new widget: one arm in `control.rs`. Text reaches a page only through
//! [`writer::Html`], addresses only through [`link::safe_url`].

mod blocks;
mod condition;
mod control;
mod form;
mod format;
mod link;
mod shell;
mod step;
#[cfg(test)]
mod tests;
mod writer;

pub use link::safe_url;
pub use shell::{Chrome, Content, Page, bare, canonical, document};
