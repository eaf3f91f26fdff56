//! Customers of a soak: each buys one car after another, and thinks on every page.

use journey_tests::buyer::{Asked, Buyer, Errand, Next};
use journey_tests::server::Visitor;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longest journey; partners that misbehave may hold one up, an insurer for days.
const PATIENCE: Duration = Duration::from_secs(180);

/// Time from the first request of one customer to that of the next one.
const ARRIVAL: Duration = Duration::from_millis(200);

/// Between two looks at a page that waits.
const LOOK: Duration = Duration::from_millis(500);

/// What they met since somebody asked.
#[derive(Default)]
pub struct Told {
    pub bought: u64,
    /// Customers whose patience ended, by the step that they left.
    pub left: BTreeMap<String, u64>,
    pub taken: Vec<(Asked, Duration)>,
    pub errors: u64,
}

impl Told {
    pub fn journeys(&self) -> u64 {
        self.bought + self.left.values().sum::<u64>()
    }
}

#[derive(Clone)]
struct Shop {
    origin: String,
    partners: String,
    pause: Duration,
    numbers: Arc<AtomicU64>,
    told: Arc<Mutex<Told>>,
    errors: Arc<Mutex<Vec<String>>>,
    closed: CancellationToken,
}

pub struct Shoppers {
    shop: Shop,
    tasks: Vec<JoinHandle<()>>,
}

impl Shoppers {
    pub fn begin(count: usize, pause: Duration, origin: &str, partners: &str) -> Shoppers {
        let shop = Shop {
            origin: origin.to_owned(),
            partners: partners.to_owned(),
            pause,
            numbers: Arc::default(),
            told: Arc::default(),
            errors: Arc::default(),
            closed: CancellationToken::new(),
        };
        let tasks = (0..count).map(|number| tokio::spawn(shop.clone().works(ARRIVAL * number as u32))).collect();
        Shoppers { shop, tasks }
    }

    /// What happened since the last time.
    pub fn told(&self) -> Told {
        std::mem::take(&mut self.shop.told.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nobody begins another journey; what happened since the last time, and all that went wrong.
    pub async fn end(mut self) -> (Told, Vec<String>) {
        self.shop.closed.cancel();
        futures::future::join_all(self.tasks.drain(..)).await;
        let errors = std::mem::take(&mut *self.shop.errors.lock().unwrap_or_else(PoisonError::into_inner));
        (self.told(), errors)
    }
}

impl Shop {
    async fn works(self, arrival: Duration) {
        tokio::time::sleep(arrival).await;
        while !self.closed.is_cancelled() {
            let number = self.numbers.fetch_add(1, Ordering::Relaxed);
            // Whatever is not as promised ends the customer's journey, not the customer.
            let journey = tokio::spawn(self.clone().journey(number)).await;
            if let Err(panic) = journey {
                let why = panic.into_panic();
                let why = why.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without words".to_owned());
                self.told.lock().unwrap_or_else(PoisonError::into_inner).errors += 1;
                self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(why);
                tokio::time::sleep(LOOK).await;
            }
        }
    }

    async fn journey(self, number: u64) {
        let today = chrono::Utc::now().date_naive();
        let mut buyer = Buyer::new(
            Errand::Car,
            number,
            today,
            Visitor::at(self.origin.clone()),
            Visitor::at(self.partners.clone()),
        );
        let begun = Instant::now();
        loop {
            let next = buyer.goes_on().await;
            if self.note(&mut buyer, next, begun.elapsed() > PATIENCE) {
                return;
            }
            tokio::time::sleep(if next == Next::Acted { self.pause } else { LOOK }).await;
        }
    }

    /// Notes a look; whether the customer's journey is over.
    fn note(&self, buyer: &mut Buyer, next: Next, is_late: bool) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.taken.append(&mut buyer.taken);
        if next == Next::Ended {
            told.bought += 1;
        } else if is_late {
            *told.left.entry(buyer.step().to_owned()).or_default() += 1;
        }
        next == Next::Ended || is_late
    }
}
