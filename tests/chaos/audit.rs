//! The auditor: what was promised, what is stored, and what the partners saw, held against each other.

use super::customers::Ledger;
use super::partners::{Partners, Requests};
use super::processes::KEY;
use super::report::Report;
use anyhow::Result;
use engine_runtime::{Runtime, SystemClock};
use engine_settings::{Secret, Settings};
use engine_store::{EffectFilter, EffectRecord, EffectState, EventRecord, JourneyRecord, JourneyStatus, Store};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The database as its operators see it.
pub async fn opened(url: &str) -> Result<Runtime> {
    let store = engine_store::connect(url).await?;
    let settings = Settings {
        keys: engine_settings::Keys { master: Some(Secret::new(KEY.into())), ..Default::default() },
        ..Settings::default()
    };
    let runtime = Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await?;
    runtime.publishing.load_current().await?;
    Ok(runtime)
}

/// `lost`: what the partners had seen when the database was taken back to an earlier time.
pub async fn audit(
    url: &str,
    ledger: &Ledger,
    partners: &Partners,
    lost: Option<&Requests>,
    report: &mut Report,
) -> Result<()> {
    let runtime = opened(url).await?;
    let store = runtime.store().clone();
    let witness = opened(partners.database()).await?.store().clone();

    for wrong in ledger.wrong.lock().unwrap_or_else(|e| e.into_inner()).drain(..) {
        report.violation(wrong);
    }
    let promised = ledger.promised().clone();
    let effects = store.effects(EffectFilter { limit: 1_000_000, ..EffectFilter::default() }).await?;
    let known: BTreeSet<&str> = promised.keys().map(String::as_str).collect();
    let orphans: BTreeSet<&str> =
        effects.iter().map(|e| e.key.journey.as_str()).filter(|id| !known.contains(id)).collect();
    let requests = partners.requests().await?;
    let mut events = 0;
    for (journey, tags) in &promised {
        events += one(&*store, &runtime, journey, Some(tags), report).await?;
        let bookings = partners.remembered(&*witness, &format!("bookings of {journey}")).await?.len();
        let wanted = lost.map_or(1..=1, |lost| orders(&effects, &requests, lost, journey));
        if !wanted.contains(&bookings) {
            report.violation(format!("{journey} was booked {bookings} times for {wanted:?} orders"));
        }
        let logs = partners.remembered(&*witness, &format!("logs of {journey}")).await?;
        meant(&effects, journey, &logs, report);
    }
    for journey in &orphans {
        events += one(&*store, &runtime, journey, None, report).await?;
    }
    let refused = ledger.refused.lock().unwrap_or_else(|e| e.into_inner()).clone();
    for (journey, tag) in &refused {
        if tagged(&all_events(&*store, journey).await?, tag) > 0 {
            report.violation(format!("{journey}: `{tag}` was refused, and is in the history"));
        }
    }
    let counted: i64 = store.journey_counts().await?.iter().map(|c| c.count).sum();
    if counted != (known.len() + orphans.len()) as i64 {
        report.violation(format!("{counted} journeys are stored, {} are known", known.len() + orphans.len()));
    }
    // A call that nobody waits for and that used up its attempts is told to an operator; nothing else may be.
    let given_up: BTreeSet<String> = effects
        .iter()
        .filter(|e| e.outcome.as_ref().is_some_and(|o| o["ok"] == false))
        .map(|e| e.key.to_string())
        .collect();
    let (told, wrong): (Vec<_>, Vec<_>) = store
        .incidents(true, 10_000)
        .await?
        .into_iter()
        // Incidents of nobody: what was told of an order that is lost.
        .filter(|i| !(lost.is_some() && i.journey.is_empty()))
        .partition(|i| i.detail["work"]["effect"].as_str().is_some_and(|key| given_up.contains(key)));
    for incident in &wrong {
        report.violation(format!("incident at `{}` of {}: {}", incident.place, incident.journey, incident.reason));
    }

    report.figure("journeys finished", promised.len());
    report.figure("starts nobody was told of", orphans.len());
    report.figure("acknowledged events", promised.values().map(Vec::len).sum::<usize>());
    report.figure("events in the histories", events);
    report.figure("requests of customers", ledger.requests.load(Ordering::Relaxed));
    report.figure("sent again with the same key", ledger.repeated.load(Ordering::Relaxed));
    report.figure("answered as done before", ledger.replayed.load(Ordering::Relaxed));
    report.figure("refused as overtaken", refused.len());
    report.figure("incidents of calls given up", told.len());
    delivered(&effects, &requests, lost, report);
    Ok(())
}

/// Orders of a booking of this journey: those that the database knows, and at most those that it knew: a partner may
/// have been left while it noted one.
fn orders(
    effects: &[EffectRecord],
    requests: &Requests,
    lost: &Requests,
    journey: &str,
) -> std::ops::RangeInclusive<usize> {
    let booked = |key: &String| requests.contains_key(&("swift/book".to_owned(), key.clone()));
    let known = effects.iter().filter(|e| e.key.journey == journey).map(EffectRecord::idempotency_key);
    let known: BTreeSet<String> = known.filter(booked).collect();
    let own = format!("{journey}.");
    let of_it = lost.keys().filter(|(operation, key)| operation == "swift/book" && key.starts_with(&own));
    let forgotten = of_it.filter(|(_, key)| !known.contains(key)).count();
    known.len()..=known.len() + forgotten
}

/// What a partner keeps under the key of an order is what was ordered: no key was taken for another.
fn meant(effects: &[EffectRecord], journey: &str, logs: &[(String, Value)], report: &mut Report) {
    for effect in effects.iter().filter(|e| e.key.journey == journey && e.state == EffectState::Done) {
        let stars = &effect.payload["input"]["stars"];
        let Some((key, kept)) = logs.iter().find(|(key, _)| *key == effect.idempotency_key()) else { continue };
        if kept["stars"] != *stars {
            report.violation(format!("{key} stands for {} at the partner, and was {stars}", kept["stars"]));
        }
    }
}

/// A journey of an errand: its promises, its end, and all that [`history`] looks at. Returns how many events it has.
async fn one(
    store: &dyn Store,
    runtime: &Runtime,
    journey: &str,
    promised: Option<&Vec<String>>,
    report: &mut Report,
) -> Result<usize> {
    let Some((record, events)) = history(store, runtime, journey, report).await? else { return Ok(0) };
    for tag in promised.into_iter().flatten() {
        let found = tagged(&events, tag);
        if found != 1 {
            report.violation(format!("{journey}: `{tag}` was acknowledged, and is {found} times in the history"));
        }
    }
    let tags: Vec<&str> = events.iter().filter_map(tag_of).collect();
    if tags.iter().collect::<BTreeSet<_>>().len() != tags.len() {
        report.violation(format!("{journey}: an event is twice in the history: {tags:?}"));
    }
    let picked = events.iter().filter(|e| e.data["event"] == "errand.picked").count();
    match promised {
        Some(_)
            if record.status != JourneyStatus::Done
                || !record.step.ends_with("errand") && !record.step.ends_with("done") =>
        {
            report.violation(format!("{journey} is {:?} at `{}`", record.status, record.step));
        }
        Some(_) if picked != 1 => report.violation(format!("{journey}: its webhook came {picked} times")),
        // Nobody knows it: it waits for its person, and for nothing else.
        None if !record.step.ends_with("address") => report.violation(format!("{journey} rests at `{}`", record.step)),
        Some(_) | None => {}
    }
    Ok(events.len())
}

/// Any journey: it is there, the numbers of its events have no gaps, and they give the state that is stored.
pub async fn history(
    store: &dyn Store,
    runtime: &Runtime,
    journey: &str,
    report: &mut Report,
) -> Result<Option<(JourneyRecord, Vec<EventRecord>)>> {
    let Some(record) = store.journey(journey).await? else {
        report.violation(format!("{journey} was acknowledged, and is lost"));
        return Ok(None);
    };
    let events = all_events(store, journey).await?;
    if events.iter().map(|e| e.seq).ne(1..=record.seq) {
        report.violation(format!(
            "{journey}: the numbers of its {} events have gaps up to {}",
            events.len(),
            record.seq
        ));
    }
    match runtime.operations.replay(journey).await {
        Ok(Some(differences)) if differences.is_empty() => {}
        Ok(differences) => {
            report.violation(format!("{journey}: replay differs: {:?}", differences.unwrap_or_default().first()))
        }
        Err(error) => report.violation(format!("{journey}: replay: {error}")),
    }
    Ok(Some((record, events)))
}

async fn all_events(store: &dyn Store, journey: &str) -> Result<Vec<EventRecord>> {
    Ok(store.events(journey, 0, 10_000).await?)
}

fn tag_of(event: &EventRecord) -> Option<&str> {
    event.data.get("data").unwrap_or(&event.data).get("tag")?.as_str()
}

fn tagged(events: &[EventRecord], tag: &str) -> usize {
    events.iter().filter(|event| tag_of(event) == Some(tag)).count()
}

/// Every committed effect was delivered, parked with a reason, or called off; nothing was delivered that was not
/// committed.
fn delivered(effects: &[EffectRecord], requests: &Requests, lost: Option<&Requests>, report: &mut Report) {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for ((_, key), count) in requests {
        *seen.entry(key).or_default() += count;
    }
    let mut by_state: BTreeMap<&str, usize> = BTreeMap::new();
    for effect in effects {
        let key = effect.idempotency_key();
        let state = match effect.state {
            EffectState::Done => "done",
            EffectState::Parked => "parked",
            EffectState::Cancelled => "cancelled",
            EffectState::Pending | EffectState::Running => "open",
        };
        *by_state.entry(state).or_default() += 1;
        let good = effect.outcome.as_ref().is_some_and(|o| o["ok"] == true || o["sent"] == true);
        match effect.state {
            EffectState::Done if good && !seen.contains_key(key.as_str()) => {
                report.violation(format!("effect {key} to {} is done, and the partner never saw it", effect.lane));
            }
            EffectState::Parked if effect.outcome.is_none() => {
                report.violation(format!("effect {key} is parked without a reason"))
            }
            EffectState::Pending | EffectState::Running => {
                report.violation(format!("effect {key} to {} is still {:?}", effect.lane, effect.state))
            }
            EffectState::Done | EffectState::Parked | EffectState::Cancelled => {}
        }
    }
    let ordered: BTreeSet<String> = effects.iter().map(EffectRecord::idempotency_key).collect();
    let was_lost = |request: &(String, String)| lost.is_some_and(|lost| lost.contains_key(request));
    for (operation, key) in requests.keys().filter(|r| !ordered.contains(&r.1) && !was_lost(r)) {
        report.violation(format!("{operation} was called with {key}, which nobody has committed"));
    }
    report.figure("effects", effects.len());
    report.figure(
        "of them",
        by_state.iter().map(|(state, count)| format!("{count} {state}")).collect::<Vec<_>>().join(", "),
    );
    report.figure("keys at the partners", requests.len());
    report.figure("requests beyond the first per key", requests.values().map(|count| count - 1).sum::<u64>());
    report.figure("attempts beyond the first", effects.iter().map(|e| i64::from(e.attempts - 1).max(0)).sum::<i64>());
}
