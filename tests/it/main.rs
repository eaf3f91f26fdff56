//! One integration binary: a module per subject.
mod cli;
mod definitions;
mod http;
mod store;
mod structure;
mod partners;
mod purchase;
