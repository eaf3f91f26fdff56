//! One integration binary: a module per subject.
mod definitions;
mod http;
mod store;
mod structure;
mod partners;
