//! Names for the states of rows. In the database they are numbers, and in SQL literals, since partial indexes need
//! them.

/// A text of SQL with states by their names: `sql!("update effects set state = " done " where …")`.
macro_rules! sql {
    (@part $text:literal) => { $text };
    // effects.state
    (@part pending) => { "0" };
    (@part running) => { "1" };
    (@part done) => { "2" };
    (@part parked) => { "3" };
    (@part cancelled) => { "4" };
    // effects.state <= open: pending or running, in the words of the index
    (@part open) => { "1" };
    // What a person waits for stands so many milliseconds ahead in effects.next_at, which is negative then: 2^52.
    (@part ahead) => { "4503599627370496" };
    // webhooks.state
    (@part waiting) => { "0" };
    (@part consumed) => { "1" };
    (@part dropped) => { "2" };
    // messages.state
    (@part failed) => { "0" };
    (@part sent) => { "1" };
    (@part skipped) => { "2" };
    // records.kept
    (@part not_kept) => { "0" };
    (@part on_account) => { "2" };
    ($($part:tt)*) => { concat!($(sql!(@part $part)),*) };
}

#[cfg(test)]
mod tests {
    use crate::{EffectState, Kept, MessageState};

    #[test]
    fn names_in_sql_are_those_of_the_types() {
        for (state, number) in [
            (EffectState::Pending, sql!(pending)),
            (EffectState::Running, sql!(running)),
            (EffectState::Done, sql!(done)),
            (EffectState::Parked, sql!(parked)),
            (EffectState::Cancelled, sql!(cancelled)),
        ] {
            assert_eq!(state.number().to_string(), number);
        }
        assert_eq!(crate::queue::AHEAD_MS.to_string(), sql!(ahead));
        for (state, number) in [
            (MessageState::Failed, sql!(failed)),
            (MessageState::Sent, sql!(sent)),
            (MessageState::Skipped, sql!(skipped)),
        ] {
            assert_eq!(state.number().to_string(), number);
        }
        for (kept, number) in [(Kept::No, sql!(not_kept)), (Kept::OnAccount, sql!(on_account))] {
            assert_eq!(kept.as_int().to_string(), number);
        }
    }
}
