//! The texts that differ between the two databases.

use super::Conn;
use crate::Result;

pub const KIND: &str = "sqlite";
pub type Db = sqlx::Sqlite;

/// There is one writer: nobody else holds the row.
pub const SKIP_LOCKED: &str = "";

/// Places of lanes: rows `[lane, gate, free, free ahead]` of the JSON list $5.
pub const ROOM: &str = "select value ->> 0 as lane, value ->> 1 as gate, cast(value ->> 2 as integer) as free, \
     cast(value ->> 3 as integer) as free_ahead from json_each($5)";

/// Texts of the JSON list $1.
pub const TEXTS: &str = "select value from json_each($1)";

/// Whether the database was ever migrated: 0 or 1.
pub const IS_MIGRATED: &str = "select count(*) from sqlite_master where name = 'journey_migrations'";

/// A journey with its answers and drafts.
macro_rules! journey {
    ($from:literal) => {
        concat!(
            "select j.id, j.workflow, j.version, j.revision, j.seq, j.status, j.step, j.owner, j.person, \
             j.language, j.channel, j.created_at, j.updated_at, j.expires_at, j.attribution, j.state, \
             (select json_group_array(json_array(a.slot, a.key, a.value)) from answers a where a.journey = j.n), \
             (select json_group_array(json_array(d.step, d.at, d.data)) from drafts d where d.journey = j.n), \
             j.keys ",
            $from
        )
    };
}

pub const JOURNEY: &str = journey!("from journeys j where j.id = $1");

/// Journeys whose ids stand in the JSON list $1 as hex.
pub const JOURNEYS: &str = journey!("from json_each($1) r join journeys j on j.id = unhex(r.value)");

/// Rows `[id as hex, time, 0 or 1]` of the JSON list $1, with the journey's number.
pub const SEEN: &str = "select j.n, r.value ->> 1, r.value ->> 2 from json_each($1) r join journeys j on j.id = \
     unhex(r.value ->> 0) where true";

/// A transaction is alone already.
pub async fn lock(_: &mut Conn, _: &str) -> Result<()> {
    Ok(())
}
