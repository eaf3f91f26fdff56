//! One integration binary: a module per subject.
#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

/// The one that the product ships with: reading all definitions often is what most of these tests wait for.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

mod account;
mod assisted;
mod attributed;
mod audit;
mod availability;
mod calculators;
mod calls;
mod channels;
mod cli;
mod connections;
mod contact;
mod cover;
mod definitions;
mod draw;
mod email;
mod endpoints;
mod family;
mod floors;
mod forms;
mod handover;
mod health;
mod histories;
mod http;
mod investment;
mod journeys;
mod leads;
mod life;
mod links;
mod login;
mod mistakes;
mod motor;
mod motor_calls;
mod new_line;
mod nodes;
mod numbers;
mod openid;
mod operator;
mod papers;
mod partners;
mod passes;
mod passwords;
mod premiums;
mod premiums_leads;
mod purchase;
mod records;
mod restarts;
mod reuse;
mod roles;
mod service;
mod site;
mod staff;
mod store;
mod stories;
mod structure;
mod translations;
mod travel;
mod trees;
mod uploads;
mod vault;
mod visit;
mod vocabulary;
