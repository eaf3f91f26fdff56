//! `engine-http`: the front door. API, pages, webhooks, the web app.
//!
//! What it is: [`router`] over an [`App`]; every route stands in `routes.rs`. `connection/` takes requests and frames
//! answers, `visitor/` says who asks, `pages/` answers with documents, `api/` has one file per resource, `endpoints/`
//! the calls that are data.
//! What it does not know: workflows, forms and lines (they are data of the catalogue), SQL, how partners are called.
//! The crate never decides about a journey: it reads a request, asks the runtime, and says the answer in HTTP.
//! A new resource: a file in `api/` and its line in `routes.rs`. A new problem: a name in `problem.rs`.
//!
//! Invariants:
//! - **commit-survives**: a change of state runs in a task of its own; a caller who goes away cannot cancel it.
//! - **one-frame**: every answer passes `frame`: limits, deadline and problem form of our own routes, security headers
//!   of all.
//! - **no-raw-html**: text reaches a page only through `html::writer`.

mod api;
mod app;
mod connection;
mod endpoints;
mod json;
mod pages;
mod problem;
mod routes;
mod visitor;

pub use app::{App, Options};
pub use connection::listen::{Doors, bind, serve};
pub use connection::metrics::page as metrics_page;
pub use problem::{Code, FieldProblem, Problem};
pub use routes::{health, openapi, router};
