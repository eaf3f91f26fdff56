//! What is known of how a visitor came: small enough for a cookie.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The first one stays, the latest follow.
const TOUCHES_MAX: usize = 5;

/// How a visitor came. Of the cookie until something is written, then of the session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attribution {
    /// What addresses said, by name; newer ones over older ones.
    pub said: BTreeMap<String, String>,
    pub channels: Vec<String>,
    pub touches: Vec<Touch>,
    /// A random text that decides the variants of experiments; empty before one is needed.
    pub draw: String,
}

/// A visitor's coming, the first or by another way than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// Day of the visit: `2026-11-21`.
    pub day: String,
    pub channels: Vec<String>,
    /// Source as the address named it.
    pub source: String,
}

/// An address, and what it says by the names that are read.
pub struct Arrival<'a> {
    pub said: &'a BTreeMap<String, String>,
    pub path: &'a str,
    pub host: &'a str,
    /// Day of the arrival: `2026-11-21`.
    pub day: &'a str,
}

impl Attribution {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Attribution::default()
    }

    /// What decides the visit's variants: a text of its own, or, where somebody writes before a page needed one, the
    /// session's id; empty without both.
    pub fn draw_or<'a>(&'a self, session: &'a str) -> &'a str {
        if self.draw.is_empty() { session } else { &self.draw }
    }

    pub(super) fn touch(&mut self, day: &str) {
        if self.touches.len() == TOUCHES_MAX {
            self.touches.remove(1);
        }
        let source = self.said.get("source").cloned().unwrap_or_default();
        self.touches.push(Touch { day: day.to_owned(), channels: self.channels.clone(), source });
    }
}
