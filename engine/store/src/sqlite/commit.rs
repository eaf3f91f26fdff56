//! One commit on the writer's connection, row by row with prepared statements. The writer is alone and its transaction
//! is open: nothing changes between a check and what is written after it, and a commit sees those before it in the
//! batch.

use super::shared::{end_columns, json};
use crate::ids::{effect_place, pack, unpack};
use crate::normal::key_of_event;
use crate::{Commit, Committed, EffectKey, NewJourney, Record, Result, StoreError, UsedKey};
use rusqlite::{Connection, OptionalExtension, Params, StatementStatus, params};

/// Writes all of it, or nothing and says why. After an error the transaction must be undone.
pub fn write(conn: &Connection, commit: &Commit, epoch: i32) -> Result<Committed> {
    let stored = one(conn, "select n, seq from journeys where id = ?1", [pack(&commit.journey)], |r| {
        Ok((r.get(0)?, r.get(1)?))
    })?;
    if let Some(refusal) = refusal(conn, commit, stored)? {
        return Ok(refusal);
    }
    let n = journey(conn, commit, stored.map(|(n, _)| n))?;
    for (at, event) in commit.events.iter().enumerate() {
        let (key, body_hash) = key_of_event(commit, at);
        let sql = "insert into events (id, at, kind, actor, data, key, body_hash) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let id = n << 20 | (commit.expected_seq + 1 + at as i64);
        run(conn, sql, params![id, event.at_ms, event.kind, json(&event.by), json(&event.data), key, body_hash])?;
    }
    queue(conn, commit, n, epoch)?;
    rows_beside(conn, commit, n)?;
    outside(conn, commit)?;
    let records = records(conn, commit, n)?;
    Ok(Committed::Done { records })
}

fn run(conn: &Connection, sql: &str, values: impl Params) -> Result<()> {
    let mut statement = conn.prepare_cached(sql)?;
    statement.execute(values)?;
    debug_assert_eq!(
        statement.get_status(StatementStatus::FullscanStep),
        0,
        "a commit costs the same whatever is stored: {sql}"
    );
    Ok(())
}

fn one<T>(
    conn: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    let found = statement.query_row(values, read).optional()?;
    debug_assert_eq!(
        statement.get_status(StatementStatus::FullscanStep),
        0,
        "a commit costs the same whatever is stored: {sql}"
    );
    Ok(found)
}

/// A used key first: a repeat is a repeat even when the journey moved on. Then **fence**, then **seq-cas**.
fn refusal(conn: &Connection, commit: &Commit, stored: Option<(i64, i64)>) -> Result<Option<Committed>> {
    let n = stored.map(|(n, _)| n);
    if let Some(key) = &commit.idempotency {
        let read = |r: &rusqlite::Row<'_>| r.get(0);
        let used: Option<Option<i64>> = match (key.key, n) {
            (Some(key), n) => {
                one(conn, "select body_hash from events where id >> 20 = ?1 and key = ?2", params![n, key], read)?
            }
            (None, Some(n)) => one(conn, "select body_hash from events where id = ?1", [n << 20 | 1], read)?,
            (None, None) => None,
        };
        if let Some(body_hash) = used.flatten() {
            return Ok(Some(Committed::KeyUsed(UsedKey { journey: commit.journey.clone(), body_hash })));
        }
    }
    let held = match &commit.settles {
        Some((key, fence, _)) => exists(
            conn,
            sql!("select 1 from effects where id = ?1 and fence = ?2 and state in (" running ", " parked ")"),
            params![place(n, key), fence],
        )?,
        None => true,
    };
    let waits = match &commit.fires {
        Some(timer) => exists(conn, "select 1 from timers where journey = ?1 and id = ?2", params![n, timer])?,
        None => true,
    };
    let seen = match &commit.consumes {
        Some(hook) => exists(
            conn,
            sql!("select 1 from webhooks where partner = ?1 and once = ?2 and state <> " waiting),
            params![hook.partner, hook.once],
        )?,
        None => false,
    };
    if !held || !waits || seen {
        return Ok(Some(Committed::Superseded));
    }
    let agrees = match &commit.new {
        Some(_) => stored.is_none() && commit.expected_seq == 0,
        None => stored.is_some_and(|(_, seq)| seq == commit.expected_seq),
    };
    for send in &commit.sends {
        let sql = "select 1 from sends where recipient = ?1 and number = ?2";
        if exists(conn, sql, params![pack(&send.recipient), send.number])? {
            return Ok(Some(Committed::Moved));
        }
    }
    Ok((!agrees).then_some(Committed::Moved))
}

fn exists(conn: &Connection, sql: &str, values: impl Params) -> Result<bool> {
    Ok(one(conn, sql, values, |_| Ok(()))?.is_some())
}

fn place(n: Option<i64>, key: &EffectKey) -> Option<i64> {
    n.map(|n| n << 32 | effect_place(key))
}

/// The journey's number.
fn journey(conn: &Connection, commit: &Commit, stored: Option<i64>) -> Result<i64> {
    let update = &commit.update;
    let seq = commit.expected_seq + commit.events.len() as i64;
    let person = update.person.as_deref().map(pack);
    let n = match (&commit.new, stored) {
        (Some(NewJourney { session, workflow, version, owner, language, channel, attribution, keys }), _) => {
            if let Some(s) = session {
                let sql = "insert into sessions (token_hash, id, created_at, expires_at, subject) \
                     values (?1, ?2, ?3, ?4, ?5)";
                run(
                    conn,
                    sql,
                    params![pack(&s.token_hash), pack(&s.id), s.created_at_ms, s.expires_at_ms, json(&s.subject)],
                )?;
            }
            let sql = "insert into journeys (id, workflow, version, revision, seq, status, step, owner, language, \
                 channel, person, created_at, \
                 updated_at, expires_at, attribution, state, keys) \
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?12, ?13, ?14, ?15, ?16)";
            let values = params![
                pack(&commit.journey),
                workflow,
                pack(version),
                update.revision,
                seq,
                update.status.as_str(),
                update.step,
                pack(owner),
                language,
                channel,
                person,
                update.at_ms,
                update.expires_at_ms,
                json(attribution),
                update.state,
                keys
            ];
            run(conn, sql, values)?;
            conn.last_insert_rowid()
        }
        (None, Some(n)) => {
            let sql = "update journeys set revision = ?2, seq = ?3, status = ?4, step = ?5, person = ?6, \
                 updated_at = ?7, expires_at = ?8, state = ?9 where n = ?1";
            run(
                conn,
                sql,
                params![
                    n,
                    update.revision,
                    seq,
                    update.status.as_str(),
                    update.step,
                    person,
                    update.at_ms,
                    update.expires_at_ms,
                    update.state
                ],
            )?;
            n
        }
        (None, None) => {
            return Err(StoreError::Corrupt {
                column: "journeys.n",
                reason: "a journey without a number moves".into(),
            });
        }
    };
    Ok(n)
}

fn queue(conn: &Connection, commit: &Commit, n: i64, epoch: i32) -> Result<()> {
    if let Some((key, _, end)) = &commit.settles {
        let (state, due_at, outcome) = end_columns(end);
        let sql = sql!(
            "update effects set state = ?2, outcome = ?4, due_at = coalesce(?3, due_at), \
             next_at = coalesce(?3 - case when next_at < 0 then " ahead " else 0 end, next_at) where id = ?1"
        );
        run(conn, sql, params![place(Some(n), key), state, due_at, outcome])?;
    }
    for key in &commit.cancel_effects {
        let sql = sql!(
            "update effects set state = " cancelled ", due_at = min(due_at, ?2) \
             where id = ?1 and state in (" pending ", " running ")"
        );
        run(conn, sql, params![place(Some(n), key), commit.update.at_ms])?;
    }
    for e in &commit.effects {
        let sql = sql!(
            "insert into effects (id, next_at, due_at, fence, attempts, attempts_max, state, deadline, kind, lane, \
                 payload, \
               epoch) values (?1, ?9, ?2, 0, 0, ?3, " pending ", ?4, ?5, ?6, ?7, ?8)"
        );
        let values = params![
            place(Some(n), &e.key),
            e.due_at_ms,
            e.attempts_max,
            e.deadline_ms,
            e.kind,
            e.lane,
            json(&e.payload),
            epoch,
            e.next_at_ms()
        ];
        run(conn, sql, values)?;
    }
    for id in &commit.cancel_timers {
        run(conn, "delete from timers where journey = ?1 and id = ?2", params![n, id])?;
    }
    for timer in &commit.timers {
        let sql = "insert into timers (journey, id, next_at, due_at) values (?1, ?2, ?3, ?3) \
             on conflict (journey, id) do update set next_at = excluded.next_at, due_at = excluded.due_at";
        run(conn, sql, params![n, timer.id, timer.due_at_ms])?;
    }
    Ok(())
}

fn rows_beside(conn: &Connection, commit: &Commit, n: i64) -> Result<()> {
    for slot in &commit.clear_answers {
        run(conn, "delete from answers where journey = ?1 and slot = ?2", params![n, slot])?;
    }
    for answer in &commit.answers {
        let sql = "insert into answers (journey, slot, key, value) values (?1, ?2, ?3, ?4) \
             on conflict (journey, slot, key) do update set value = excluded.value";
        run(conn, sql, params![n, answer.into, answer.key, json(&answer.value)])?;
    }
    for step in &commit.clear_drafts {
        run(conn, "delete from drafts where journey = ?1 and step = ?2", params![n, step])?;
    }
    for d in &commit.drafts {
        let sql = "insert into drafts (journey, step, at, data) values (?1, ?2, ?3, ?4) \
             on conflict (journey, step) do update set at = excluded.at, data = excluded.data";
        run(conn, sql, params![n, d.step, d.at_ms, json(&d.data)])?;
    }
    for d in &commit.documents {
        let sql = "insert into documents (id, journey, name, media_type, at, bytes) values (?1, ?2, ?3, ?4, ?5, ?6) \
             on conflict (id) do nothing";
        run(conn, sql, params![pack(&d.id), pack(&d.journey), d.name, d.media_type, d.at_ms, d.bytes])?;
    }
    Ok(())
}

fn outside(conn: &Connection, commit: &Commit) -> Result<()> {
    for c in &commit.correlations {
        let sql = "insert into correlations (partner, reference, journey, expected) values (?1, ?2, ?3, ?4) \
             on conflict (partner, reference) do update set journey = excluded.journey, expected = excluded.expected";
        run(conn, sql, params![c.partner, c.reference, pack(&c.journey), json(&c.expected)])?;
    }
    if let Some(hook) = &commit.consumes {
        let sql = sql!(
            "insert into webhooks (partner, once, state, reference, at, event) \
             values (?1, ?2, " consumed ", ?3, ?4, ?5) on conflict (partner, once) do update set state = " consumed
        );
        run(conn, sql, params![hook.partner, hook.once, hook.reference, hook.at_ms, json(&hook.event)])?;
    }
    for reply in &commit.replies {
        let sql = "insert into replies (source, input_hash, at, output) values (?1, ?2, ?3, ?4) \
             on conflict (source, input_hash) do update set at = excluded.at, output = excluded.output";
        run(conn, sql, params![reply.source, pack(&reply.input_hash), reply.at_ms, json(&reply.output)])?;
    }
    for send in &commit.sends {
        let sql = "insert into sends (recipient, number, at) values (?1, ?2, ?3)";
        run(conn, sql, params![pack(&send.recipient), send.number, commit.update.at_ms])?;
        for (bucket, slot) in &send.buckets {
            let sql = "insert into send_counts (bucket, slot, count) values (?1, ?2, 1) \
                 on conflict (bucket, slot) do update set count = count + 1";
            run(conn, sql, params![pack(bucket), slot])?;
        }
    }
    for i in &commit.incidents {
        let sql = "insert into incidents (id, journey, version, place, reason, at, closed_at, detail) \
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict (id) do nothing";
        run(
            conn,
            sql,
            params![
                pack(&i.id),
                pack(&i.journey),
                pack(&i.version),
                i.place,
                i.reason,
                i.at_ms,
                i.closed_at_ms,
                json(&i.detail)
            ],
        )?;
    }
    Ok(())
}

/// Writes records; each comes back with the public id that the first write gave.
fn records(conn: &Connection, commit: &Commit, n: i64) -> Result<Vec<Record>> {
    let sql = "insert into records (journey, kind, key, public_id, at, data, kept) values (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         on conflict (journey, kind, key) do update set at = excluded.at, data = excluded.data, kept = excluded.kept \
         returning public_id";
    let write = |record: &crate::NewRecord| {
        let (fresh, at_ms) = (uuid::Uuid::new_v4(), commit.update.at_ms);
        let (id, kept) = (&fresh.as_bytes()[..], record.kept.as_int());
        let values = params![n, record.kind, record.key, id, at_ms, json(&record.data), kept];
        let public_id: Vec<u8> = conn.prepare_cached(sql)?.query_row(values, |r| r.get(0))?;
        Ok(Record {
            journey: commit.journey.clone(),
            kind: record.kind.clone(),
            key: record.key.clone(),
            public_id: unpack(&public_id, "records.public_id")?,
            data: record.data.clone(),
            kept: record.kept,
            at_ms,
        })
    };
    commit.records.iter().map(write).collect()
}
