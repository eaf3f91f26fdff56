//! One integration binary: a module per subject.
mod store;
mod structure;
mod partners;
