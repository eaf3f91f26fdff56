//! One integration binary: a module per subject.
mod http;
mod store;
mod structure;
mod partners;
