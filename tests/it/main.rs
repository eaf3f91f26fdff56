//! One integration binary: a module per subject.
mod cli;
mod definitions;
mod http;
mod links;
mod partners;
mod purchase;
mod store;
mod structure;
mod visit;
