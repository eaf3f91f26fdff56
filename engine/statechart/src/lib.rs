//! engine-statechart
