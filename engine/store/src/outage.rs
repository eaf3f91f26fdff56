//! Which errors say that a database cannot be reached or written now.

use crate::Outage;
use rusqlite::ErrorCode;

pub fn of_rusqlite(error: &rusqlite::Error) -> Option<Outage> {
    match error.sqlite_error_code()? {
        ErrorCode::DiskFull => Some(Outage::Full),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some(Outage::ReadOnly),
        ErrorCode::CannotOpen | ErrorCode::SystemIoFailure => Some(Outage::Unreachable),
        _ => None,
    }
}

/// Codes: PostgreSQL's classes 08, 53, 57P and 25006; SQLite's numbers, whose low byte is the kind.
pub fn of_sqlx(error: &sqlx::Error) -> Option<Outage> {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Some(Outage::Unreachable),
        sqlx::Error::Database(error) => match error.code()?.as_ref() {
            "53100" => Some(Outage::Full),
            "25006" => Some(Outage::ReadOnly),
            code if ["08", "53", "57P"].iter().any(|class| code.starts_with(class) && code.len() == 5) => {
                Some(Outage::Unreachable)
            }
            code => match code.parse::<u32>().ok().filter(|_| code.len() < 5)? & 0xff {
                13 => Some(Outage::Full),
                3 | 8 => Some(Outage::ReadOnly),
                10 | 14 => Some(Outage::Unreachable),
                _ => None,
            },
        },
        _ => None,
    }
}
