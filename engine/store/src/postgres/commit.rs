//! A batch of commits as ONE statement, and so as one transaction in one round trip: what agrees with the stored
//! journeys is written, the rest changes nothing and is explained afterwards.
//!
//! Lock order, for every writer: journey, then effect or timer, then webhook. The journey's row lock together with
//! **seq-cas** decides between nodes; unique indexes decide what a snapshot cannot (the statement then fails as a whole
//! and is repeated).

use super::Conn;
use super::parts::{PARTS, Parts};
use super::rows::{Kind, Rows};
use super::shared::value;
use crate::ids::{effect_place, pack, unpack};
use crate::{Commit, Record, Result};
use sqlx::postgres::PgArguments;
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::HashMap;

use Kind::{Bytes, Int, Text};

/// In the order of [`Parts`].
pub const COLUMNS: [&[(&str, Kind)]; PARTS] = [
    &[
        ("no", Int),
        ("id", Bytes),
        ("workflow", Text),
        ("version", Bytes),
        ("revision", Int),
        ("seq", Int),
        ("status", Text),
        ("step", Text),
        ("owner", Bytes),
        ("language", Text),
        ("channel", Text),
        ("at", Int),
        ("expires_at", Int),
        ("attribution", Text),
        ("state", Text),
    ],
    &[
        ("no", Int),
        ("revision", Int),
        ("seq", Int),
        ("status", Text),
        ("step", Text),
        ("owner", Bytes),
        ("at", Int),
        ("expires_at", Int),
        ("state", Text),
    ],
    &[
        ("no", Int),
        ("seq", Int),
        ("at", Int),
        ("kind", Text),
        ("actor", Text),
        ("data", Text),
        ("key", Int),
        ("body_hash", Int),
    ],
    &[("no", Int), ("place", Int), ("state", Int), ("due_at", Int), ("outcome", Text)],
    &[("no", Int), ("place", Int), ("at", Int)],
    &[
        ("no", Int),
        ("place", Int),
        ("due_at", Int),
        ("attempts_max", Int),
        ("deadline", Int),
        ("kind", Text),
        ("lane", Text),
        ("payload", Text),
        ("epoch", Int),
    ],
    &[("no", Int), ("id", Text)],
    &[("no", Int), ("id", Text), ("due_at", Int)],
    &[("no", Int), ("slot", Text), ("again", Text)],
    &[("no", Int), ("slot", Text), ("key", Text), ("value", Text)],
    &[("no", Int), ("step", Text)],
    &[("no", Int), ("partner", Text), ("reference", Text), ("journey", Bytes), ("expected", Text)],
    &[("no", Int), ("partner", Text), ("once", Text), ("reference", Text), ("at", Int), ("event", Text)],
    &[("no", Int), ("source", Text), ("input_hash", Bytes), ("at", Int), ("output", Text)],
    &[
        ("no", Int),
        ("id", Bytes),
        ("journey", Bytes),
        ("version", Bytes),
        ("place", Text),
        ("reason", Text),
        ("at", Int),
        ("closed_at", Int),
        ("detail", Text),
    ],
    &[
        ("no", Int),
        ("id", Bytes),
        ("journey", Bytes),
        ("name", Text),
        ("media_type", Text),
        ("at", Int),
        ("bytes", Bytes),
    ],
    &[("no", Int), ("kind", Text), ("key", Text), ("public_id", Bytes), ("at", Int), ("data", Text)],
    &[("no", Int), ("token_hash", Bytes), ("id", Bytes), ("created_at", Int), ("expires_at", Int), ("subject", Text)],
    &[("no", Int), ("bucket", Bytes), ("slot", Int)],
    &[("no", Int), ("step", Text), ("at", Int), ("data", Text)],
    &[("no", Int), ("recipient", Bytes), ("number", Int), ("at", Int)],
];

/// What a commit must agree with: columns beside those of starts and updates.
const ASKED: &[(&str, Kind)] = &[
    ("journey", Bytes),
    ("expected", Int),
    ("used", Int),
    ("place", Int),
    ("fence", Int),
    ("timer", Text),
    ("partner", Text),
    ("once", Text),
];

/// The commits that were written, by their place in the batch, with their records.
pub async fn write(conn: &mut Conn, commits: &[&Commit], epoch: i32) -> Result<HashMap<usize, Vec<Record>>> {
    let (sql, arguments) = statement(commits, epoch)?;
    let rows = sqlx::query_with(AssertSqlSafe(sql), arguments).fetch_all(conn).await?;
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
            });
        }
    }
    Ok(written)
}

/// Which checks the statement needs: most batches need only the plain ones.
#[derive(Default)]
struct Asks {
    /// An event's idempotency key must be free.
    key: bool,
    /// An effect, a timer or a webhook must be as the commit believes.
    row: bool,
    /// Numbers of counted sends must be free.
    send: bool,
}

impl Asks {
    fn add(&mut self, rows: &mut Rows, commit: &Commit) {
        let key = commit.idempotency.as_ref().and_then(|used| used.key);
        self.key |= key.is_some();
        self.send |= !commit.sends.is_empty();
        self.row |= commit.settles.is_some() || commit.fires.is_some() || commit.consumes.is_some();
        let row = rows.row().bytes(&pack(&commit.journey)).int(commit.expected_seq);
        let row = row.maybe(key);
        let row = match &commit.settles {
            Some((key, fence, _)) => row.int(effect_place(key)).int(*fence),
            None => row.null().null(),
        };
        let row = match &commit.fires {
            Some(timer) => row.text(timer),
            None => row.null(),
        };
        match &commit.consumes {
            Some(hook) => row.text(&hook.partner).text(&hook.once),
            None => row.null().null(),
        };
    }
}

fn statement(commits: &[&Commit], epoch: i32) -> Result<(String, PgArguments)> {
    let mut parts = Parts::new(epoch);
    let (mut starting, mut moving) = (Rows::of(ASKED), Rows::of(ASKED));
    let mut asks = Asks::default();
    for (no, commit) in (0..).zip(commits) {
        parts.add(no, commit);
        asks.add(if commit.new.is_some() { &mut starting } else { &mut moving }, commit);
    }
    let [starts, updates, rest @ .., sends] = parts.rows;
    let mut arguments = PgArguments::default();
    let mut with = Vec::new();
    if asks.send {
        with.push(format!("counted as (select * from {})", sends.source("c", &mut arguments)?));
    }
    let mut ok = Vec::new();
    if starts.count > 0 {
        with.push(format!("a as (select * from {})", starts.beside(starting).source("a", &mut arguments)?));
        asks.start(&mut with);
        ok.push("select a.no, started.n from started join a on a.id = started.id");
    }
    if updates.count > 0 {
        with.push(format!("h as (select * from {})", updates.beside(moving).source("h", &mut arguments)?));
        asks.move_on(&mut with);
        ok.push("select no, n from moved");
    }
    with.push(format!("ok as ({})", ok.join(" union all ")));
    // each row finds the number of its journey by position: no join over the batch
    with.push("n as (select array_agg(no) as nos, array_agg(n) as ns from ok)".into());
    if asks.send {
        with.push("sent as (insert into sends (recipient, number, at) select c.recipient, c.number, c.at from counted c join ok on ok.no = c.no)".into());
    }
    let mut result = "select no, null::text, null::text, null::bytea, null::text, null::bigint from ok";
    for (rows, (part, text)) in rest.into_iter().zip(STATEMENTS) {
        if rows.count > 0 {
            let source = format!(
                "(select n.ns[array_position(n.nos, r.no)] as n, r.* from n, {} where array_position(n.nos, r.no) is not null) x",
                rows.source("r", &mut arguments)?
            );
            with.push(format!("{part} as ({})", text.replace("ROWS", &source)));
            if part == "saved" {
                result = "select no, null::text, null::text, null::bytea, null::text, null::bigint from ok union all \
                    select ok.no, s.kind, s.key, s.public_id, s.data, s.at from saved s join ok on ok.n = s.journey";
            }
        }
    }
    Ok((format!("with {} {result}", with.join(", ")), arguments))
}

impl Asks {
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
            "started as (insert into journeys (id, workflow, version, revision, seq, status, step, owner, language, channel, \
             created_at, updated_at, expires_at, attribution, state) select id, workflow, version, revision, seq, status, step, \
             owner, language, channel, at, at, expires_at, attribution, state from a where expected = 0{seen} \
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
            with.push(format!("locked as (select h.*, j.n from h join journeys j on j.id = h.journey where j.seq = h.expected{free} for update of j)"));
            with.push(
                "effect_held as (select l.no from locked l join effects e on e.id = ((l.n << 32) | l.place) \
                 where e.fence = l.fence and e.state in (1, 3) for update of e)"
                    .into(),
            );
            with.push("timer_held as (select l.no from locked l join timers t on t.journey = l.n and t.id = l.timer for update of t)".into());
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
             owner = coalesce(h.owner, j.owner), updated_at = h.at, expires_at = h.expires_at, state = h.state \
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
        "{name} as (select r.no from {rows} r join webhooks w on w.partner = r.partner and w.once = r.once \
         where w.state = 0 for update of w)"
    )
}

fn hook_seen(rows: &str, held: &str) -> String {
    format!(
        "{rows}.partner is null or {rows}.no in (select no from {held}) or not exists \
         (select 1 from webhooks w where w.partner = {rows}.partner and w.once = {rows}.once)"
    )
}

/// What is written for every commit in `ok`, in the order of [`Parts`] between the journeys and the sends. `ROWS` has the journey's
/// number as `x.n` beside the columns.
const STATEMENTS: [(&str, &str); PARTS - 3] = [
    (
        "events",
        "insert into events (id, at, kind, actor, data, key, body_hash) \
         select (n << 20) | seq, at, kind, actor, data, key, body_hash from ROWS",
    ),
    (
        "settles",
        "update effects e set state = x.state, outcome = x.outcome, due_at = coalesce(x.due_at, e.due_at), \
         next_at = coalesce(x.due_at, e.next_at) from ROWS where e.id = ((x.n << 32) | x.place)",
    ),
    (
        "cancels",
        "update effects e set state = 4, due_at = least(e.due_at, x.at) from ROWS where e.id = ((x.n << 32) | x.place) and e.state in (0, 1)",
    ),
    (
        "ordered",
        "insert into effects (id, next_at, due_at, fence, attempts, attempts_max, state, deadline, kind, lane, \
         payload, epoch) select (n << 32) | place, due_at, due_at, 0, 0, attempts_max, 0, deadline, kind, lane, payload, \
         epoch from ROWS",
    ),
    ("unset", "delete from timers t using ROWS where t.journey = x.n and t.id = x.id"),
    (
        "timed",
        "insert into timers (journey, id, next_at, due_at) select n, id, due_at, due_at from ROWS \
         on conflict (journey, id) do update set next_at = excluded.next_at, due_at = excluded.due_at",
    ),
    // what is written again stays: a row changes at most once in a statement
    (
        "cleared",
        "delete from answers a using ROWS where a.journey = x.n and a.slot = x.slot \
         and a.key not in (select json_array_elements_text(x.again::json))",
    ),
    (
        "answered",
        "insert into answers (journey, slot, key, value) select n, slot, key, value from ROWS \
         on conflict (journey, slot, key) do update set value = excluded.value",
    ),
    ("undrafted", "delete from drafts d using ROWS where d.journey = x.n and d.step = x.step"),
    (
        "correlated",
        "insert into correlations (partner, reference, journey, expected) select partner, reference, journey, expected from ROWS \
         on conflict (partner, reference) do update set journey = excluded.journey, expected = excluded.expected",
    ),
    // a parked one is locked by now; that a new one is consumed twice is refused by the unique key
    (
        "consumed",
        "insert into webhooks as w (partner, once, state, reference, at, event) \
         select partner, once, 1, reference, at, event from ROWS on conflict (partner, once) do update set \
         state = case when w.state = 0 then 1 else null end",
    ),
    (
        "replied",
        "insert into replies (source, input_hash, at, output) select source, input_hash, at, output from ROWS \
         on conflict (source, input_hash) do update set at = excluded.at, output = excluded.output",
    ),
    (
        "troubled",
        "insert into incidents (id, journey, version, place, reason, at, closed_at, detail) \
         select id, journey, version, place, reason, at, closed_at, detail from ROWS on conflict (id) do nothing",
    ),
    (
        "filed",
        "insert into documents (id, journey, name, media_type, at, bytes) \
         select id, journey, name, media_type, at, bytes from ROWS on conflict (id) do nothing",
    ),
    (
        "saved",
        "insert into records (journey, kind, key, public_id, at, data) select n, kind, key, public_id, at, data from ROWS \
         on conflict (journey, kind, key) do update set at = excluded.at, data = excluded.data \
         returning journey, kind, key, public_id, data, at",
    ),
    (
        "opened",
        "insert into sessions (token_hash, id, created_at, expires_at, subject) \
         select token_hash, id, created_at, expires_at, subject from ROWS",
    ),
    // in one order: nodes that count in the same buckets do not wait for each other in a circle
    (
        "added",
        "insert into send_counts as b (bucket, slot, count) select bucket, slot, count(*) from ROWS \
         group by bucket, slot order by bucket, slot on conflict (bucket, slot) do update set count = b.count + excluded.count",
    ),
    (
        "typed",
        "insert into drafts (journey, step, at, data) select n, step, at, data from ROWS \
         on conflict (journey, step) do update set at = excluded.at, data = excluded.data",
    ),
];
