//! Mappings: trees whose strings are CEL and whose other values are literal. Read as one expression.

pub use crate::expression::Expression as Mapping;
