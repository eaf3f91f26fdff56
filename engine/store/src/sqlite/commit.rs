//! A batch of commits in two steps: one statement reads what they must agree with, one writes all that agree.
//! The writer is alone, so nothing changes between the two.

use super::Conn;
use super::rows::{Rows, expand, numbered};
use super::shared::parts::{PARTS, Parts};
use super::shared::record;
use crate::ids::{effect_place, pack, unpack};
use crate::{Commit, Committed, IdempotencyRecord, Record, Result, StoreError};
use sqlx::{AssertSqlSafe, Row as _};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Fields of a row: 0 journey, 2 scope, 4 key, 6 place of the settled effect, 7 its fence, 8 timer, 9 partner, 10 once.
const CHECK: &str = "select r.key, j.n, j.seq, (select max(n) from journeys), \
     k.body_hash, k.journey, k.seq, k.at, \
     v[6] is null or exists (select 1 from effects e where e.id = ((j.n << 32) | (v[6])) and e.fence = v[7] and e.state in (1, 3)), \
     v[8] is null or exists (select 1 from timers t where t.journey = j.n and t.id = v[8]), \
     v[9] is null or not exists (select 1 from webhooks w where w.partner = v[9] and w.once = v[10] and w.state <> 0) \
     from jsonb_each($rows) r left join journeys j on j.id = b[0] \
     left join idempotency k on k.scope = b[2] and k.key = b[4]";

/// Between `before` and `after`, which open and close the transaction or a part of it. On an error it is left open.
pub async fn write(conn: &mut Conn, commits: &[&Commit], before: &str, after: &str) -> Result<Vec<Committed>> {
    static CHECKED: LazyLock<String> = LazyLock::new(|| numbered(&expand(CHECK), 1));
    let (rows, long) = asked(commits);
    let checked = sqlx::query(AssertSqlSafe(format!("{before}{}", *CHECKED))).bind(rows).bind(long).fetch_all(&mut *conn).await?;
    let mut outcomes: Vec<Committed> = vec![Committed::Moved; commits.len()];
    let mut parts = Parts::new();
    let mut numbers: HashMap<i64, usize> = HashMap::new();
    let mut next = 0;
    for row in &checked {
        let at = row.try_get::<i64, _>(0)? as usize;
        let (Some(commit), Some(outcome)) = (commits.get(at), outcomes.get_mut(at)) else {
            return Err(StoreError::Corrupt { column: "json_each.key", reason: at.to_string() });
        };
        next = std::cmp::max(next, row.try_get::<Option<i64>, _>(3)?.unwrap_or(0) + 1);
        let number: Option<i64> = row.try_get(1)?;
        *outcome = refusal(commit, row)?.unwrap_or(Committed::Done { records: Vec::new() });
        if matches!(outcome, Committed::Done { .. }) {
            let n = number.unwrap_or(next);
            next += i64::from(number.is_none());
            numbers.insert(n, at);
            parts.add(n, commit);
        }
    }
    for (n, saved) in write_parts(parts, conn, after).await? {
        if let Some(Committed::Done { records }) = numbers.get(&n).and_then(|at| outcomes.get_mut(*at)) {
            records.push(saved);
        }
    }
    Ok(outcomes)
}

fn asked(commits: &[&Commit]) -> (String, Vec<u8>) {
    let mut rows = Rows::default();
    for commit in commits {
        rows.row().bytes(&pack(&commit.journey));
        match &commit.idempotency {
            Some(k) => rows.bytes(&pack(&k.scope)).bytes(&pack(&k.key)),
            None => rows.no_bytes().no_bytes(),
        };
        match &commit.settles {
            Some((key, fence, _)) => rows.int(effect_place(key)).int(*fence),
            None => rows.null().null(),
        };
        match &commit.fires {
            Some(timer) => rows.text(timer),
            None => rows.null(),
        };
        match &commit.consumes {
            Some(hook) => rows.text(&hook.partner).text(&hook.once),
            None => rows.null().null(),
        };
    }
    rows.finish()
}

/// A used key first: a repeat is a repeat even when the journey moved on. Then **fence**, then **seq-cas**.
fn refusal(commit: &Commit, row: &super::Row) -> Result<Option<Committed>> {
    if let (Some(used), Some(hash)) = (&commit.idempotency, row.try_get::<Option<&[u8]>, _>(4)?) {
        return Ok(Some(Committed::KeyUsed(IdempotencyRecord {
            scope: used.scope.clone(),
            key: used.key.clone(),
            body_hash: unpack(hash, "idempotency.body_hash")?,
            journey: match row.try_get::<Option<&[u8]>, _>(5)? {
                Some(id) => unpack(id, "idempotency.journey")?,
                None => used.scope.clone(),
            },
            seq: row.try_get(6)?,
            at_ms: row.try_get(7)?,
        })));
    }
    let (settles, fires, consumes): (bool, bool, bool) = (row.try_get(8)?, row.try_get(9)?, row.try_get(10)?);
    if !(settles && fires && consumes) {
        return Ok(Some(Committed::Superseded));
    }
    let seq: Option<i64> = row.try_get(2)?;
    let agrees = match &commit.new {
        Some(_) => seq.is_none() && commit.expected_seq == 0,
        None => seq == Some(commit.expected_seq),
    };
    Ok((!agrees).then_some(Committed::Moved))
}

/// In the order of [`Parts`]. `or fail`: a statement that fails is undone with all the others, so it keeps no journal of its own.
const STATEMENTS: [&str; PARTS] = [
    // journeys that start
    "insert or fail into journeys (n, id, workflow, version, revision, seq, status, step, owner, language, channel, created_at, \
     updated_at, expires_at, attribution, state) select v[0], b[1], v[3], b[4], v[6], v[7], v[8], v[9], b[10], v[12], v[13], \
     v[14], v[14], v[15], t[16], t[18] from jsonb_each($rows) r",
    // journeys that move
    "update or fail journeys set revision = v[1], seq = v[2], status = v[3], step = v[4], owner = coalesce(b[5], owner), \
     updated_at = v[7], expires_at = v[8], state = t[9] from jsonb_each($rows) r where n = v[0]",
    // events
    "insert or fail into events (id, at, kind, actor, data) select ((v[0]) << 20) | (v[1]), v[2], v[3], t[4], t[6] from jsonb_each($rows) r",
    // effects settled, cancelled, ordered
    "update or fail effects set state = v[2], outcome = v[4], due_at = coalesce(v[3], due_at), next_at = coalesce(v[3], next_at) \
     from jsonb_each($rows) r where effects.id = ((v[0]) << 32) | (v[1])",
    "update or fail effects set state = 4 where state in (0, 1) and id in (select ((v[0]) << 32) | (v[1]) from jsonb_each($rows) r)",
    "insert or fail into effects (id, next_at, due_at, created_at, fence, attempts, attempts_max, state, deadline, kind, lane, payload) \
     select ((v[0]) << 32) | (v[1]), v[2], v[2], v[3], 0, 0, v[4], 0, v[5], v[6], v[7], t[8] from jsonb_each($rows) r",
    // timers removed, set
    "delete from timers where (journey, id) in (select v[0], v[1] from jsonb_each($rows) r)",
    "insert into timers (journey, id, next_at, due_at) select v[0], v[1], v[2], v[2] from jsonb_each($rows) r where true \
     on conflict (journey, id) do update set next_at = excluded.next_at, due_at = excluded.due_at",
    // answers cleared, written
    "delete from answers where (journey, slot) in (select v[0], v[1] from jsonb_each($rows) r)",
    "insert into answers (journey, slot, key, value) select v[0], v[1], v[2], t[3] from jsonb_each($rows) r where true \
     on conflict (journey, slot, key) do update set value = excluded.value",
    // drafts that are over
    "delete from drafts where (journey, step) in (select v[0], v[1] from jsonb_each($rows) r)",
    // correlations
    "insert into correlations (partner, reference, journey, expected) select v[1], v[2], b[3], t[5] from jsonb_each($rows) r \
     where true on conflict (partner, reference) do update set journey = excluded.journey, expected = excluded.expected",
    // webhooks consumed
    "insert into webhooks (partner, once, state, reference, at, event) select v[1], v[2], 1, v[3], v[4], t[5] \
     from jsonb_each($rows) r where true on conflict (partner, once) do update set state = 1",
    // replies
    "insert into replies (source, input_hash, at, output) select v[1], b[2], v[4], t[5] from jsonb_each($rows) r where true \
     on conflict (source, input_hash) do update set at = excluded.at, output = excluded.output",
    // incidents
    "insert into incidents (id, journey, version, place, reason, at, closed_at, detail) \
     select b[1], b[3], b[5], v[7], v[8], v[9], v[10], t[11] from jsonb_each($rows) r where true on conflict (id) do nothing",
    // idempotency keys
    "insert or fail into idempotency (scope, key, body_hash, journey, seq, at) select b[1], b[3], b[5], b[7], v[9], v[10] from jsonb_each($rows) r",
    // documents
    "insert into documents (id, journey, name, media_type, at, bytes) select b[1], b[3], v[5], v[6], v[7], b[8] \
     from jsonb_each($rows) r where true on conflict (id) do nothing",
    // records, read back with their public ids
    "insert into records (journey, kind, key, public_id, at, data) select v[0], v[1], v[2], b[3], v[5], t[6] \
     from jsonb_each($rows) r where true on conflict (journey, kind, key) do update set at = excluded.at, data = excluded.data \
     returning (select id from journeys j where j.n = journey), kind, key, public_id, data, at, journey",
    // sessions that begin
    "insert or fail into sessions (token_hash, id, created_at, expires_at, subject) select b[1], b[3], v[5], v[6], t[7] from jsonb_each($rows) r",
];

/// All tables in one go; returns the records with the number of their journey.
async fn write_parts(parts: Parts, conn: &mut Conn, after: &str) -> Result<Vec<(i64, Record)>> {
    static EXPANDED: LazyLock<[String; PARTS]> = LazyLock::new(|| STATEMENTS.map(expand));
    let mut sql = String::new();
    let mut used = Vec::new();
    for (rows, statement) in parts.rows.into_iter().zip(&*EXPANDED) {
        if rows.count > 0 {
            sql.push_str(&numbered(statement, 1 + 2 * used.len()));
            sql.push_str("; ");
            used.push(rows.finish());
        }
    }
    sql.push_str(after);
    let mut query = sqlx::query(AssertSqlSafe(sql));
    for (rows, long) in used {
        query = query.bind(rows).bind(long);
    }
    let rows = query.fetch_all(conn).await?;
    rows.iter().map(|r| Ok((r.try_get(6)?, record(r)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Connection;

    /// A commit costs the same whatever is stored.
    #[tokio::test]
    async fn no_statement_scans_a_table() -> std::result::Result<(), Box<dyn std::error::Error>> {
        let mut conn = Conn::connect("sqlite::memory:").await?;
        sqlx::migrate!("../../migrations/sqlite").run_direct(None, &mut conn, false).await?;
        for sql in STATEMENTS.iter().chain([&CHECK]) {
            let plan =
                sqlx::query(AssertSqlSafe(format!("explain query plan {}", numbered(&expand(sql), 1)))).bind("[]").bind(&[][..]).fetch_all(&mut conn).await?;
            for row in plan {
                let line: String = row.try_get("detail")?;
                let ours = !["SCAN r ", "SCAN jsonb_each "].iter().any(|given| line.starts_with(given));
                assert!(!(line.starts_with("SCAN") && ours), "{line}: {sql}");
            }
        }
        Ok(())
    }
}
