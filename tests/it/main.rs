//! One integration binary: a module per subject.
mod cli;
mod contact;
mod definitions;
mod http;
mod links;
mod nodes;
mod operator;
mod partners;
mod purchase;
mod store;
mod stories;
mod structure;
mod visit;
