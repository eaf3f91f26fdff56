//! engine-partners
