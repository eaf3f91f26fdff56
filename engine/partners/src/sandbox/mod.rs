//! Fake partners.
