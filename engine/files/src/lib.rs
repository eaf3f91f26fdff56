//! `engine-files`: what a file that somebody sends is, whatever it is called, and where its bytes lie.
//!
//! What it is: [`sniff`] and the looks at pictures (made anew), PDFs and videos, each bounded in time and memory; and
//! [`Blobs`], the sealed bytes by name, on disk or in a bucket.
//! What it does not know: journeys, who sends what, how bytes are sealed, HTTP, SQL.

mod blobs;
mod pdf;
mod picture;
mod sniff;
mod video;

pub use blobs::{Blobs, BlobsError, Bucket};
pub use pdf::pdf;
pub use picture::{Picture, PictureRules, picture};
pub use sniff::{ContentKind, Media, sniff};
pub use video::Video;

/// Why a file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// A file of a kind that is not asked for.
    Type,
    /// A picture as some phones keep them, which only few programs read.
    Heic,
    /// A PDF that opens with a password only.
    Password,
    /// A PDF that does more than show pages.
    Script,
    Pages,
    /// A picture of too few pixels.
    Small,
    /// A picture of too many pixels.
    Pixels,
    Short,
    Long,
    Unreadable,
}
