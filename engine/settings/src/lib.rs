//! engine-settings
