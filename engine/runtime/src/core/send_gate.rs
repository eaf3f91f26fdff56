//! How often something may be sent: exactly for one recipient, by slots of time for wider buckets. Pure: the store
//! counts, in the commit of what is sent.

use engine_store::{CountedSend, SendHistory};

/// Most sends, `max`, in the last `window_ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    pub window_ms: i64,
    pub max: i64,
}

pub(crate) struct SendGate {
    /// Keyed hash of the number or address.
    pub recipient: String,
    pub narrow: Vec<Limit>,
    pub wide: Vec<(String, Limit)>,
}

/// A wide window has so many slots: a send counts until its whole slot has left the window.
const SLOTS: i64 = 60;

impl Limit {
    fn slot_ms(self) -> i64 {
        (self.window_ms / SLOTS).max(1)
    }
}

impl SendGate {
    /// What must be read: the recipient, how many of its newest sends, and buckets with the time after which a slot
    /// counts.
    pub fn asks(&self, now_ms: i64) -> (&str, u32, Vec<(String, i64)>) {
        let latest = self.narrow.iter().map(|limit| limit.max).max().unwrap_or(0).max(1);
        let after = |limit: &Limit| now_ms - limit.window_ms - limit.slot_ms();
        let slots = self.wide.iter().map(|(bucket, limit)| (bucket.clone(), after(limit))).collect();
        (&self.recipient, u32::try_from(latest).unwrap_or(u32::MAX), slots)
    }

    /// How the send is counted, or the time after which it may be tried again: the longest of all refusals.
    pub fn decide(&self, history: &SendHistory, now_ms: i64) -> Result<CountedSend, i64> {
        let narrow = self.narrow.iter().filter_map(|limit| {
            // the newest `max`: if there are so many in the window, the oldest of them must leave it first
            let oldest = match limit.max {
                ..=0 => now_ms,
                max => history.latest.get(usize::try_from(max).ok()? - 1)?.1,
            };
            Some(oldest + limit.window_ms).filter(|free_ms| *free_ms > now_ms)
        });
        let wide = self.wide.iter().filter_map(|(bucket, limit)| {
            let slots = history
                .slots
                .iter()
                .filter(|(of, slot, _)| of == bucket && slot + limit.slot_ms() + limit.window_ms > now_ms);
            let mut left: i64 = slots.clone().map(|(_, _, count)| count).sum();
            let mut free_ms = (limit.max <= 0).then_some(now_ms + limit.window_ms);
            for (_, slot, count) in slots {
                if left < limit.max {
                    break;
                }
                left -= count;
                free_ms = Some(slot + limit.slot_ms() + limit.window_ms);
            }
            free_ms
        });
        if let Some(retry_at_ms) = narrow.chain(wide).max() {
            return Err(retry_at_ms);
        }
        let slot = |(bucket, limit): &(String, Limit)| (bucket.clone(), now_ms - now_ms.rem_euclid(limit.slot_ms()));
        Ok(CountedSend {
            recipient: self.recipient.clone(),
            number: history.latest.first().map_or(1, |(number, _)| number + 1),
            buckets: self.wide.iter().map(slot).collect(),
        })
    }
}

/// Sends of a wide bucket, as far as they were read.
pub(crate) fn sends_of(history: &SendHistory, bucket: &str) -> i64 {
    history.slots.iter().filter(|(of, ..)| of == bucket).map(|(.., count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends at these times through a gate; `None`: it went out, else when it may be tried again.
    fn check(gate: &SendGate, sends: &[(i64, Option<i64>)]) {
        let mut history = SendHistory::default();
        for (now_ms, expected) in sends {
            match gate.decide(&history, *now_ms) {
                Ok(counted) => {
                    assert_eq!(None, *expected, "at {now_ms}");
                    history.latest.insert(0, (counted.number, *now_ms));
                    history.slots.extend(counted.buckets.into_iter().map(|(bucket, slot)| (bucket, slot, 1)));
                }
                Err(retry_at_ms) => assert_eq!(Some(retry_at_ms), *expected, "at {now_ms}"),
            }
        }
    }

    fn gate(narrow: &[(i64, i64)], wide: &[(i64, i64)]) -> SendGate {
        let limit = |&(window_ms, max): &(i64, i64)| Limit { window_ms, max };
        SendGate {
            recipient: "r".into(),
            narrow: narrow.iter().map(limit).collect(),
            wide: wide.iter().map(|w| ("all".to_owned(), limit(w))).collect(),
        }
    }

    #[test]
    fn one_recipient_is_counted_to_the_millisecond() {
        let gate = gate(&[(30, 1), (100, 3)], &[]);
        check(&gate, &[(0, None), (20, Some(30)), (30, None), (60, None), (90, Some(100)), (100, None)]);
        let shut = SendGate { narrow: vec![Limit { window_ms: 30, max: 0 }], ..gate };
        check(&shut, &[(5, Some(35))]);
    }

    #[test]
    fn a_wide_bucket_is_counted_by_slots() {
        // slots of 10 milliseconds: a send leaves with its slot
        let gate = gate(&[], &[(600, 2)]);
        check(
            &gate,
            &[(3, None), (9, None), (11, Some(610)), (609, Some(610)), (610, None), (611, None), (612, Some(1_220))],
        );
        assert_eq!(gate.asks(1_000), ("r", 1, vec![("all".into(), 390)]));
    }
}
