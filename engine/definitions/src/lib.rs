//! engine-definitions
