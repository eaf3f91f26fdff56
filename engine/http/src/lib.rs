//! engine-http
