//! One integration binary: a module per subject.
mod cli;
mod contact;
mod definitions;
mod draw;
mod forms;
mod http;
mod journeys;
mod links;
mod nodes;
mod operator;
mod partners;
mod passwords;
mod purchase;
mod restarts;
mod store;
mod structure;
mod visit;
