//! One integration binary: a module per subject.
mod cli;
mod contact;
mod definitions;
mod http;
mod partners;
mod purchase;
mod store;
mod structure;
