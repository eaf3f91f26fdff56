//! How long a connection may keep us waiting: for a header, between requests, for its reading of an answer. How long a
//! body may take is `frame`'s, which knows whose place it waits in.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};

#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Time from the first byte of a request, or the begin of the connection, to the end of its header.
    pub header: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// While nothing of an answer is read.
    pub stalled: Duration,
}

/// What a connection is doing.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// A header is arriving, since then.
    Header(Instant),
    /// Count of requests that are being answered; on HTTP/2 there may be several.
    Answering(u32),
    Idle(Instant),
}

/// One connection's phase, known to its socket and to its requests.
pub struct Watch {
    patience: Patience,
    phase: Mutex<(Phase, bool)>,
    /// Who found nothing to read while it was our turn: its time begins when the answer is out.
    reader: Mutex<Option<Waker>>,
}

impl Watch {
    /// The first header is awaited from now on.
    pub fn new(patience: Patience) -> Watch {
        Watch { patience, phase: Mutex::new((Phase::Header(Instant::now()), false)), reader: Mutex::default() }
    }

    /// Something was read. On HTTP/2 that need not be a header, and between two requests everything has its time.
    fn heard(&self) {
        let mut phase = self.phase();
        if let (Phase::Idle(_), false) = *phase {
            phase.0 = Phase::Header(Instant::now());
        }
    }

    /// When the connection ends unless something more is read; never while it is our turn, and the reader is called
    /// when that is over.
    fn until(&self, reader: &Waker) -> Option<Instant> {
        let phase = self.phase();
        match phase.0 {
            Phase::Header(since) => Some(since + self.patience.header),
            Phase::Idle(since) => Some(since + self.patience.idle),
            Phase::Answering(_) => {
                *self.reader() = Some(reader.clone());
                None
            }
        }
    }

    fn reader(&self) -> MutexGuard<'_, Option<Waker>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> MutexGuard<'_, (Phase, bool)> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard from the end of a request's header to the end of its answer.
pub struct Answering(Arc<Watch>);

impl Answering {
    pub fn begin(watch: &Arc<Watch>, http2: bool) -> Answering {
        let mut phase = watch.phase();
        *phase = match phase.0 {
            Phase::Answering(others) => (Phase::Answering(others + 1), http2),
            Phase::Header(_) | Phase::Idle(_) => (Phase::Answering(1), http2),
        };
        drop(phase);
        Answering(watch.clone())
    }

    /// The body, which ends this with itself.
    pub fn until_sent(self, body: Body) -> Sent {
        Sent { body, _answering: self }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut phase = self.0.phase();
        if let Phase::Answering(all) = phase.0 {
            phase.0 = if all > 1 { Phase::Answering(all - 1) } else { Phase::Idle(Instant::now()) };
            if all == 1
                && let Some(reader) = self.0.reader().take()
            {
                reader.wake();
            }
        }
    }
}

/// See [`Answering::until_sent`].
pub struct Sent {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A socket that ends when our patience does.
pub struct Patient {
    stream: TcpStream,
    watch: Arc<Watch>,
    reading: Pin<Box<Sleep>>,
    /// Runs while nothing can be written.
    writing: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    pub fn new(stream: TcpStream, watch: Arc<Watch>) -> Patient {
        let reading = Box::pin(tokio::time::sleep(watch.patience.header));
        Patient { stream, watch, reading, writing: None }
    }

    /// What came of a write: while it cannot go on, time runs.
    fn written<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.writing = None;
            return done;
        }
        let stalled = self.watch.patience.stalled;
        let writing = self.writing.get_or_insert_with(|| Box::pin(tokio::time::sleep(stalled)));
        ready!(writing.as_mut().poll(cx));
        Poll::Ready(Err(over("stalled")))
    }
}

fn over(reason: &'static str) -> io::Error {
    metrics::counter!("http_connections_ended_total", "reason" => reason).increment(1);
    io::Error::new(io::ErrorKind::TimedOut, reason)
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let me = &mut *self;
        if let Poll::Ready(read) = Pin::new(&mut me.stream).poll_read(cx, buf) {
            if buf.filled().len() > before {
                me.watch.heard();
            }
            return Poll::Ready(read);
        }
        let Some(until) = me.watch.until(cx.waker()) else { return Poll::Pending };
        if me.reading.deadline() != until {
            me.reading.as_mut().reset(until);
        }
        ready!(me.reading.as_mut().poll(cx));
        Poll::Ready(Err(over("silent")))
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.written(cx, done)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
