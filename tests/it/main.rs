//! One integration binary: a module per subject.
mod cli;
mod contact;
mod definitions;
mod forms;
mod http;
mod links;
mod nodes;
mod operator;
mod partners;
mod purchase;
mod store;
mod structure;
mod visit;
