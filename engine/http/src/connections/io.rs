//! A connection's bytes, as its watch sees them, and the answers that keep it at work.

use super::watch::{AtWork, Watch};
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::net::TcpStream;

pub struct Watched {
    pub stream: TokioIo<TcpStream>,
    pub watch: Arc<Watch>,
}

impl Watched {
    fn sent(&self, bytes: usize) -> usize {
        if bytes > 0 {
            self.watch.sent();
        }
        bytes
    }
}

impl Read for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.watch.received();
        Poll::Ready(Ok(()))
    }
}

impl Write for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write(cx, bytes))?;
        Poll::Ready(Ok(self.sent(sent)))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let sent = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, bytes))?;
        Poll::Ready(Ok(self.sent(sent)))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The body of an answer: its request is at work until the last byte.
pub struct Answer {
    pub body: Body,
    pub _at_work: AtWork,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
