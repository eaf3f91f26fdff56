//! Connections, from accepting to closing: how many there may be, of one address and in all, and how long each may
//! keep us waiting ([`patience`]).
//!
//! What is refused here costs no more than an accept and one write; what a request may cost is `frame`'s.

mod patience;

use crate::connection::middleware::{Client, Full, Places, Proxies, Slot};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, Version};
use engine_settings::{Limits, Settings};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use patience::{Answering, Patience, Patient, Watch};
use std::convert::Infallible;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Connections that wait to be accepted: a flood must not keep customers from being heard.
const BACKLOG: u32 = 4_096;
/// Bytes of a request's header, and of one HTTP/2 header list.
const HEADER_BYTES_MAX: usize = 64 * 1024;
const STREAMS_MAX: u32 = 64;
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// Between two pings of a quiet HTTP/2 connection; one without an answer for half as long is gone.
const PING: Duration = Duration::from_secs(20);
/// Most connections of the listener that serves health only.
const HEALTH_CONNECTIONS_MAX: usize = 64;

/// Who may connect, and how long they may take.
#[derive(Clone)]
pub struct Doors {
    places: Places,
    proxies: Proxies,
    patience: Patience,
}

impl Doors {
    /// Doors as the settings say; the error names the one at fault.
    pub fn new(settings: &Settings) -> Result<Doors, String> {
        let limits = &settings.limits;
        let max = match limits.connections_max {
            0 => files_max() / 4 * 3,
            max => max,
        };
        let proxies = Proxies::of(settings)?;
        let per_address = limits.connections_per_address.min(max.div_ceil(2));
        Ok(Doors { places: Places::new(max, per_address), proxies, patience: patience(limits) })
    }

    /// Doors of the listener that serves health only.
    pub fn of_health(settings: &Settings) -> Doors {
        let places = Places::new(HEALTH_CONNECTIONS_MAX, HEALTH_CONNECTIONS_MAX);
        Doors { places, proxies: Proxies::default(), patience: patience(&settings.limits) }
    }

    fn enter(&self, peer: SocketAddr) -> Result<Slot, Full> {
        let client = Client(peer.ip());
        self.places.take((!self.proxies.trusts(client.0.to_canonical())).then(|| client.bucket()))
    }
}

fn patience(limits: &Limits) -> Patience {
    Patience {
        header: Duration::from_millis(limits.header_timeout_ms),
        idle: Duration::from_millis(limits.idle_timeout_ms),
        stalled: Duration::from_millis(limits.stalled_timeout_ms),
    }
}

/// Files that this process may open at once.
fn files_max() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX))
}

/// Listens at `host:port`; port 0 takes a free one.
pub async fn bind(address: &str) -> std::io::Result<TcpListener> {
    let mut failed = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    for address in tokio::net::lookup_host(address).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
            Ok(listener) => return Ok(listener),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// Answers until `stop`, then lets what was accepted end.
pub async fn serve(listener: TcpListener, router: Router, doors: Doors, stop: CancellationToken) {
    // Each connection holds a sender: when the last is gone, all have ended.
    let (lasting, mut ended) = mpsc::channel::<Infallible>(1);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // One that was gone already is nobody's loss; without files or memory the next one would fail too.
                tracing::debug!(%error, "accept");
                if !is_of_one(&error) {
                    tracing::warn!(%error, "no connection can be accepted");
                    let _ = tokio::time::timeout(Duration::from_millis(100), stop.cancelled()).await;
                }
                continue;
            }
        };
        match doors.enter(peer) {
            Ok(place) => {
                let (router, stop, lasting) = (router.clone(), stop.clone(), lasting.clone());
                let patience = doors.patience;
                tokio::spawn(async move {
                    converse(stream, peer, router, patience, stop).await;
                    drop((place, lasting));
                });
            }
            Err(full) => turn_away(stream, full),
        }
    }
    drop((listener, lasting));
    ended.recv().await;
}

fn is_of_one(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionRefused | ConnectionAborted | ConnectionReset)
}

fn turn_away(stream: TcpStream, full: Full) {
    let (reason, answer) = match full {
        Full::Address => ("address", "HTTP/1.1 429 Too Many Requests\r\n"),
        Full::All => ("all", "HTTP/1.1 503 Service Unavailable\r\n"),
    };
    metrics::counter!("http_connections_refused_total", "reason" => reason).increment(1);
    let answer = format!("{answer}retry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    // There is room for it in a fresh socket; who does not read it learns as much from the end.
    let _ = stream.into_std().and_then(|mut stream| stream.write(answer.as_bytes()));
}

/// One connection, HTTP/1.1 or 2, until either side ends it.
async fn converse(stream: TcpStream, peer: SocketAddr, router: Router, patience: Patience, stop: CancellationToken) {
    // Answers are small: waiting for more to send only costs time.
    let _ = stream.set_nodelay(true);
    let watch = Arc::new(Watch::new(patience));
    let service = service_fn(|mut request: Request<Incoming>| {
        let answering = Answering::begin(&watch, request.version() == Version::HTTP_2);
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            let response: Result<Response<Body>, Infallible> = router.oneshot(request.map(Body::new)).await;
            response.map(|response| response.map(|body| answering.until_sent(body)))
        }
    });
    let builder = builder();
    let connection = builder.serve_connection(TokioIo::new(Patient::new(stream, watch.clone())), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(HEADER_BYTES_MAX);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING / 2)
        .max_concurrent_streams(STREAMS_MAX)
        .max_header_list_size(HEADER_BYTES_MAX as u32)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    builder
}
