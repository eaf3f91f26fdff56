//! The listener's connections: who may have one, for how long, and what it is served with.
//!
//! A browser's connection costs a file; so they are counted by address and in all, and one on which nothing happens is
//! closed ([`watch`]). What a request is allowed once it has arrived is [`crate::frame`]'s.

mod io;
mod places;
mod watch;

pub use places::{Full, Place, Places};

use crate::app::App;
use crate::middleware::Client;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Version;
use engine_settings::Limits;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use io::{Answer, Watched};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;
use watch::{Patience, Watch};

/// Largest header of a request.
const HEADER_BYTES_MAX: usize = 32 * 1024;
/// A ping, where nothing else is sent, shows whether an HTTP/2 client is still there.
const HTTP2_PING: Duration = Duration::from_secs(20);
/// Files that are no connections: databases, partners, assets.
const OTHER_FILES: usize = 128;

/// Answers connections of `listener` by `router` until the app stops; then what is at work ends first.
pub async fn serve(app: App, listener: TcpListener, router: Router) {
    let limits = &app.settings.limits;
    let max = limits.connections_max.min(open_files_max().saturating_sub(OTHER_FILES)).max(1);
    let served = Served {
        router,
        server: Arc::new(server(limits)),
        patience: Patience {
            header: Duration::from_millis(limits.header_ms),
            idle: Duration::from_millis(limits.idle_ms),
            stalled: Duration::from_millis(2 * limits.request_timeout_ms),
        },
        stop: app.shutdown.clone(),
    };
    let places = Places::new(max, limits.connections_per_address);
    let open = TaskTracker::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = app.shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    not_accepted(&error).await;
                    continue;
                }
            },
        };
        // A proxy brings everybody's requests.
        let client = Client(peer.ip().to_canonical());
        let counted = (!app.proxies.trusts(client.0)).then(|| client.bucket());
        match places.take(counted) {
            Ok(place) => drop(open.spawn(served.clone().connection(stream, peer, place))),
            // Its end says it all; an answer would cost more than the connection.
            Err(Full::Client) => metrics::counter!("connections_refused_total", "reason" => "address").increment(1),
            Err(Full::All) => metrics::counter!("connections_refused_total", "reason" => "all").increment(1),
        }
    }
    drop(listener);
    open.close();
    open.wait().await;
}

fn server(limits: &Limits) -> Builder<TokioExecutor> {
    let mut server = Builder::new(TokioExecutor::new());
    // Our own watch looks at all states of a connection.
    server.http1().header_read_timeout(None).max_buf_size(HEADER_BYTES_MAX);
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.http2_streams_max)
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .keep_alive_interval(HTTP2_PING)
        .keep_alive_timeout(HTTP2_PING);
    server
}

/// A client that gave up is no fault of ours; without files left, waiting is all that helps.
async fn not_accepted(error: &std::io::Error) {
    let gone = [ErrorKind::ConnectionRefused, ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset];
    if !gone.contains(&error.kind()) {
        tracing::error!(%error, "a connection cannot be accepted");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Files that this process may have open, raised as far as it may by itself.
fn open_files_max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok();
    let max = if raised { maximum } else { current };
    max.map_or(usize::MAX, |max| max as usize)
}

/// What every connection is served with.
#[derive(Clone)]
struct Served {
    router: Router,
    server: Arc<Builder<TokioExecutor>>,
    patience: Patience,
    stop: CancellationToken,
}

impl Served {
    async fn connection(self, stream: TcpStream, peer: SocketAddr, _place: Place) {
        // Answers are small: waiting for more to send only costs time.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "set_nodelay");
        }
        let watch = Watch::new();
        let watched = Watched { stream: TokioIo::new(stream), watch: watch.clone() };
        let service = service_fn(|mut request: Request<Incoming>| {
            let at_work = watch.begin(request.version() == Version::HTTP_2);
            request.extensions_mut().insert(ConnectInfo(peer));
            let answer = self.router.clone().call(request);
            async move { answer.await.map(|answer| answer.map(|body| Answer { body, _at_work: at_work })) }
        });
        let mut connection = pin!(self.server.serve_connection(watched, service));
        let mut stopping = false;
        loop {
            let look = match watch.look(&self.patience) {
                Ok(look) => look,
                Err(closed) => {
                    metrics::counter!("connections_closed_total", "reason" => closed.name()).increment(1);
                    return;
                }
            };
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(error, "a connection ended early");
                    }
                    return;
                }
                () = self.stop.cancelled(), if !stopping => {
                    connection.as_mut().graceful_shutdown();
                    stopping = true;
                }
                () = tokio::time::sleep(look) => {}
            }
        }
    }
}
