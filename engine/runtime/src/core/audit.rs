//! The audit trail: who saw what of whom, and what operators did. Rows are only added; each carries the keyed hash of
//! itself and of the one before it in its chain (a journey, the administration, the anchors), so that a row that was
//! changed, taken out or put in is found. An end that was cut off is found by the anchors: every hour one row says how
//! many rows the time before had and what they hash to, and the log says it too.

use super::{Core, RuntimeError};
use crate::actor::{Actor, OPERATOR};
use crate::clock::rfc3339;
use engine_store::{AuditRow, JourneyRecord};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What operators did to the whole.
const ADMINISTRATION: &str = "administration";
const ANCHORS: &str = "anchors";
const HOUR_MS: i64 = 3_600_000;
/// A row that is being written while the anchor is made comes later than what the anchor holds.
const MARGIN_MS: i64 = 60_000;
const PAGE: u32 = 1_000;
const SEEN_MAX: u32 = 1_000;

/// What a row says: ids and names of roles, never what people wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Noted {
    what: Deed,
    /// Kind of who it was: `link`, `operator`, a role.
    kind: String,
    /// An operator's name, a session's id.
    who: String,
    /// Purpose of the link, name of what was worked on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Seen,
    EffectRetried,
    EffectSkipped,
    SendsReleased,
    IncidentRetried,
    IncidentClosed,
    KeysRotated,
    PersonForgotten,
    JourneysForgotten,
    ConsentWithdrawn,
    DataExported,
    AccountOpened,
    NumberLeft,
    NumberChanged,
    EmailConfirmed,
    TokenMade,
    TokensRevoked,
    RoleGiven,
    RolesTaken,
}

/// What an anchor's row says: the rows of a time, in the order of chains and numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Anchored {
    /// Until this time; from the anchor before.
    until_ms: i64,
    rows: u64,
    hash: String,
}

/// The newest anchor: to be compared with what the log says.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    pub number: i64,
    pub hash: String,
}

/// The trail as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// Without the anchors.
    pub rows: u64,
    pub anchor: Option<Anchor>,
}

/// Somebody saw a journey whose it is not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sight {
    pub at: String,
    pub journey: String,
    /// `link`, `operator`, a role.
    pub kind: String,
    pub who: String,
    /// Purpose of the link.
    pub about: String,
}

/// The first row that is not as it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Bad {
    pub chain: String,
    pub number: i64,
    pub how: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Missing,
    Changed,
    /// The row is an anchor: rows of its time were taken away or put in.
    Cut,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Missing => "missing",
            Fault::Changed => "changed",
            Fault::Cut => "rows of its time are missing or were added",
        })
    }
}

impl Core {
    /// A journey was looked at by somebody whose it is not: one row for each of them and hour.
    pub async fn note_seen(&self, actor: &Actor, journey: &JourneyRecord) -> Result<(), RuntimeError> {
        let purposes = actor.roles.iter().filter_map(|role| role.strip_prefix("link:"));
        let about = purposes.collect::<Vec<_>>().join(", ");
        let noted = Noted { what: Deed::Seen, kind: actor.kind.clone(), who: actor.id.clone(), about };
        let now = self.now_ms();
        let hour = now - now.rem_euclid(HOUR_MS);
        let known = self.store().audit_of(std::slice::from_ref(&journey.id), hour, PAGE).await?;
        if known.iter().any(|row| self.said(row).as_ref() == Some(&noted)) {
            return Ok(());
        }
        self.write_down(&journey.id, &noted).await
    }

    /// What an operator, or a person with what is hers, is about to do: it stands there before it is done, so that
    /// nothing is done unseen.
    pub async fn note_deed(&self, actor: &Actor, what: Deed, about: &str) -> Result<(), RuntimeError> {
        let noted = Noted { what, kind: actor.kind.clone(), who: actor.id.clone(), about: about.to_owned() };
        self.write_down(ADMINISTRATION, &noted).await
    }

    /// Who else saw these journeys, the newest first.
    pub async fn seen(&self, journeys: &[String]) -> Result<Vec<Sight>, RuntimeError> {
        let rows = self.store().audit_of(journeys, 0, SEEN_MAX).await?;
        let sight = |row: &AuditRow| {
            let Noted { kind, who, about, .. } = self.said(row).filter(|noted: &Noted| noted.what == Deed::Seen)?;
            // Of whoever came by a link nothing is known but that.
            let who = if kind == OPERATOR { who } else { String::new() };
            Some(Sight { at: rfc3339(row.at_ms), journey: row.chain.clone(), kind, who, about })
        };
        Ok(rows.iter().filter_map(sight).collect())
    }

    async fn write_down(&self, chain: &str, noted: &Noted) -> Result<(), RuntimeError> {
        // Never into a time that an anchor holds already, even when the clock went back.
        let anchored = self.anchors().await?.1.map_or(0, |last| last.until_ms);
        while !self.append(chain, noted, self.now_ms().max(anchored)).await? {
            // another was first: this one follows it
        }
        Ok(())
    }

    /// False: another row has this place in the chain.
    async fn append(&self, chain: &str, says: &impl Serialize, at_ms: i64) -> Result<bool, RuntimeError> {
        let head = self.store().audit_head(chain).await?;
        let number = head.as_ref().map_or(0, |row| row.number) + 1;
        let row = self.keys.seal(&serde_json::to_string(says).unwrap_or_default(), &place(chain, number));
        let mut row = AuditRow { chain: chain.to_owned(), number, at_ms, hash: String::new(), row };
        row.hash = self.link_of(head.as_ref().map_or("", |row| &row.hash), &row);
        Ok(self.store().append_audit(row).await?)
    }

    /// The hash that a row must have after the one before it.
    fn link_of(&self, before: &str, row: &AuditRow) -> String {
        let AuditRow { chain, number, at_ms, row, .. } = row;
        self.keys.hash("audit", &format!("{before}\n{chain}\n{number}\n{at_ms}\n{row}"))
    }

    /// What a row says; `None`: it was not written by us.
    fn said<T: serde::de::DeserializeOwned>(&self, row: &AuditRow) -> Option<T> {
        serde_json::from_str(&self.keys.open(&row.row, &place(&row.chain, row.number))?).ok()
    }

    /// The newest anchor, and what it says.
    async fn anchors(&self) -> Result<(Option<Anchor>, Option<Anchored>), RuntimeError> {
        let Some(head) = self.store().audit_head(ANCHORS).await? else { return Ok((None, None)) };
        let says = self.said(&head);
        Ok((Some(Anchor { number: head.number, hash: head.hash }), says))
    }

    /// Once an hour: what was written since the last anchor is counted and hashed.
    pub async fn anchor_audit(&self) -> Result<(), RuntimeError> {
        let from_ms = self.anchors().await?.1.map_or(0, |last| last.until_ms);
        let until_ms = self.now_ms() - MARGIN_MS;
        if until_ms < from_ms + HOUR_MS {
            return Ok(());
        }
        let mut sum = Sum::default();
        let mut last: Option<(String, i64)> = None;
        loop {
            let rows = self.store().audit_after(last, Some((from_ms, until_ms)), PAGE).await?;
            let Some(end) = rows.last() else { break };
            last = Some((end.chain.clone(), end.number));
            rows.iter().for_each(|row| sum.add(self, row));
        }
        // Another node may have been first: then it is done.
        if sum.rows > 0 && self.append(ANCHORS, &sum.until(until_ms), self.now_ms().max(until_ms)).await? {
            let anchor = self.anchors().await?.0;
            tracing::info!(anchor = anchor.map(|one| one.to_string()), rows = sum.rows, "the audit trail is anchored");
        }
        Ok(())
    }

    /// The whole trail, or the first bad row, in the order of chains and numbers; anchors last.
    pub async fn verify_audit(&self) -> Result<Result<Whole, Bad>, RuntimeError> {
        let anchored = match self.verified_anchors().await? {
            Ok(anchored) => anchored,
            Err(bad) => return Ok(Err(bad)),
        };
        let mut sums = vec![Sum::default(); anchored.len()];
        let (mut rows, mut last) = (0, None);
        loop {
            let page = self.store().audit_after(at(last.as_ref()), None, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for row in page {
                if let Some(bad) = self.fault(last.as_ref(), &row) {
                    return Ok(Err(bad));
                }
                let time = anchored.partition_point(|one| one.until_ms <= row.at_ms);
                if let Some(sum) = sums.get_mut(time) {
                    sum.add(self, &row);
                }
                rows += u64::from(row.chain != ANCHORS);
                last = Some(row);
            }
        }
        let cut = anchored.iter().zip(sums).position(|(says, sum)| sum.until(says.until_ms) != *says);
        if let Some(at) = cut {
            return Ok(Err(Bad { chain: ANCHORS.to_owned(), number: at as i64 + 1, how: Fault::Cut }));
        }
        Ok(Ok(Whole { rows, anchor: self.anchors().await?.0 }))
    }

    /// What each anchor says, the oldest first.
    async fn verified_anchors(&self) -> Result<Result<Vec<Anchored>, Bad>, RuntimeError> {
        let (mut all, mut last) = (Vec::new(), None);
        loop {
            let after = at(last.as_ref()).or(Some((ANCHORS.to_owned(), 0)));
            let page = self.store().audit_after(after, None, PAGE).await?;
            let mut page = page.into_iter().take_while(|row| row.chain == ANCHORS).peekable();
            if page.peek().is_none() {
                return Ok(Ok(all));
            }
            for row in page {
                match (self.fault(last.as_ref(), &row), self.said(&row)) {
                    (None, Some(says)) => all.push(says),
                    (Some(bad), _) => return Ok(Err(bad)),
                    (None, None) => return Ok(Err(Bad { chain: row.chain, number: row.number, how: Fault::Changed })),
                }
                last = Some(row);
            }
        }
    }

    /// What is wrong with a row after the one that was read before it.
    fn fault(&self, last: Option<&AuditRow>, row: &AuditRow) -> Option<Bad> {
        let before = last.filter(|before| before.chain == row.chain);
        let number = before.map_or(0, |before| before.number) + 1;
        let how = if row.number != number {
            Fault::Missing
        } else if row.hash != self.link_of(before.map_or("", |before| &before.hash), row) {
            Fault::Changed
        } else {
            return None;
        };
        Some(Bad { chain: row.chain.clone(), number, how })
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.hash)
    }
}

/// Rows of one time as they are read.
#[derive(Clone, Default)]
struct Sum {
    rows: u64,
    hash: String,
}

impl Sum {
    fn add(&mut self, core: &Core, row: &AuditRow) {
        self.rows += 1;
        self.hash = core.keys.hash("anchor", &format!("{}{}", self.hash, row.hash));
    }

    fn until(&self, until_ms: i64) -> Anchored {
        Anchored { until_ms, rows: self.rows, hash: self.hash.clone() }
    }
}

/// Binds what a row says to where it stands.
fn place(chain: &str, number: i64) -> String {
    format!("audit {chain} {number}")
}

fn at(row: Option<&AuditRow>) -> Option<(String, i64)> {
    row.map(|row| (row.chain.clone(), row.number))
}
