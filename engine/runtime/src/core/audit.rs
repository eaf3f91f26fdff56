//! The audit trail: who saw what of whom, and what operators did. Rows are only added; each carries the keyed hash of
//! itself and of the one before it in its chain (a journey, the administration, the anchors), so that a row that was
//! changed, taken out or put in is found. An end that was cut off is found by what stands elsewhere: how many rows and
//! chains there are is counted, sealed, outside of the table, with every row; every hour an anchor says how many rows
//! the time before had and what they hash to, and after each row of the administration which one is its last. The log
//! says each anchor too, and a verification is held against it.

use super::{Core, RuntimeError};
use crate::actor::{Actor, LINK, OPERATOR, STAFF};
use crate::clock::rfc3339;
use engine_store::{AuditCount, AuditRow};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What operators did to the whole.
const ADMINISTRATION: &str = "administration";
const ANCHORS: &str = "anchors";
/// What the count is sealed for.
const COUNTED: &str = "audit counted";
/// Buckets of who acts for the house or for customers: operators, staff, service tokens.
const PEOPLE: [&str; 3] = ["operators", "staff", "service-tokens"];
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
    /// An operator's name, the id of a session or of one of the staff.
    who: String,
    /// Name of one of the staff.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// Purpose of the link, name of what was worked on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    Seen,
    /// Whoever had opened a link has shown that the journey's number is theirs.
    LinkProved,
    EffectRetried,
    EffectSkipped,
    SendsReleased,
    IncidentRetried,
    IncidentClosed,
    EventTold,
    KeysRotated,
    PersonForgotten,
    JourneysForgotten,
    ConsentWithdrawn,
    ConsentGivenAgain,
    DataExported,
    AccountOpened,
    NumberLeft,
    NumberChanged,
    NumberRestored,
    EmailConfirmed,
    TokenMade,
    TokensRevoked,
    RoleGiven,
    RolesTaken,
    /// The first row of a new database.
    TrailBegun,
}

/// What an anchor's row says: the rows of a time, in the order of chains and numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Anchored {
    /// End of the time whose rows are counted; it begins where the anchor before ends.
    until_ms: i64,
    rows: u64,
    hash: String,
    /// The last row of the administration at that moment; such an anchor is of no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<Anchor>,
}

/// How many rows and chains there are without the anchors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Counted {
    rows: u64,
    chains: u64,
}

/// The newest anchor: to be compared with what the log says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub number: i64,
    pub hash: String,
}

/// The trail as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditReport {
    /// Without the anchors.
    pub rows: u64,
    pub chains: u64,
    pub anchor: Option<Anchor>,
}

/// Somebody saw a journey whose it is not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sight {
    pub at: String,
    pub journey: String,
    /// `link`, `operator`, a role.
    pub kind: String,
    /// Name of an operator, or of one of the staff; empty where it is not known.
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
    /// More, or fewer, rows or chains are there than were counted; or nothing was counted.
    Uncounted,
    /// What the log says of the anchor of this number is not so here.
    Unanchored,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Missing => "missing",
            Fault::Changed => "changed",
            Fault::Cut => "rows of its time are missing or were added",
            Fault::Uncounted => "there are fewer, or more, rows or chains than were counted",
            Fault::Unanchored => "this anchor is missing, or another one: the trail was cut off or replaced",
        })
    }
}

impl Core {
    /// A journey was looked at by somebody who is not its customer: one row for each of them and hour.
    pub async fn note_seen(&self, actor: &Actor, journey: &str) -> Result<(), RuntimeError> {
        let noted = self.audit_note(Deed::Seen, actor);
        let now = self.now_ms();
        let hour = now - now.rem_euclid(HOUR_MS);
        let known = self.store().audit_of(&[journey.to_owned()], hour, PAGE).await?;
        if known.iter().any(|row| self.open_row(row).as_ref() == Some(&noted)) {
            return Ok(());
        }
        self.write_down(journey, &noted).await
    }

    /// Notes that whoever came by a link is the customer.
    pub async fn note_link_proved(&self, actor: &Actor, journey: &str) -> Result<(), RuntimeError> {
        self.write_down(journey, &self.audit_note(Deed::LinkProved, actor)).await
    }

    fn audit_note(&self, what: Deed, actor: &Actor) -> Noted {
        let catalog = self.catalog();
        let role = catalog.policy().assists(actor.acting_roles()).filter(|_| actor.kind == STAFF);
        let purposes = actor.roles.iter().filter_map(|role| role.strip_prefix("link:"));
        Noted {
            what,
            kind: role.unwrap_or(&actor.kind).to_owned(),
            who: actor.id.clone(),
            name: actor.name.clone(),
            about: purposes.collect::<Vec<_>>().join(", "),
        }
    }

    /// Notes what an operator, or a person with what is theirs, is about to do: it stands there before it is done, so
    /// that nothing is done unseen.
    pub async fn note_deed(&self, actor: &Actor, what: Deed, about: &str) -> Result<(), RuntimeError> {
        let (kind, who, name) = (actor.kind.clone(), actor.id.clone(), String::new());
        let noted = Noted { what, kind, who, name, about: about.to_owned() };
        self.write_down(ADMINISTRATION, &noted).await?;
        self.anchor_administration().await
    }

    /// The first row of a database in which nothing has happened yet: from now on a trail without rows is none.
    pub async fn begin_trail(&self) -> Result<(), RuntimeError> {
        let store = self.store();
        if store.audit_count().await?.is_some() || store.audit_head(ADMINISTRATION).await?.is_some() {
            return Ok(());
        }
        for bucket in PEOPLE {
            if !store.kv_list(bucket, 1).await?.is_empty() {
                return Ok(());
            }
        }
        if store.journey_counts().await?.is_empty() {
            self.note_deed(&Actor::system(), Deed::TrailBegun, "").await?;
        }
        Ok(())
    }

    /// Who else saw these journeys, the newest first. A customer who followed a link to what is theirs is nobody else.
    pub async fn sights(&self, journeys: &[String]) -> Result<Vec<Sight>, RuntimeError> {
        let rows = self.store().audit_of(journeys, 0, SEEN_MAX).await?;
        let all: Vec<(&AuditRow, Noted)> = rows.iter().filter_map(|row| Some((row, self.open_row(row)?))).collect();
        let proved = |row: &AuditRow, who: &str| {
            let is_theirs = |other: &AuditRow, noted: &Noted| other.chain == row.chain && noted.who == who;
            all.iter().any(|(other, noted)| noted.what == Deed::LinkProved && is_theirs(other, noted))
        };
        let sight = |(row, noted): &(&AuditRow, Noted)| {
            let Noted { what, kind, who, name, about } = noted.clone();
            if what != Deed::Seen || kind == LINK && proved(row, &who) {
                return None;
            }
            // A link tells nothing else of who came by it.
            let who = if kind == OPERATOR { who } else { name };
            Some(Sight { at: rfc3339(row.at_ms), journey: row.chain.clone(), kind, who, about })
        };
        Ok(all.iter().filter_map(sight).collect())
    }

    async fn write_down(&self, chain: &str, noted: &Noted) -> Result<(), RuntimeError> {
        // Never into a time that an anchor holds already, even when the clock went back.
        let anchored = self.anchors().await?.1.map_or(0, |last| last.until_ms);
        while !self.append(chain, noted, self.now_ms().max(anchored)).await? {
            // another was first: this one follows it
        }
        Ok(())
    }

    /// False: another row has this place in the chain, or another one was counted meanwhile.
    async fn append(&self, chain: &str, says: &impl Serialize, at_ms: i64) -> Result<bool, RuntimeError> {
        let before = self.store().audit_count().await?;
        let head = self.store().audit_head(chain).await?;
        let number = head.as_ref().map_or(0, |row| row.number) + 1;
        let row = self.keys.seal(&serde_json::to_string(says).unwrap_or_default(), &place(chain, number));
        let mut row = AuditRow { chain: chain.to_owned(), number, at_ms, hash: String::new(), row };
        row.hash = self.link_of(head.as_ref().map_or("", |row| &row.hash), &row);
        let counted = self.parse_count(before.as_deref()).unwrap_or_default();
        let (rows, chains) = (counted.rows + 1, counted.chains + u64::from(head.is_none()));
        let after = self.keys.seal(&serde_json::to_string(&Counted { rows, chains })?, COUNTED);
        let count = (chain != ANCHORS).then_some(AuditCount { before, after });
        Ok(self.store().append_audit(row, count).await?)
    }

    fn parse_count(&self, count: Option<&str>) -> Option<Counted> {
        serde_json::from_str(&self.keys.open(count?, COUNTED)?).ok()
    }

    /// The last row of the administration is anchored at once.
    async fn anchor_administration(&self) -> Result<(), RuntimeError> {
        loop {
            let until_ms = self.anchors().await?.1.map_or(0, |last| last.until_ms);
            let Some(head) = self.store().audit_head(ADMINISTRATION).await? else { return Ok(()) };
            let last = Some(Anchor { number: head.number, hash: head.hash });
            let anchored = Anchored { until_ms, rows: 0, hash: String::new(), last };
            if self.append(ANCHORS, &anchored, self.now_ms().max(until_ms)).await? {
                return self.log_anchor(0).await;
            }
        }
    }

    async fn log_anchor(&self, rows: u64) -> Result<(), RuntimeError> {
        let anchor = self.anchors().await?.0;
        tracing::info!(anchor = anchor.map(|one| one.to_string()), rows, "the audit trail is anchored");
        Ok(())
    }

    /// The hash that a row must have after the one before it.
    fn link_of(&self, before: &str, row: &AuditRow) -> String {
        let AuditRow { chain, number, at_ms, row, .. } = row;
        self.keys.hash("audit", &format!("{before}\n{chain}\n{number}\n{at_ms}\n{row}"))
    }

    /// What a row says; `None`: it was not written by us.
    fn open_row<T: serde::de::DeserializeOwned>(&self, row: &AuditRow) -> Option<T> {
        serde_json::from_str(&self.keys.open(&row.row, &place(&row.chain, row.number))?).ok()
    }

    /// The newest anchor, and what it says.
    async fn anchors(&self) -> Result<(Option<Anchor>, Option<Anchored>), RuntimeError> {
        let Some(head) = self.store().audit_head(ANCHORS).await? else { return Ok((None, None)) };
        let says = self.open_row(&head);
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
            self.log_anchor(sum.rows).await?;
        }
        Ok(())
    }

    /// The whole trail, or the first bad row, in the order of chains and numbers; then anchors, then what was counted.
    /// `outside`: number and hash of an anchor, as the log or another store has it.
    pub async fn verify_audit(&self, outside: Option<&Anchor>) -> Result<Result<AuditReport, Bad>, RuntimeError> {
        let before = self.parse_count(self.store().audit_count().await?.as_deref());
        let anchored = match self.verified_anchors(outside).await? {
            Ok(anchored) => anchored,
            Err(bad) => return Ok(Err(bad)),
        };
        let named: BTreeMap<i64, &str> =
            anchored.iter().filter_map(|one| one.last.as_ref()).map(|last| (last.number, last.hash.as_str())).collect();
        let mut sums = vec![Sum::default(); anchored.len()];
        let (mut found, mut last, mut administered) = (Counted::default(), None, 0);
        loop {
            let page = self.store().audit_after(at(last.as_ref()), None, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for row in page {
                if let Some(bad) = self.fault(last.as_ref(), &row) {
                    return Ok(Err(bad));
                }
                if row.chain == ADMINISTRATION {
                    administered = row.number;
                    if named.get(&row.number).is_some_and(|hash| *hash != row.hash) {
                        return Ok(Err(Bad { chain: row.chain, number: row.number, how: Fault::Changed }));
                    }
                }
                let time = anchored.partition_point(|one| one.until_ms <= row.at_ms);
                if let Some(sum) = sums.get_mut(time) {
                    sum.add(self, &row);
                }
                if row.chain != ANCHORS {
                    found.rows += 1;
                    found.chains += u64::from(row.number == 1);
                }
                last = Some(row);
            }
        }
        let is_cut = |(says, sum): (&Anchored, Sum)| match &says.last {
            Some(last) => last.number > administered,
            None => sum.until(says.until_ms) != *says,
        };
        if let Some(at) = anchored.iter().zip(sums).position(is_cut) {
            return Ok(Err(Bad { chain: ANCHORS.to_owned(), number: at as i64 + 1, how: Fault::Cut }));
        }
        // Rows come meanwhile.
        let after = self.parse_count(self.store().audit_count().await?.as_deref());
        let counts = |before: Counted, after: Counted| {
            (before.rows..=after.rows).contains(&found.rows) && (before.chains..=after.chains).contains(&found.chains)
        };
        if !before.zip(after).is_some_and(|(before, after)| counts(before, after)) {
            let number = found.rows as i64 + 1;
            return Ok(Err(Bad { chain: "all".to_owned(), number, how: Fault::Uncounted }));
        }
        Ok(Ok(AuditReport { rows: found.rows, chains: found.chains, anchor: self.anchors().await?.0 }))
    }

    /// What each anchor says, the oldest first.
    async fn verified_anchors(&self, outside: Option<&Anchor>) -> Result<Result<Vec<Anchored>, Bad>, RuntimeError> {
        let mut is_there = outside.is_none();
        let (mut all, mut last) = (Vec::new(), None);
        loop {
            let after = at(last.as_ref()).or(Some((ANCHORS.to_owned(), 0)));
            let page = self.store().audit_after(after, None, PAGE).await?;
            let mut page = page.into_iter().take_while(|row| row.chain == ANCHORS).peekable();
            if page.peek().is_none() {
                let missing = || Bad {
                    chain: ANCHORS.to_owned(),
                    number: outside.map_or(0, |anchor| anchor.number),
                    how: Fault::Unanchored,
                };
                return Ok(if is_there { Ok(all) } else { Err(missing()) });
            }
            for row in page {
                is_there |= outside.is_some_and(|anchor| anchor.number == row.number && anchor.hash == row.hash);
                match (self.fault(last.as_ref(), &row), self.open_row(&row)) {
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

impl std::str::FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Anchor, String> {
        let parts = text.trim().split_once(':').and_then(|(number, hash)| Some((number.parse().ok()?, hash)));
        let (number, hash) = parts.ok_or("an anchor is `<number>:<hash>`, as the log says it")?;
        Ok(Anchor { number, hash: hash.to_owned() })
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
        Anchored { until_ms, rows: self.rows, hash: self.hash.clone(), last: None }
    }
}

/// Binds what a row says to where it stands.
fn place(chain: &str, number: i64) -> String {
    format!("audit {chain} {number}")
}

fn at(row: Option<&AuditRow>) -> Option<(String, i64)> {
    row.map(|row| (row.chain.clone(), row.number))
}
