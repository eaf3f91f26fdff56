//! One integration binary: a module per subject.
#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

mod assisted;
mod audit;
mod availability;
mod channels;
mod cli;
mod connections;
mod contact;
mod definitions;
mod draw;
mod endpoints;
mod family;
mod forms;
mod histories;
mod http;
mod journeys;
mod links;
mod login;
mod mistakes;
mod motor;
mod nodes;
mod operator;
mod partners;
mod passwords;
mod premiums;
mod purchase;
mod restarts;
mod roles;
mod site;
mod staff;
mod store;
mod stories;
mod structure;
mod translations;
mod vault;
mod visit;
