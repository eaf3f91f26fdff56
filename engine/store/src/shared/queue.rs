//! The queue: effects and timers, claimed in batches under a lease (**fence**).

use super::super::{Conn, Database, Pool, Row, dialect};
use super::json::{json, value};
use crate::ids::{effect_key, effect_place, fits, pack, unpack};
use crate::*;
use async_trait::async_trait;
use sqlx::{AssertSqlSafe, QueryBuilder, Row as _};
use std::collections::HashSet;
use tokio::sync::watch;

#[async_trait]
impl Queue for Database {
    async fn claim_effects(&self, claim: ClaimRequest) -> Result<Vec<EffectRecord>> {
        write!(self, conn => claim_effects(conn, &claim))
    }
    async fn begin_effects(&self, effects: Vec<(EffectKey, i64)>) -> Result<Vec<bool>> {
        write!(self, conn => begin_effects(conn, &effects))
    }
    async fn sign_of_life(&self, worker: &str, now_ms: i64, dead_after_ms: Option<i64>) -> Result<u64> {
        let freed = self.write_sign_of_life(worker, now_ms, dead_after_ms).await?;
        if freed > 0 {
            self.wake_all();
        }
        Ok(freed)
    }
    async fn extend_lease(&self, effect: &EffectKey, fence: i64, until_ms: i64) -> Result<bool> {
        let key = effect.clone();
        write!(self, conn => extend_lease(conn, &key, fence, until_ms))
    }
    async fn finish_effects(&self, ends: Vec<(EffectKey, i64, EffectEnd)>) -> Result<Vec<bool>> {
        let again = ends.iter().any(|(_, _, end)| end.due_again_ms().is_some());
        let done = write!(self, conn => finish_effects(conn, &ends))?;
        if again && done.contains(&true) {
            self.wake_all();
        }
        Ok(done)
    }
    async fn first_in_line(&self, effect: &EffectKey, kind: &str) -> Result<bool> {
        read!(self.read_first_in_line(effect, kind))
    }
    async fn call_next(&self, effect: &EffectKey, kind: &str, now_ms: i64) -> Result<bool> {
        let (key, kind) = (effect.clone(), kind.to_owned());
        let called = write!(self, conn => call_next(conn, &key, &kind, now_ms))?;
        if called {
            self.wake_all();
        }
        Ok(called)
    }
    async fn call_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        let key = effect.clone();
        let called = write!(self, conn => call_effect(conn, &key, now_ms))?;
        if called {
            self.wake_all();
        }
        Ok(called)
    }
    async fn effect(&self, effect: &EffectKey) -> Result<Option<EffectRecord>> {
        read!(self.read_effect(effect))
    }
    async fn effects(&self, filter: EffectFilter) -> Result<Vec<EffectRecord>> {
        read!(self.read_effects(&filter))
    }
    async fn requeue_effect(&self, effect: &EffectKey, now_ms: i64) -> Result<bool> {
        let key = effect.clone();
        let done = write!(self, conn => requeue_effect(conn, &key, now_ms))?;
        if done {
            self.wake_all();
        }
        Ok(done)
    }
    async fn claim_timers(&self, claim: ClaimRequest) -> Result<Vec<TimerRecord>> {
        write!(self, conn => claim_timers(conn, &claim))
    }
    async fn end_leases(&self, now_ms: i64) -> Result<()> {
        transact!(self, conn => end_leases(conn, now_ms))
    }
    async fn next_due_beside(&self, lanes: &[&str]) -> Result<Option<i64>> {
        read!(self.read_next_due(lanes))
    }
    fn wake(&self) -> watch::Receiver<u64> {
        self.hub.wakes()
    }
    async fn backlog(&self) -> Result<Vec<Backlog>> {
        read!(self.read_backlog())
    }
}

/// Qualified by the table's own name: SQLite knows no alias in `returning`.
const COLUMNS: &str = sql!("effects.id, (select j.id from journeys j where j.n = effects.id >> 32), effects.kind, \
     effects.lane, \
     effects.payload, effects.state, effects.due_at, effects.attempts, effects.attempts_max, effects.deadline, \
     cast(effects.fence as bigint), effects.next_at + case when effects.next_at < 0 then " ahead " else 0 end, \
     effects.worker, effects.outcome, effects.claims, effects.epoch, \
     coalesce((select e.at from events e where e.id = (((effects.id >> 32) << 20) | ((effects.id >> 12) & \
     1048575))), effects.due_at), effects.next_at < 0");

/// Moves a time to where its effect stands: what a person waits for stays ahead of all that is not.
const PLACED: &str = sql!("case when effects.next_at < 0 then " ahead " else 0 end");

/// Id of the effect $1 = journey, $2 = place.
const BY_KEY: &str = "id = (((select n from journeys where id = $1) << 32) | $2)";

impl Database {
    pub async fn read_effect(&self, key: &EffectKey) -> Result<Option<EffectRecord>> {
        effect_by_key(&self.pool, key).await
    }

    /// Effects by journey and order of creation; parked ones by age. A limit of 0 means 1,000.
    pub async fn read_effects(&self, filter: &EffectFilter) -> Result<Vec<EffectRecord>> {
        let mut query = QueryBuilder::new(format!("select {COLUMNS} from effects where 1 = 1"));
        if let Some(journey) = &filter.journey {
            let number: Option<i64> = sqlx::query_scalar("select n from journeys where id = $1")
                .bind(pack(journey))
                .fetch_optional(&self.pool)
                .await?;
            let Some(n) = number else { return Ok(Vec::new()) };
            query.push(" and effects.id >= ").push_bind(n << 32).push(" and effects.id < ").push_bind((n + 1) << 32);
        }
        if let Some(state) = filter.state {
            // a literal: the partial indexes need it
            query.push(format!(" and effects.state = {}", state.number()));
        }
        if let Some(kind) = &filter.kind {
            query.push(" and effects.kind = ").push_bind(kind.clone());
        }
        if let Some(lane) = &filter.lane {
            query.push(" and effects.lane = ").push_bind(lane.clone());
        }
        let order = if filter.journey.is_some() { "effects.id" } else { "effects.due_at, effects.id" };
        let limit = if filter.limit == 0 { 1000 } else { i64::from(filter.limit) };
        query.push(format!(" order by {order} limit {limit}"));
        query.build().fetch_all(&self.pool).await?.iter().map(effect).collect()
    }

    /// Whether no earlier effect of this kind and journey is still to be done.
    pub async fn read_first_in_line(&self, key: &EffectKey, kind: &str) -> Result<bool> {
        let sql = sql!(
            "select id from effects where id >= ((select n from journeys where id = $1) << 32) \
             and id < (((select n from journeys where id = $1) << 32) | $2) and kind = $3 and state <= " open " limit 1"
        );
        let before: Option<i64> = sqlx::query_scalar(sql)
            .bind(pack(&key.journey))
            .bind(effect_place(key))
            .bind(kind)
            .fetch_optional(&self.pool)
            .await?;
        Ok(before.is_none())
    }

    /// The states as literals: the partial indexes need them.
    pub async fn read_backlog(&self) -> Result<Vec<Backlog>> {
        let rows = sqlx::query(sql!(
            "select kind, lane, cast(state as bigint), count(*), \
                 min(next_at + case when next_at < 0 then " ahead " else 0 end) from effects \
               where state <= " open " group by kind, lane, state \
             union all select kind, lane, cast(state as bigint), count(*), min(due_at) from effects \
               where state = " parked " group by kind, lane, state \
             union all select 'timer', '', cast(" pending " as bigint), count(*), min(due_at) from timers \
               having count(*) > 0"
        ));
        rows.fetch_all(&self.pool)
            .await?
            .iter()
            .map(|r| {
                Ok(Backlog {
                    kind: r.try_get(0)?,
                    lane: r.try_get(1)?,
                    state: EffectState::from_number(r.try_get(2)?)?,
                    count: r.try_get(3)?,
                    oldest_ms: r.try_get(4)?,
                })
            })
            .collect()
    }

    pub async fn read_next_due(&self, beside: &[&str]) -> Result<Option<i64>> {
        let besides = match beside.is_empty() {
            true => String::new(),
            false => format!("and lane not in ({})", dialect::TEXTS),
        };
        let sql = format!(
            sql!(
                "select min(at) from (select min(next_at) as at from effects where state <= " open " and next_at >= 0 \
                   {} \
                 union all select min(next_at) + " ahead " from effects where state <= " open " and next_at < 0 \
                 union all select min(next_at) from timers) as waiting"
            ),
            besides
        );
        let query = sqlx::query_scalar(AssertSqlSafe(sql));
        let query = if beside.is_empty() { query } else { query.bind(serde_json::json!(beside).to_string()) };
        Ok(query.fetch_one(&self.pool).await?)
    }
}

pub async fn effect_by_key(pool: &Pool, key: &EffectKey) -> Result<Option<EffectRecord>> {
    if !fits(key.seq, key.index) {
        return Ok(None);
    }
    let row = sqlx::query(AssertSqlSafe(format!("select {COLUMNS} from effects where {BY_KEY}")))
        .bind(pack(&key.journey))
        .bind(effect_place(key))
        .fetch_optional(pool)
        .await?;
    row.map(|r| effect(&r)).transpose()
}

/// What can be given up no more is parked instead of handed out, and its fence grows all the same, so that a frozen
/// worker cannot settle it. The two ranges of the index are read apart: one has no backlog to wait behind.
pub async fn claim_effects(conn: &mut Conn, claim: &ClaimRequest) -> Result<Vec<EffectRecord>> {
    let sql = format!(
        sql!(
            "with room as materialized ({room}), \
             urgent as materialized (select {seen} from effects \
               where state <= " open " and next_at <= $1 - " ahead " and {released} \
               and lane not in (select lane from room where free_ahead = 0) order by next_at limit $6{lock}), \
             usual as materialized (select {seen} from effects \
               where state <= " open " and next_at >= 0 and next_at <= $1 and {released} \
               and lane not in (select lane from room where free = 0) order by next_at limit $2{lock}), \
             ranked as (select seen.id, fit, tries, case when next_at < 0 then free_ahead else free end as free, \
               row_number() over (partition by coalesce(gate, seen.lane) order by next_at, seen.id) as nth \
               from (select * from urgent union all select * from usual) as seen \
               left join room on room.lane = seen.lane), \
             due as (select id, fit, tries from ranked where free is null or nth <= free) \
             update effects set fence = fence + 1, \
               state = case when due.fit then " running " else " parked " end, \
               claims = case when due.fit then claims + 1 else claims end, \
               next_at = case when due.fit then $3 - {placed} else next_at end, \
               worker = case when due.fit then $4 else worker end, \
               outcome = case when due.fit then outcome else '{{\"code\":\"' || \
                 case when due.tries then 'claims' else 'attempts' end || \
                 case when outcome is null then '\"}}' else '\",\"last\":' || outcome || '}}' end end \
             from due where effects.id = due.id returning {columns}"
        ),
        room = dialect::ROOM,
        released = "not exists (select 1 from kv where bucket = 'store' and key = 'held')",
        seen = format!(
            "id, lane, next_at, claims < {} as fit, attempts < attempts_max as tries",
            CLAIMS_MAX + GIVE_UPS_MAX
        ),
        lock = dialect::SKIP_LOCKED,
        placed = PLACED,
        columns = COLUMNS,
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(claim.now_ms)
        .bind(i64::from(claim.limit))
        .bind(claim.now_ms.saturating_add(claim.lease_ms))
        .bind(claim.worker.as_str())
        .bind(room(&claim.lanes))
        .bind(i64::from(claim.ahead))
        .fetch_all(conn)
        .await?;
    let mut effects = rows.iter().map(effect).collect::<Result<Vec<_>>>()?;
    effects.retain(|e| e.state == EffectState::Running);
    effects.sort_by(|a, b| (!a.is_ahead, a.due_at_ms, &a.key).cmp(&(!b.is_ahead, b.due_at_ms, &b.key)));
    Ok(effects)
}

/// The lanes as [`dialect::ROOM`] reads them.
fn room(lanes: &[LaneRoom]) -> String {
    let rows = lanes.iter().map(|room| serde_json::json!([room.lane, room.gate, room.free, room.free_ahead]));
    serde_json::Value::from_iter(rows).to_string()
}

pub async fn claim_timers(conn: &mut Conn, claim: &ClaimRequest) -> Result<Vec<TimerRecord>> {
    let sql = format!(
        "with due as materialized (select journey, id from timers where next_at <= $1 order by next_at limit $2{lock}) \
         update timers set next_at = $3, worker = $4 from due where timers.journey = due.journey and timers.id = \
         due.id returning {columns}",
        lock = dialect::SKIP_LOCKED,
        columns = "(select j.id from journeys j where j.n = timers.journey), timers.id, timers.due_at",
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(claim.now_ms)
        .bind(i64::from(claim.limit))
        .bind(claim.now_ms.saturating_add(claim.lease_ms))
        .bind(claim.worker.as_str())
        .fetch_all(conn)
        .await?;
    let mut timers = Vec::with_capacity(rows.len());
    for r in &rows {
        let journey = unpack(r.try_get(0)?, "timers.journey")?;
        timers.push(TimerRecord { journey, id: r.try_get(1)?, due_at_ms: r.try_get(2)? });
    }
    timers.sort_by_key(|t| t.due_at_ms);
    Ok(timers)
}

/// Leased effects are due at once; a leased timer looks later than it is due.
pub async fn end_leases(conn: &mut Conn, now_ms: i64) -> Result<()> {
    for sql in [
        // the first condition is the index's
        sql!("update effects set next_at = $1 where state <= " open " and state = " running " and next_at > $1"),
        sql!(
            "update effects set next_at = $1 - " ahead " where state <= " open " and state = " running " \
             and next_at < 0 and next_at > $1 - " ahead
        ),
        "update timers set next_at = due_at where next_at > $1 and due_at <= $1",
        // files that somebody looked at, or had a partner look at
        "update uploads set due = $1 where due > $1 and state in (1, 2)",
    ] {
        sqlx::query(sql).bind(now_ms).execute(&mut *conn).await?;
    }
    Ok(())
}

pub async fn extend_lease(conn: &mut Conn, key: &EffectKey, fence: i64, until_ms: i64) -> Result<bool> {
    let sql = format!(
        sql!("update effects set next_at = $4 - {} where {} and fence = $3 and state = " running),
        PLACED, BY_KEY
    );
    let done = sqlx::query(AssertSqlSafe(sql))
        .bind(pack(&key.journey))
        .bind(effect_place(key))
        .bind(fence)
        .bind(until_ms)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// One statement for all; says for each whether its lease still held.
pub async fn begin_effects(conn: &mut Conn, begun: &[(EffectKey, i64)]) -> Result<Vec<bool>> {
    if begun.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new("with v (journey, place, fence) as (");
    query.push_values(begun, |mut row, (key, fence)| {
        row.push_bind(pack(&key.journey)).push_bind(effect_place(key)).push_bind(*fence);
    });
    query.push(sql!(
        ") update effects set attempts = attempts + 1, claims = 0 from v join journeys on journeys.id = v.journey \
         where effects.id = ((journeys.n << 32) | v.place) and effects.fence = v.fence and effects.state = " running " \
         returning effects.id, (select j.id from journeys j where j.n = effects.id >> 32)"
    ));
    let done = returned_keys(conn, query).await?;
    Ok(begun.iter().map(|(key, _)| done.contains(key)).collect())
}

/// Ends effects, in one statement for all; says for each whether its lease still held. A retry counts also when its
/// attempt did not begin; what is given back does not, also when it began.
pub async fn finish_effects(conn: &mut Conn, ends: &[(EffectKey, i64, EffectEnd)]) -> Result<Vec<bool>> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new("with v (journey, place, fence, state, due_at, outcome, unbegun, begun) as (");
    query.push_values(ends, |mut row, (key, fence, end)| {
        let (state, due_at, outcome) = end_columns(end);
        row.push_bind(pack(&key.journey)).push_bind(effect_place(key)).push_bind(*fence).push_bind(i64::from(state));
        row.push_bind(due_at).push_bind(outcome).push_bind(i64::from(matches!(end, EffectEnd::Retry { .. })));
        row.push_bind(-i64::from(matches!(end, EffectEnd::Later { .. })));
    });
    query.push(sql!(
        ") update effects set state = v.state, outcome = v.outcome, due_at = coalesce(v.due_at, effects.due_at), \
         next_at = coalesce(v.due_at - case when effects.next_at < 0 then " ahead " else 0 end, effects.next_at), \
         claims = 0, \
         attempts = effects.attempts + case when effects.claims > 0 then v.unbegun else v.begun end \
         from v join journeys on journeys.id = v.journey \
         where effects.id = ((journeys.n << 32) | v.place) and effects.fence = v.fence \
         and (effects.state in (" running ", " parked ") or effects.state = " pending " and v.state = " cancelled ") \
         returning effects.id, (select j.id from journeys j where j.n = effects.id >> 32)"
    ));
    let done = returned_keys(conn, query).await?;
    Ok(ends.iter().map(|(key, _, _)| done.contains(key)).collect())
}

async fn returned_keys(conn: &mut Conn, mut query: QueryBuilder<dialect::Db>) -> Result<HashSet<EffectKey>> {
    let rows = query.build().fetch_all(conn).await?;
    rows.iter().map(|r| Ok(effect_key(unpack(r.try_get(1)?, "effects.id")?, r.try_get(0)?))).collect()
}

/// The next effect of this kind and journey, if it waits, is due now.
pub async fn call_next(conn: &mut Conn, key: &EffectKey, kind: &str, now_ms: i64) -> Result<bool> {
    let sql = sql!(
        "update effects set next_at = $4 - case when next_at < 0 then " ahead " else 0 end, due_at = $4 \
         where due_at > $4 and id = (select min(id) from effects \
         where id > (((select n from journeys where id = $1) << 32) | $2) \
           and id < (((select n from journeys where id = $1) + 1) << 32) and kind = $3 and state = " pending ")"
    );
    let done =
        sqlx::query(sql).bind(pack(&key.journey)).bind(effect_place(key)).bind(kind).bind(now_ms).execute(conn).await?;
    Ok(done.rows_affected() == 1)
}

pub async fn call_effect(conn: &mut Conn, key: &EffectKey, now_ms: i64) -> Result<bool> {
    let sql = format!(
        sql!(
            "update effects set next_at = $3 - {}, due_at = $3 where {} and state = " pending " and due_at > $3"
        ),
        PLACED, BY_KEY
    );
    let done = sqlx::query(AssertSqlSafe(sql))
        .bind(pack(&key.journey))
        .bind(effect_place(key))
        .bind(now_ms)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn requeue_effect(conn: &mut Conn, key: &EffectKey, now_ms: i64) -> Result<bool> {
    let sql = format!(
        sql!(
            "update effects set state = " pending ", attempts = 0, claims = 0, due_at = $3, next_at = $3 - {}, \
             outcome = null where {} and state in (" done ", " parked ")"
        ),
        PLACED, BY_KEY
    );
    let done = sqlx::query(AssertSqlSafe(sql))
        .bind(pack(&key.journey))
        .bind(effect_place(key))
        .bind(now_ms)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// State, new due time, outcome.
pub fn end_columns(end: &EffectEnd) -> (i16, Option<i64>, String) {
    match end {
        EffectEnd::Done { outcome } => (EffectState::Done.number(), None, json(outcome)),
        EffectEnd::Retry { due_at_ms, reason } => (EffectState::Pending.number(), Some(*due_at_ms), json(reason)),
        EffectEnd::Later { due_at_ms, reason } => (EffectState::Pending.number(), Some(*due_at_ms), json(reason)),
        EffectEnd::Parked { reason } => (EffectState::Parked.number(), None, json(reason)),
        EffectEnd::Cancelled { reason } => (EffectState::Cancelled.number(), None, json(reason)),
    }
}

fn effect(r: &Row) -> Result<EffectRecord> {
    let state = EffectState::from_number(r.try_get::<i16, _>(5)?.into())?;
    Ok(EffectRecord {
        key: effect_key(unpack(r.try_get(1)?, "effects.id")?, r.try_get(0)?),
        kind: r.try_get(2)?,
        lane: r.try_get(3)?,
        payload: value(r.try_get(4)?, "effects.payload")?,
        state,
        due_at_ms: r.try_get(6)?,
        attempts: r.try_get(7)?,
        attempts_max: r.try_get(8)?,
        deadline_ms: r.try_get(9)?,
        fence: r.try_get(10)?,
        lease_until_ms: if state == EffectState::Running { Some(r.try_get(11)?) } else { None },
        worker: r.try_get(12)?,
        outcome: r.try_get::<Option<&str>, _>(13)?.map(|t| value(t, "effects.outcome")).transpose()?,
        claims: r.try_get::<i16, _>(14)?.into(),
        epoch: r.try_get::<i16, _>(15)?.into(),
        created_at_ms: r.try_get(16)?,
        is_ahead: r.try_get(17)?,
    })
}
