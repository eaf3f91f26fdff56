//! The texts that differ between the two databases.

use super::Conn;
use crate::Result;

pub const KIND: &str = "postgres";
pub type Db = sqlx::Postgres;

/// What another node claims at this moment is left to it.
pub const SKIP_LOCKED: &str = " for update skip locked";

/// Places of lanes: rows `[lane, gate, free, free ahead]` of the JSON list $5.
pub const ROOM: &str = "select r.value ->> 0 as lane, r.value ->> 1 as gate, (r.value ->> 2)::bigint as free, \
     (r.value ->> 3)::bigint as free_ahead from jsonb_array_elements($5::jsonb) r(value)";

/// Texts of the JSON list $1.
pub const TEXTS: &str = "select jsonb_array_elements_text($1::jsonb)";

/// Whether the database was ever migrated: 0 or 1.
pub const IS_MIGRATED: &str = "select count(to_regclass('journey_migrations'))";

/// A journey with its answers and drafts.
macro_rules! journey {
    ($from:literal) => {
        concat!(
            "select j.id, j.workflow, j.version, j.revision, j.seq, j.status, j.step, j.owner, j.person, \
             j.language, j.channel, j.created_at, j.updated_at, j.expires_at, j.attribution, j.state, \
             (select json_agg(json_build_array(a.slot, a.key, a.value))::text from answers a where a.journey = j.n), \
             (select json_agg(json_build_array(d.step, d.at, d.data))::text from drafts d where d.journey = j.n), \
             j.keys ",
            $from
        )
    };
}

pub const JOURNEY: &str = journey!("from journeys j where j.id = $1");

/// Journeys whose ids stand in the JSON list $1 as hex.
pub const JOURNEYS: &str =
    journey!("from jsonb_array_elements_text($1::jsonb) r(id) join journeys j on j.id = decode(r.id, 'hex')");

/// Rows `[id as hex, time, 0 or 1]` of the JSON list $1, with the journey's number, always in one order: nodes that
/// write the same rows do not wait for each other in a circle.
pub const SEEN: &str = "select j.n, (r.value ->> 1)::bigint, (r.value ->> 2)::smallint from \
     jsonb_array_elements($1::jsonb) r(value) \
     join journeys j on j.id = decode(r.value ->> 0, 'hex') order by 1";

/// Takes the lock of this name until the end of the transaction.
pub async fn lock(conn: &mut Conn, name: &str) -> Result<()> {
    sqlx::query("select pg_advisory_xact_lock(hashtextextended($1, 7))").bind(name).execute(conn).await?;
    Ok(())
}
