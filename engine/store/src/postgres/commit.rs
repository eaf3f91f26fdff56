//! A batch of commits as ONE statement, and so as one transaction in one round trip: what agrees with the stored
//! journeys is written, the rest changes nothing and is explained afterwards.
//!
//! Lock order, for every writer: journey, then effect or timer, then webhook. The journey's row lock together with
//! **seq-cas** decides between nodes; unique indexes decide what a snapshot cannot (the statement then fails as a whole
//! and is repeated).

use super::Conn;
use super::batch::BatchRows;
use super::shared::value;
use super::tables::{RECORDS, Table, source};
use crate::ids::unpack;
use crate::{Commit, Kept, Record, Result};
use sqlx::postgres::PgArguments;
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::HashMap;
use std::sync::Arc;

/// The commits that were written, by their place in the batch, with their records.
pub async fn write(line: &mut Line, commits: &[&Commit], epoch: i32) -> Result<HashMap<usize, Vec<Record>>> {
    let (sql, arguments) = statement(&mut line.texts, commits, epoch)?;
    let rows = sqlx::query_with(AssertSqlSafe(sql), arguments).fetch_all(&mut line.conn).await?;
    let mut written: HashMap<usize, Vec<Record>> = HashMap::with_capacity(commits.len());
    for row in &rows {
        let place = row.try_get::<i64, _>(0)? as usize;
        let records = written.entry(place).or_default();
        if let (Some(kind), Some(commit)) = (row.try_get(1)?, commits.get(place)) {
            records.push(Record {
                journey: commit.journey.clone(),
                kind,
                key: row.try_get(2)?,
                public_id: unpack(row.try_get(3)?, "records.public_id")?,
                data: value(row.try_get(4)?, "records.data")?,
                at_ms: row.try_get(5)?,
                kept: Kept::from_number(row.try_get(6)?)?,
            });
        }
    }
    Ok(written)
}

/// A connection, with the texts of the statement that were put together for it.
pub struct Line {
    conn: Conn,
    texts: Texts,
}

impl Line {
    pub fn new(conn: Conn) -> Line {
        Line { conn, texts: Texts::new() }
    }
}

/// Texts of statements by what they depend on: the checks, and a bit for each table with rows.
type Texts = HashMap<(Preconditions, u32), Arc<str>>;

/// Which checks the statement needs: most batches need only the plain ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Preconditions {
    /// An event's idempotency key must be free.
    key: bool,
    /// An effect, a timer or a webhook must be as the commit believes.
    row: bool,
    /// Numbers of counted sends must be free.
    send: bool,
}

impl Preconditions {
    fn of(commits: &[&Commit]) -> Preconditions {
        let any = |needs: fn(&Commit) -> bool| commits.iter().any(|commit| needs(commit));
        Preconditions {
            key: any(|commit| commit.idempotency.as_ref().is_some_and(|used| used.key.is_some())),
            row: any(|commit| commit.settles.is_some() || commit.fires.is_some() || commit.consumes.is_some()),
            send: any(|commit| !commit.sends.is_empty()),
        }
    }
}

/// What is said of every commit that was written.
const WRITTEN: &str = "select no, null::text, null::text, null::bytea, null::text, null::bigint, null::bigint from ok";

fn statement(texts: &mut Texts, commits: &[&Commit], epoch: i32) -> Result<(Arc<str>, PgArguments)> {
    let mut rows = BatchRows::of(commits, epoch);
    let (asks, mut tables) = (Preconditions::of(commits), rows.tables());
    let filled = tables.iter().enumerate().fold(0, |bits, (at, table)| bits | u32::from(table.count() > 0) << at);
    let text = texts.entry((asks, filled)).or_insert_with(|| text(asks, &tables).into()).clone();
    let mut arguments = PgArguments::default();
    for table in tables.iter_mut().filter(|table| table.count() > 0) {
        table.bind(&mut arguments)?;
    }
    Ok((text, arguments))
}

/// Tables with rows only; the first three have names of their own.
fn text(asks: Preconditions, tables: &[&mut dyn Table; 21]) -> String {
    let (mut with, mut ok, mut writes) = (Vec::new(), Vec::new(), Vec::new());
    let mut tell = WRITTEN.to_owned();
    let mut first = 1;
    for (at, table) in tables.iter().enumerate().filter(|(_, table)| table.count() > 0) {
        let alias = ["counted", "a", "h"].get(at).copied().unwrap_or("r");
        let source = source(&**table, alias, first);
        first += table.columns().len();
        let (name, sql) = (table.name(), table.sql());
        match alias {
            // Each finds the number of its journey by position: no join over the batch.
            "r" => {
                let source = format!(
                    "(select n.ns[array_position(n.nos, r.no)] as n, r.* from n, {source} \
                     where array_position(n.nos, r.no) is not null) x"
                );
                writes.push(format!("{name} as ({})", sql.replace("ROWS", &source)));
            }
            alias => with.push(format!("{alias} as (select * from {source})")),
        }
        match alias {
            "counted" => writes.push(format!("{name} as ({sql})")),
            "a" => {
                asks.start(&mut with);
                ok.push("select a.no, started.n from started join a on a.id = started.id");
            }
            "h" => {
                asks.move_on(&mut with);
                ok.push("select no, n from moved");
            }
            _ if name == RECORDS => tell.push_str(&format!(
                " union all select ok.no, s.kind, s.key, s.public_id, s.data, s.at, s.kept from {name} s join ok on \
                 ok.n = s.journey"
            )),
            _ => {}
        }
    }
    with.push(format!("ok as ({})", ok.join(" union all ")));
    with.push("n as (select array_agg(no) as nos, array_agg(n) as ns from ok)".into());
    with.append(&mut writes);
    format!("with {} {tell}", with.join(", "))
}

impl Preconditions {
    /// `started`: journeys that begin, from `a`.
    fn start(&self, with: &mut Vec<String>) {
        let mut seen = if self.send { format!(" and {}", UNCOUNTED.replace("ROW", "a")) } else { String::new() };
        if self.row {
            with.push(hook_held("start_hook_held", "a"));
            seen.push_str(&format!(
                " and a.place is null and a.timer is null and ({})",
                hook_seen("a", "start_hook_held")
            ));
        }
        with.push(format!(
            "started as (insert into journeys (id, workflow, version, revision, seq, status, step, owner, person, \
                 language, channel, \
             created_at, updated_at, expires_at, attribution, state, keys) \
             select id, workflow, version, revision, seq, \
             status, step, \
             owner, person, language, channel, at, at, expires_at, attribution, state, keys from a \
             where expected = 0{seen} \
             on conflict (id) do nothing returning id, n)"
        ));
    }

    /// `moved`: journeys that go on, from `h`.
    fn move_on(&self, with: &mut Vec<String>) {
        let mut free = String::new();
        if self.key {
            free.push_str(" and not exists (select 1 from events k where k.id >> 20 = j.n and k.key = h.used)");
        }
        if self.send {
            free.push_str(&format!(" and {}", UNCOUNTED.replace("ROW", "h")));
        }
        let (from, seen) = if self.row {
            with.push(format!(
                "locked as (select h.*, j.n from h join journeys j on j.id = h.journey where j.seq = \
                 h.expected{free} for update of j)"
            ));
            with.push(
                sql!(
                    "effect_held as (select l.no from locked l join effects e on e.id = ((l.n << 32) | l.place) \
                     where e.fence = l.fence and e.state in (" running ", " parked ") for update of e)"
                )
                .into(),
            );
            with.push(
                "timer_held as (select l.no from locked l join timers t on t.journey = l.n and t.id = l.timer \
                 for update of t)"
                    .into(),
            );
            with.push(hook_held("hook_held", "locked"));
            let seen = format!(
                "j.n = h.n and (h.place is null or h.no in (select no from effect_held)) \
                 and (h.timer is null or h.no in (select no from timer_held)) and ({})",
                hook_seen("h", "hook_held")
            );
            ("locked h", seen)
        } else {
            ("h", format!("j.id = h.journey and j.seq = h.expected{free}"))
        };
        with.push(format!(
            "moved as (update journeys j set revision = h.revision, seq = h.seq, status = h.status, step = h.step, \
             person = h.person, updated_at = h.at, expires_at = h.expires_at, state = h.state \
             from {from} where {seen} returning h.no, j.n)"
        ));
    }
}

/// Nobody else has taken the numbers of the sends of `ROW`.
const UNCOUNTED: &str = "not exists (select 1 from counted c join sends s on s.recipient = c.recipient \
     and s.number = c.number where c.no = ROW.no)";

/// Parked webhooks that these rows may consume.
fn hook_held(name: &str, rows: &str) -> String {
    format!(
        sql!(
            "{name} as (select r.no from {rows} r join webhooks w on w.partner = r.partner and w.once = r.once \
             where w.state = " waiting " for update of w)"
        ),
        name = name,
        rows = rows
    )
}

fn hook_seen(rows: &str, held: &str) -> String {
    format!(
        "{rows}.partner is null or {rows}.no in (select no from {held}) or not exists \
         (select 1 from webhooks w where w.partner = {rows}.partner and w.once = {rows}.once)"
    )
}
