//! The tables that a batch of commits writes: what a row has, and the SQL that takes all rows of the batch at once.
//! Rows travel as one array per column and are read with `unnest`, so that the text of the statement depends only on
//! which tables it touches. The first field of every row says whose it is: the place of its commit in the batch.

use crate::Result;
use sqlx::postgres::PgArguments;
use sqlx::{Arguments, Encode, Postgres, Type};

/// Rows of one table.
pub trait Table: Send {
    /// Name of the part of the statement that writes the rows.
    fn name(&self) -> &'static str;

    /// `ROWS` stands for them, with the journey's number as `x.n` beside the columns.
    fn sql(&self) -> &'static str;

    /// Names of the columns with the kinds of their arrays.
    fn columns(&self) -> &'static [(&'static str, &'static str)];

    fn count(&self) -> usize;

    /// Takes the rows out, an array for each column.
    fn bind(&mut self, arguments: &mut PgArguments) -> Result<()>;
}

/// `unnest($1::bigint[], …) as x(no, …)`, with the number of the first array.
pub fn source(table: &dyn Table, alias: &str, first: usize) -> String {
    let (mut arrays, mut names) = (Vec::new(), Vec::new());
    for (number, (name, array)) in (first..).zip(table.columns()) {
        arrays.push(format!("${number}::{array}"));
        names.push(*name);
    }
    format!("unnest({}) as {alias}({})", arrays.join(", "), names.join(", "))
}

/// What a column can hold.
trait Kind {
    const ARRAY: &'static str;
}

impl Kind for i64 {
    const ARRAY: &'static str = "bigint[]";
}

impl Kind for String {
    const ARRAY: &'static str = "text[]";
}

impl Kind for Vec<u8> {
    const ARRAY: &'static str = "bytea[]";
}

impl<T: Kind> Kind for Option<T> {
    const ARRAY: &'static str = T::ARRAY;
}

fn add<T>(arguments: &mut PgArguments, values: &mut Vec<T>) -> Result<()>
where
    Vec<T>: for<'q> Encode<'q, Postgres> + Type<Postgres> + Send,
{
    Ok(arguments.add(std::mem::take(values)).map_err(sqlx::Error::Encode)?)
}

/// `table! { Rows of Row "name" { column: kind, … } "SQL" }`: a row is a struct, so that columns are matched by name
/// and kind when this is compiled.
macro_rules! table {
    ($(#[$doc:meta])* $rows:ident of $row:ident $name:tt { $($column:ident: $kind:ty),* $(,)? } $sql:expr) => {
        pub struct $row {
            $(pub $column: $kind,)*
        }

        $(#[$doc])*
        #[derive(Default)]
        pub struct $rows {
            $($column: Vec<$kind>,)*
        }

        impl $rows {
            pub fn push(&mut self, row: $row) {
                $(self.$column.push(row.$column);)*
            }
        }

        impl Table for $rows {
            fn name(&self) -> &'static str {
                $name
            }

            fn sql(&self) -> &'static str {
                $sql
            }

            fn columns(&self) -> &'static [(&'static str, &'static str)] {
                &[$((stringify!($column), <$kind as Kind>::ARRAY)),*]
            }

            fn count(&self) -> usize {
                self.no.len()
            }

            fn bind(&mut self, arguments: &mut PgArguments) -> Result<()> {
                $(add(arguments, &mut self.$column)?;)*
                Ok(())
            }
        }
    };
}

table! {
    /// Journeys that begin, and what must be so; written by a part of its own.
    Starts of Start "started" {
        no: i64, id: Vec<u8>, workflow: String, version: Vec<u8>, revision: i64, seq: i64, status: String, step: String,
        owner: Vec<u8>, person: Option<Vec<u8>>, language: String, channel: String, at: i64, expires_at: Option<i64>,
        attribution: String, keys: String, state: String, expected: i64, place: Option<i64>, timer: Option<String>,
        partner: Option<String>, once: Option<String>,
    } ""
}

table! {
    /// Journeys that go on, and what must be so; written by a part of its own.
    Moves of Move "moved" {
        no: i64, journey: Vec<u8>, revision: i64, seq: i64, status: String, step: String, person: Option<Vec<u8>>,
        at: i64, expires_at: Option<i64>, state: String, expected: i64, used: Option<i64>, place: Option<i64>,
        fence: Option<i64>, timer: Option<String>, partner: Option<String>, once: Option<String>,
    } ""
}

table! {
    Sends of CountedSend "sent" { no: i64, recipient: Vec<u8>, number: i64, at: i64 }
    "insert into sends (recipient, number, at) select c.recipient, c.number, c.at from counted c join ok on ok.no = \
         c.no"
}

table! {
    Events of Event "events" {
        no: i64, seq: i64, at: i64, kind: String, actor: String, data: String, key: Option<i64>, body_hash: Option<i64>,
    }
    "insert into events (id, at, kind, actor, data, key, body_hash) \
     select (n << 20) | seq, at, kind, actor, data, key, body_hash from ROWS"
}

table! {
    Settles of Settle "settles" { no: i64, place: i64, state: i64, due_at: Option<i64>, outcome: String }
    sql!("update effects e set state = x.state, outcome = x.outcome, due_at = coalesce(x.due_at, e.due_at), \
     next_at = coalesce(x.due_at - case when e.next_at < 0 then " ahead " else 0 end, e.next_at) from ROWS \
     where e.id = ((x.n << 32) | x.place)")
}

table! {
    Cancels of Cancel "cancels" { no: i64, place: i64, at: i64 }
    sql!(
        "update effects e set state = " cancelled ", due_at = least(e.due_at, x.at) from ROWS \
         where e.id = ((x.n << 32) | x.place) and e.state in (" pending ", " running ")"
    )
}

table! {
    Effects of Effect "effects_ordered" {
        no: i64, place: i64, next_at: i64, due_at: i64, attempts_max: i64, deadline: Option<i64>, kind: String,
        lane: String, payload: String, epoch: i64,
    }
    sql!(
        "insert into effects (id, next_at, due_at, fence, attempts, attempts_max, state, deadline, kind, lane, \
             payload, \
         epoch) select (n << 32) | place, next_at, due_at, 0, 0, attempts_max, " pending ", deadline, kind, lane, \
         payload, \
         epoch from ROWS"
    )
}

table! {
    UnsetTimers of UnsetTimer "timers_unset" { no: i64, id: String }
    "delete from timers t using ROWS where t.journey = x.n and t.id = x.id"
}

table! {
    Timers of Timer "timers_set" { no: i64, id: String, due_at: i64 }
    "insert into timers (journey, id, next_at, due_at) select n, id, due_at, due_at from ROWS \
     on conflict (journey, id) do update set next_at = excluded.next_at, due_at = excluded.due_at"
}

table! {
    /// What is written again stays: a row changes at most once in a statement.
    ClearedAnswers of ClearedAnswer "answers_cleared" { no: i64, slot: String, again: String }
    "delete from answers a using ROWS where a.journey = x.n and a.slot = x.slot \
     and a.key not in (select json_array_elements_text(x.again::json))"
}

table! {
    Answers of Answer "answers_put" { no: i64, slot: String, key: String, value: String }
    "insert into answers (journey, slot, key, value) select n, slot, key, value from ROWS \
     on conflict (journey, slot, key) do update set value = excluded.value"
}

table! {
    ClearedDrafts of ClearedDraft "drafts_cleared" { no: i64, step: String }
    "delete from drafts d using ROWS where d.journey = x.n and d.step = x.step"
}

table! {
    Correlations of Correlation "correlations_put" {
        no: i64, partner: String, reference: String, journey: Vec<u8>, expected: String,
    }
    "insert into correlations (partner, reference, journey, expected) \
     select partner, reference, journey, expected from ROWS \
     on conflict (partner, reference) do update set journey = excluded.journey, expected = excluded.expected"
}

table! {
    /// A parked one is locked by now; that a new one is consumed twice is refused by the unique key.
    Webhooks of Webhook "webhooks_consumed" {
        no: i64, partner: String, once: String, reference: String, at: i64, event: String,
    }
    sql!(
        "insert into webhooks as w (partner, once, state, reference, at, event) \
         select partner, once, " consumed ", reference, at, event from ROWS on conflict (partner, once) do update set \
         state = case when w.state = " waiting " then " consumed " else null end"
    )
}

table! {
    Replies of Reply "replies_put" { no: i64, source: String, input_hash: Vec<u8>, at: i64, output: String }
    "insert into replies (source, input_hash, at, output) select source, input_hash, at, output from ROWS \
     on conflict (source, input_hash) do update set at = excluded.at, output = excluded.output"
}

table! {
    Incidents of Incident "incidents_put" {
        no: i64, id: Vec<u8>, journey: Vec<u8>, version: Vec<u8>, place: String, reason: String, at: i64,
        closed_at: Option<i64>, detail: String,
    }
    "insert into incidents (id, journey, version, place, reason, at, closed_at, detail) \
     select id, journey, version, place, reason, at, closed_at, detail from ROWS on conflict (id) do nothing"
}

table! {
    Documents of Document "documents_put" {
        no: i64, id: Vec<u8>, journey: Vec<u8>, name: String, media_type: String, at: i64, bytes: Vec<u8>,
    }
    "insert into documents (id, journey, name, media_type, at, bytes) \
     select id, journey, name, media_type, at, bytes from ROWS on conflict (id) do nothing"
}

/// See [`Records`].
pub const RECORDS: &str = "records_put";

table! {
    /// The only one that gives rows back: with the public id that the first write gave.
    Records of RecordRow RECORDS {
        no: i64, kind: String, key: String, public_id: Vec<u8>, at: i64, data: String, kept: i64,
    }
    "insert into records (journey, kind, key, public_id, at, data, kept) \
     select n, kind, key, public_id, at, data, kept from ROWS \
     on conflict (journey, kind, key) do update set at = excluded.at, data = excluded.data, kept = excluded.kept \
     returning journey, kind, key, public_id, data, at, kept"
}

table! {
    Sessions of Session "sessions_begun" {
        no: i64, token_hash: Vec<u8>, id: Vec<u8>, created_at: i64, expires_at: i64, subject: String,
    }
    "insert into sessions (token_hash, id, created_at, expires_at, subject) \
     select token_hash, id, created_at, expires_at, subject from ROWS"
}

table! {
    /// Counts are written in one order: nodes that count in the same buckets do not wait for each other in a circle.
    SendCounts of SendCount "send_counts_added" { no: i64, bucket: Vec<u8>, slot: i64 }
    "insert into send_counts as b (bucket, slot, count) select bucket, slot, count(*) from ROWS \
     group by bucket, slot order by bucket, slot \
     on conflict (bucket, slot) do update set count = b.count + excluded.count"
}

table! {
    Drafts of Draft "drafts_put" { no: i64, step: String, at: i64, data: String }
    "insert into drafts (journey, step, at, data) select n, step, at, data from ROWS \
     on conflict (journey, step) do update set at = excluded.at, data = excluded.data"
}
