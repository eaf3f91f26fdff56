//! The whole product in one process.

use crate::{StoreMemory, definitions};
use anyhow::{Context as _, Result, bail};
use engine_definitions::{Catalog, Files};
use engine_http::{App, Doors, Options};
use engine_partners::memory::Memory;
use engine_partners::{Partners, sandbox};
use engine_runtime::{Actor, Clock, PublishError, Runtime, Stories};
use engine_settings::Settings;
use engine_store::Store;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The source of a start's definitions.
pub enum Source {
    /// Published at the start; `watch`: again on every save.
    Folder { folder: PathBuf, watch: bool },
    /// Given by a test.
    Files(Files),
    /// What the database has; into an empty one, what the binary carries.
    Stored,
}

/// What to start.
pub struct Start {
    /// `server.address` may have port 0.
    pub settings: Settings,
    pub source: Source,
    pub clock: Arc<dyn Clock>,
    /// Work in this process too.
    pub worker: bool,
}

/// A running product. Dropping it stops nothing: call [`Product::stop`].
pub struct Product {
    pub address: SocketAddr,
    /// Address of the listener that `server.health_address` names.
    pub health_address: Option<SocketAddr>,
    pub runtime: Runtime,
    pub settings: Arc<Settings>,
    pub memory: Arc<dyn Memory>,
    stop: CancellationToken,
    server: JoinHandle<()>,
    worker: Option<JoinHandle<Result<(), worker::WorkerError>>>,
    /// Shows which keys this node has.
    shown: JoinHandle<()>,
    /// A SQLite file is ours as long as this is open.
    _alone: Option<std::fs::File>,
}

impl Product {
    /// Binds, migrates, publishes, and answers from then on.
    pub async fn start(start: Start) -> Result<Product> {
        let Start { mut settings, source, clock, worker } = start;
        // First the address: partners of the sandbox and return pages name it.
        let listener = listen("server.address", &settings.server.address).await?;
        let health = match &settings.server.health_address {
            Some(address) => Some(listen("server.health_address", address).await?),
            None => None,
        };
        let health_address = health.as_ref().map(TcpListener::local_addr).transpose()?;
        let address = listener.local_addr()?;
        settings.server.address = reachable(address).to_string();

        let store = open(&mut settings).await?;
        let settings = Arc::new(settings);
        let alone = alone(&settings.database.url)?;
        if alone.is_some() {
            // whoever worked on the file before us is gone
            store.end_leases(clock.now_ms()).await?;
        }
        let runtime = Runtime::new(store.clone(), settings.clone(), clock).await?;
        runtime.go_on().await?;
        let stop = CancellationToken::new();
        let shown = join(&runtime, alone.is_some(), &stop).await?;
        // Work that it orders from now on must not wait for this time to come again, should it die at once.
        runtime.keep_time().await?;
        publish(&runtime, source, &stop).await?;
        // A withdrawal is told to partners: by the definitions.
        runtime.remember_forgotten().await?;

        let memory: Arc<dyn Memory> = Arc::new(StoreMemory(runtime.store().clone()));
        let inbox = settings.sandbox.enabled.then(|| memory.clone());
        let partners = Arc::new(Partners::new(settings.clone(), inbox)?);
        let app = App::new(Options {
            runtime: runtime.clone(),
            partners: partners.clone(),
            settings: settings.clone(),
            metrics: metrics(&stop),
            shutdown: stop.clone(),
        })
        .map_err(anyhow::Error::msg)?;
        if let Some(listener) = health {
            let (router, doors) = (engine_http::health(app.clone()), Doors::of_health(&settings));
            tokio::spawn(engine_http::serve(listener, router, doors, stop.clone()));
        }
        let router =
            engine_http::router(app, settings.sandbox.enabled.then(|| fake_partners(&runtime, &settings, &memory)));
        let doors = Doors::new(&settings).map_err(anyhow::Error::msg)?;
        let server = tokio::spawn(engine_http::serve(listener, router, doors, stop.clone()));
        let worker = worker.then(|| {
            let context = worker::Context { runtime: runtime.clone(), partners };
            tokio::spawn(worker::run(context, stop.clone().cancelled_owned()))
        });
        if worker.is_none() {
            tokio::spawn(worker::follow(runtime.clone(), stop.clone()));
        }
        Ok(Product { address, health_address, runtime, settings, memory, stop, server, worker, shown, _alone: alone })
    }

    /// `http://…` of this process.
    pub fn url(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Titles and addresses of the workflows' first pages.
    pub fn landings(&self) -> Vec<(String, String)> {
        let catalog = self.runtime.catalog();
        catalog
            .workflows()
            .filter(|workflow| !workflow.base.is_empty())
            .map(|workflow| (workflow.title.clone(), format!("{}{}", self.settings.public_url(), workflow.base)))
            .collect()
    }

    /// Resolves when the listener or the worker ends by itself, which is an error.
    pub async fn run_until_end(&mut self) -> anyhow::Error {
        let worker = async {
            match &mut self.worker {
                Some(worker) => worker.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            server = &mut self.server => anyhow::anyhow!("the listener ended: {server:?}"),
            worker = worker => anyhow::anyhow!("the worker ended: {worker:?}"),
        }
    }

    /// Finishes what was accepted, gives leases back, and ends.
    pub async fn stop(self) -> Result<()> {
        self.stop.cancel();
        let limit = Duration::from_millis(self.settings.server.stop_ms);
        let both = async {
            let server = self.server.await;
            let worker = match self.worker {
                Some(worker) => worker.await.map(Some),
                None => Ok(None),
            };
            // Whoever looks sees it for a while longer, should this fail.
            let _ = self.shown.await;
            (server, worker)
        };
        match tokio::time::timeout(limit, both).await {
            Ok((Ok(()), Ok(None | Some(Ok(()))))) => Ok(()),
            Ok((server, worker)) => bail!("stopped with an error: {server:?} {worker:?}"),
            Err(_) => {
                bail!("requests or jobs were still running after {} ms; what was committed is kept", limit.as_millis())
            }
        }
    }
}

/// One process works on a SQLite file: others would learn of its changes only by looking. The lock ends with the
/// process, however it ends.
pub fn alone(url: &str) -> Result<Option<std::fs::File>> {
    let Some(path) = engine_settings::sqlite_file(url) else { return Ok(None) };
    let file = std::fs::File::create(format!("{path}-serve")).context("the lock beside the database cannot be made")?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => {
            bail!("another `journey serve` works on `{path}`: a SQLite file has one process; several need PostgreSQL")
        }
        Err(std::fs::TryLockError::Error(error)) => Err(error).context("the lock beside the database"),
    }
}

async fn listen(setting: &str, address: &str) -> Result<TcpListener> {
    engine_http::bind(address).await.with_context(|| format!("`{setting}`: cannot listen on {address}"))
}

async fn publish(runtime: &Runtime, source: Source, stop: &CancellationToken) -> Result<()> {
    let begun = Instant::now();
    let mut verdict = None;
    let (files, by) = match source {
        Source::Stored => {
            if runtime.publishing.load_current().await? {
                return Ok(());
            }
            (definitions::embedded(), "binary")
        }
        Source::Files(files) => (files, "test"),
        Source::Folder { folder, watch } => {
            let mut files = Files::read_dir(&folder)
                .with_context(|| format!("definitions in `{}` cannot be read", folder.display()))?;
            verdict = Some(definitions::Verdict::of(&folder, &mut files));
            if watch {
                definitions::watch(runtime.clone(), folder, stop.clone()).context("definitions cannot be watched")?;
            }
            (files, "folder")
        }
    };
    match runtime.publishing.publish(&files, &Actor::operator(by), Stories::OfChanges).await {
        Ok(published) => {
            definitions::print_problems(&published.warnings);
            tracing::info!("{}", definitions::describe_publication(&published, begun));
            if let Some(verdict) = verdict.filter(|_| published.warnings.is_empty()) {
                verdict.keep();
            }
            Ok(())
        }
        Err(PublishError::Problems(problems)) => {
            definitions::print_problems(&problems);
            // An edit that does not check must not take down what worked.
            if runtime.publishing.load_current().await? {
                tracing::warn!("the definitions have errors; the last published ones stay");
                return Ok(());
            }
            bail!("the definitions have errors")
        }
        Err(PublishError::Runtime(error)) => Err(error.into()),
    }
}

fn fake_partners(runtime: &Runtime, settings: &Arc<Settings>, memory: &Arc<dyn Memory>) -> axum::Router {
    let (definitions, clock) = (runtime.clone(), runtime.clone());
    let catalog: Arc<dyn Fn() -> Arc<Catalog> + Send + Sync> = Arc::new(move || definitions.catalog());
    let options = sandbox::Options {
        settings: settings.clone(),
        product_url: settings.sandbox.product_url.clone(),
        now_ms: Some(Arc::new(move || clock.now_ms())),
    };
    sandbox::router(catalog, memory.clone(), options)
}

/// How often measured times are added up: each is kept by itself until then.
const UPKEEP: Duration = Duration::from_secs(5);

/// One recorder per process, whatever starts in it. Until `stop` it stays small though nobody may ever read it.
pub fn metrics(stop: &CancellationToken) -> Option<PrometheusHandle> {
    static HANDLE: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let install =
        || PrometheusBuilder::new().install_recorder().inspect_err(|error| tracing::warn!(%error, "no metrics")).ok();
    let handle = HANDLE.get_or_init(install).clone()?;
    let (kept, stop) = (handle.clone(), stop.clone());
    tokio::spawn(async move {
        while tokio::time::timeout(UPKEEP, stop.cancelled()).await.is_err() {
            kept.run_upkeep();
        }
    });
    Some(handle)
}

/// The address by which this machine reaches itself: `0.0.0.0` listens everywhere but is nowhere.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, v6.port())),
        other => other,
    }
}

/// How often a node shows which keys it has.
const SHOWN: Duration = Duration::from_secs(5);

/// Joins the nodes that run, until it stops. `alone`: whoever ran before is gone.
pub async fn join(runtime: &Runtime, alone: bool, stop: &CancellationToken) -> Result<JoinHandle<()>> {
    let name = engine_runtime::new_id();
    runtime.join(&name, alone).await?;
    let (runtime, stop) = (runtime.clone(), stop.clone());
    Ok(tokio::spawn(async move {
        while tokio::time::timeout(SHOWN, stop.cancelled()).await.is_err() {
            if let Err(error) = runtime.show_keys(&name).await {
                tracing::warn!(%error, "this node cannot show which keys it has; it tries again");
            }
        }
        if let Err(error) = runtime.leave(&name).await {
            tracing::warn!(%error, "this node cannot say that it stops");
        }
    }))
}

/// Opens the database of the settings, migrated. A key that this process has made is kept with an empty one alone.
pub async fn open(settings: &mut Settings) -> Result<Arc<dyn Store>> {
    let store = engine_store::connect(&settings.database.url).await.context("the database cannot be opened")?;
    store.migrate().await.context("the database cannot be migrated")?;
    if settings.is_key_new {
        if engine_runtime::is_sealed(&*store).await? {
            bail!(
                "key file `{}` is missing, and the database was made with the key that was in it: bring it back; no new \
                 one is made",
                settings.keys.file.display()
            );
        }
        settings.keep_key()?;
    }
    Ok(store)
}
