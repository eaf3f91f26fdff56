//! The tables of each database, as `build.rs` embeds them from `migrations/`.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, description, SQL.
type Embedded = &'static [(i64, &'static str, &'static str)];

pub(crate) const SQLITE: Embedded = include!(concat!(env!("OUT_DIR"), "/sqlite.rs"));
pub(crate) const POSTGRES: Embedded = include!(concat!(env!("OUT_DIR"), "/postgres.rs"));

/// What brings a database up to date; what was applied stands in `journey_migrations`.
pub(crate) fn migrator(embedded: Embedded) -> Migrator {
    let read = |(version, description, sql): &(i64, &'static str, &'static str)| {
        Migration::new(*version, (*description).into(), MigrationType::Simple, sql.into_sql_str(), false)
    };
    let mut migrator = Migrator::with_migrations(embedded.iter().map(read).collect());
    migrator.dangerous_set_table_name("journey_migrations");
    migrator
}
