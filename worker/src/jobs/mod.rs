//! One job per file; here is which.

mod call_partner;
mod fire_timer;
mod give_up;
mod send_message;
mod track_step;

use crate::backoff::full_jitter;
use crate::files;
use crate::queue::{Job, Work};
use crate::settlements::Settlements;
use engine_definitions::{Catalog, Operation, Partner};
use engine_partners::{Begins, CallOutcome, Order, Partners};
use engine_runtime::effect::{Effect, TRACK, Target};
use engine_runtime::{Runtime, RuntimeError};
use engine_store::{EffectEnd, EffectRecord};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What every job may use.
#[derive(Clone)]
pub struct Context {
    pub runtime: Runtime,
    pub partners: Arc<Partners>,
}

/// Pause of what could not be counted.
const NOT_BEGUN_MS: i64 = 1_000;

/// One attempt of an effect: what a job gets.
pub(crate) struct Attempt<'a> {
    pub context: &'a Context,
    pub effect: &'a EffectRecord,
    settlements: &'a Settlements,
}

impl Attempt<'_> {
    /// Calls a partner's operation in the effect's name; the attempt is counted just before the request goes out.
    async fn call(&self, catalog: &Catalog, partner: &Partner, operation: &Operation, input: &Value) -> CallOutcome {
        let Ok(files) = files::of(self.context, &self.effect.key.journey, &operation.files(input)).await else {
            return CallOutcome::NotBegun;
        };
        let order = Order {
            key: &self.effect.idempotency_key(),
            subject: &self.effect.key.journey,
            since_ms: self.effect.created_at_ms,
            now_ms: self.context.runtime.now_ms(),
            begins: self,
            files: &files,
        };
        self.context.partners.call(catalog, partner, operation, input, order).await
    }

    /// End of an attempt that did not begin: nothing changes where the lease is lost; else it is looked at again soon.
    fn not_begun(&self) -> End {
        End::Later { due_at_ms: self.context.runtime.now_ms() + NOT_BEGUN_MS, reason: json!({"code": "not_begun"}) }
    }
}

impl Begins for Attempt<'_> {
    fn begin(&self) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let begun = self.settlements.begin(self.effect.key.clone(), self.effect.fence).await;
            begun.unwrap_or_else(|error| {
                tracing::warn!(effect = %self.effect.key, %error, "an attempt could not be counted, and is not made");
                false
            })
        })
    }
}

/// How a job went, for the queue; what it changed is committed already where it could be.
pub(crate) enum End {
    /// Settled in a journey's commit, or superseded.
    Settled,
    /// Ends outside of a journey's commit.
    Done(Value),
    /// Try again, not before this many milliseconds (`None`: by the default policy).
    Retry {
        after_ms: Option<i64>,
        reason: Value,
    },
    /// Not yet, and the attempt does not count.
    Later {
        due_at_ms: i64,
        reason: Value,
    },
    /// Not wanted.
    Cancel(Value),
    Park(Value),
}

/// Does one claimed piece of work. Nothing escapes: a panic or an error is a failed attempt.
pub(crate) async fn perform(job: Job, context: &Context, stop: &CancellationToken, settlements: &Settlements) {
    let Some((work, _place)) = job.take() else { return };
    match work {
        Work::Timer(timer) => {
            if let Err(error) = guard(fire_timer::fire(context, &timer)).await {
                // The claim lapses, and the timer is found again.
                tracing::warn!(journey = timer.journey, timer = timer.id, %error, "timer failed");
            }
        }
        Work::Effect(effect) => {
            let end = effect_job(context, &effect, stop, settlements).await;
            if effect.kind == TRACK {
                track_step::after(context, &effect, end.as_ref()).await;
            }
        }
    }
}

/// How it ended, when that was not in a journey's commit.
async fn effect_job(
    context: &Context,
    effect: &EffectRecord,
    stop: &CancellationToken,
    settlements: &Settlements,
) -> Option<EffectEnd> {
    tracing::debug!(effect = %effect.key, kind = effect.kind, attempt = effect.attempt(), "begins");
    let measure = Measure::begin(context, effect);
    let attempt = Attempt { context, effect, settlements };
    let work = guard(async {
        if let Some(spent) = effect.spent() {
            return give_up::give_up(&attempt, spent).await;
        }
        match Effect::read(effect) {
            Ok(Effect::Call(call)) => call_partner::call(&attempt, &call).await,
            Ok(Effect::Notify(message)) => send_message::send(&attempt, &message).await,
            Ok(Effect::Track(step)) => track_step::track(&attempt, &step).await,
            // An effect of another program: an operator decides.
            Err(error) => Ok(End::Park(json!({"code": "unreadable", "text": error.to_string()}))),
        }
    });
    let ended = tokio::select! {
        ended = with_lease(context, effect, work) => ended,
        () = too_long(context, stop) => {
            Ok(End::Later { due_at_ms: context.runtime.now_ms(), reason: json!({"code": "given_back"}) })
        }
    };
    let end = match ended {
        Ok(End::Settled) => {
            measure.end("done");
            return None;
        }
        Ok(End::Done(outcome)) => EffectEnd::Done { outcome },
        Ok(End::Later { due_at_ms, reason }) => EffectEnd::Later { due_at_ms, reason },
        Ok(End::Cancel(reason)) => EffectEnd::Cancelled { reason },
        Ok(End::Park(reason)) => EffectEnd::Parked { reason },
        Ok(End::Retry { after_ms, reason }) => again(context, effect, after_ms, reason),
        Err(error) => {
            tracing::warn!(effect = %effect.key, kind = effect.kind, attempt = effect.attempt(), %error, "job failed");
            if effect.spent().is_some() {
                // The claim lapses; after some more it is parked as it stands.
                measure.end("retry");
                return None;
            }
            let reason = json!({"code": "error", "text": error});
            match effect.may_retry() {
                true => again(context, effect, None, reason),
                // Whoever claims it next gives it up, and tells its journey.
                false => EffectEnd::Retry { due_at_ms: context.runtime.now_ms(), reason },
            }
        }
    };
    measure.end(match &end {
        EffectEnd::Done { .. } => "done",
        EffectEnd::Retry { .. } => "retry",
        EffectEnd::Later { .. } => "later",
        EffectEnd::Parked { .. } => "parked",
        EffectEnd::Cancelled { .. } => "cancelled",
    });
    if let Err(error) = settlements.end(effect.key.clone(), effect.fence, end.clone()).await {
        // The lease lapses, and the effect is found again with the same key.
        tracing::warn!(effect = %effect.key, %error, "the end of a job could not be written");
    }
    Some(end)
}

/// Figures of one attempt, by the effect's kind and lane.
struct Measure {
    labels: [(&'static str, String); 2],
    begun: Instant,
}

impl Measure {
    fn begin(context: &Context, effect: &EffectRecord) -> Measure {
        let labels = [("kind", effect.kind.clone()), ("lane", effect.lane.clone())];
        metrics::counter!("journey_effect_attempts_total", &labels).increment(1);
        if effect.attempt() > 1 {
            metrics::counter!("journey_effect_retries_total", &labels).increment(1);
        }
        let waited_ms = (context.runtime.now_ms() - effect.due_at_ms).max(0);
        metrics::histogram!("journey_effect_wait_seconds", &labels).record(waited_ms as f64 / 1000.0);
        Measure { labels, begun: Instant::now() }
    }

    fn end(self, outcome: &'static str) {
        metrics::histogram!("journey_effect_seconds", &self.labels).record(self.begun.elapsed().as_secs_f64());
        let [kind, lane] = self.labels;
        metrics::counter!("journey_effects_total", "kind" => kind.1, "lane" => lane.1, "outcome" => outcome)
            .increment(1);
    }
}

/// Found when the call is made: partners are always live.
fn operation_of<'c>(catalog: &'c Catalog, target: &Target) -> Option<(&'c Arc<Partner>, &'c Arc<Operation>)> {
    match target {
        Target::Operation { partner, operation } => catalog.partner(partner).zip(catalog.operation(partner, operation)),
        Target::Contract { contract, partner } => catalog.for_contract(contract, partner),
    }
}

fn again(context: &Context, effect: &EffectRecord, after_ms: Option<i64>, reason: Value) -> EffectEnd {
    if !effect.may_retry() {
        return EffectEnd::Parked { reason };
    }
    let wait = after_ms.unwrap_or_else(|| full_jitter(effect.attempt(), 500, 60_000));
    EffectEnd::Retry { due_at_ms: context.runtime.now_ms() + wait, reason }
}

/// A stop leaves running work some time to end.
async fn too_long(context: &Context, stop: &CancellationToken) {
    stop.cancelled().await;
    tokio::time::sleep(Duration::from_millis(context.runtime.settings().worker.stop_ms)).await;
}

/// Keeps the lease while the work lasts.
async fn with_lease<T>(context: &Context, effect: &EffectRecord, work: impl Future<Output = T>) -> T {
    let lease_ms = context.runtime.settings().worker.lease_ms;
    let beat = async {
        loop {
            tokio::time::sleep(Duration::from_millis((lease_ms / 3).max(1) as u64)).await;
            let until = context.runtime.now_ms() + lease_ms;
            if let Err(error) = context.runtime.store().extend_lease(&effect.key, effect.fence, until).await {
                tracing::warn!(effect = %effect.key, %error, "lease could not be extended");
            }
        }
    };
    tokio::select! {
        done = work => done,
        never = beat => never,
    }
}

async fn guard<T>(work: impl Future<Output = Result<T, RuntimeError>>) -> Result<T, String> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("panic".into()),
    }
}
