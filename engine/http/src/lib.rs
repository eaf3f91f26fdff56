//! `engine-http`: the front door. API, pages, webhooks, the web app.
//!
//! What it is: [`router`] over an [`App`]; every route stands in `routes.rs`, one file per resource in `api/`, what
//! every request passes in `frame.rs` and `middleware/`, connections in `listen/`, pages in `pages.rs` and `posted.rs`,
//! the document around what `engine-draw` draws in `html/`.
//! What it does not know: workflows, forms and lines (they are data of the catalogue), SQL, how partners are called.
//! The crate never decides about a journey: it reads a request, asks the runtime, and says the answer in HTTP.
//! A new resource: a file in `api/` and its line in `routes.rs`. A new problem: a name in `problem.rs`.
//!
//! Invariants:
//! - **commit-survives**: a change of state runs in a task of its own; a caller who goes away cannot cancel it.
//! - **one-frame**: every answer passes `frame`: limits, deadline and problem form of our own routes, security headers
//!   of all.
//! - **no-raw-html**: text reaches a page only through `html::writer`.

mod agents;
mod api;
mod app;
mod assets;
mod attribution;
mod captcha;
mod data_export;
mod device;
mod frame;
mod gallery;
mod html;
mod json;
mod language;
mod links;
mod listen;
mod metrics;
mod middleware;
mod openid;
mod page_cache;
mod pages;
mod paper;
mod passes;
mod posted;
mod presence;
mod problem;
mod reference;
mod remote;
mod routes;
mod scrub;
mod session;
mod site;
mod start;
mod subscriptions;

pub use app::{App, Options};
pub use listen::{Doors, bind, serve};
pub use metrics::page as metrics_page;
pub use problem::{Code, FieldProblem, Problem};
pub use routes::{health, openapi, router};
