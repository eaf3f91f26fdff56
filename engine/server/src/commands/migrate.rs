//! `journey migrate`: what is one-way is said before it is done.

use super::open_as_operator;
use crate::product::alone;
use anyhow::{Context as _, Result};
use engine_definitions::FORMAT;
use engine_runtime::{Clock, SystemClock};
use engine_settings::Settings;
use engine_store::{Migration, Outstanding, Store, connect};
use std::process::ExitCode;

/// What would be done, line by line. `held`: the newest format of the definitions that are published.
pub fn lines(outstanding: &Outstanding, held: Option<i32>) -> Vec<String> {
    let Outstanding { is_new, migrations } = outstanding;
    let mut lines = Vec::new();
    match (migrations.len(), is_new) {
        (0, _) => {}
        (count, true) => lines.push(format!("a new database: {count} migrations")),
        (_, false) => {
            lines.push("one-way: a program that does not know these migrations refuses the database afterwards".into());
            for Migration { number, name, takes } in migrations {
                lines.push(format!("  {number} {name}"));
                lines.extend(takes.iter().map(|what| format!("    one-way: {what}")));
            }
        }
    }
    if let Some(held) = held.filter(|held| *held < FORMAT) {
        lines.push(format!(
            "one-way: definitions published from now on have format {FORMAT} (so far {held}): a program of before \
             refuses them"
        ));
    }
    lines
}

pub async fn dry_run(settings: Settings) -> Result<ExitCode> {
    let store = connect(&settings.database.url).await.context("the database cannot be opened")?;
    if print_outstanding(&*store).await? == 0 {
        println!("the {} database is up to date", store.kind());
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what is outstanding; how many lines it took.
async fn print_outstanding(store: &dyn Store) -> Result<usize> {
    let outstanding = store.outstanding().await.context("the database cannot be read")?;
    // Older tables may not have what newer statements read.
    let current = if outstanding.migrations.is_empty() { store.current_publication().await? } else { None };
    let held = current.and_then(|current| current.versions.iter().map(|version| version.format).max());
    let lines = lines(&outstanding, held);
    lines.iter().for_each(|line| println!("{line}"));
    Ok(lines.len())
}

/// `restored`: from a backup.
pub async fn migrate(settings: Settings, restored: bool) -> Result<ExitCode> {
    let _alone = if restored { alone(&settings.database.url)? } else { None };
    let store = connect(&settings.database.url).await.context("the database cannot be opened")?;
    print_outstanding(&*store).await?;
    store.migrate().await.context("the database cannot be migrated")?;
    println!("the {} database is up to date", store.kind());
    if restored {
        let epoch = store.begin_epoch(SystemClock::default().now_ms()).await?;
        // Who was forgotten since the backup is forgotten again, as with every start.
        open_as_operator(settings).await?;
        println!("restored {epoch} times: new orders have new keys; nothing is sent until `journey effects release`");
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_back_is_named() {
        let one = |takes: &[&str]| Migration {
            number: 6,
            name: "audit".into(),
            takes: takes.iter().map(|what| (*what).to_owned()).collect(),
        };
        let old = |migrations| Outstanding { is_new: false, migrations };
        assert_eq!(lines(&old(vec![]), Some(FORMAT)), Vec::<String>::new());
        let said = [
            "one-way: a program that does not know these migrations refuses the database afterwards",
            "  6 audit",
            "    one-way: visits of before are gone",
        ];
        assert_eq!(lines(&old(vec![one(&["visits of before are gone"])]), None), said);
        let new = Outstanding { is_new: true, migrations: vec![one(&["nothing of nothing"])] };
        assert_eq!(lines(&new, None), ["a new database: 1 migrations"]);
        let formats = lines(&old(vec![]), Some(FORMAT - 1)).join("");
        assert!(formats.starts_with("one-way: definitions published from now on have format"), "{formats}");
    }
}
