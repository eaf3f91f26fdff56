//! engine-runtime
