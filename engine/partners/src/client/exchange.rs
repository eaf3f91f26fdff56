//! One request and its reply over the network, bounded in time and size. No redirects, no proxy, no cookies.

#![allow(clippy::disallowed_methods)] // the way out

use super::resolver::{self, NotPublic, PublicOnly};
use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, redirect};
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// A request with everything decided.
pub struct Exchange {
    pub method: Method,
    pub url: Url,
    pub headers: Vec<(HeaderName, HeaderValue)>,
    pub body: Option<(String, Vec<u8>)>,
    pub timeout: Duration,
}

/// What came back, whatever its status.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Why nothing usable came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// A connection that was not made: the request was never sent.
    #[error("no connection")]
    Connect,
    /// The address is not public and the settings do not allow that.
    #[error("the address is not allowed")]
    Refused,
    #[error("no reply in time")]
    Timeout,
    /// The connection broke after the request may have been read.
    #[error("the connection broke")]
    Broken,
    #[error("the reply is too large")]
    TooLarge,
}

/// The two clients: for public addresses only, and for hosts that may be private.
pub struct Clients {
    public: Client,
    any: Client,
    reply_bytes_max: usize,
}

impl Clients {
    pub fn new(connect_timeout: Duration, reply_bytes_max: usize) -> Result<Self, reqwest::Error> {
        let base = || {
            Client::builder()
                .connect_timeout(connect_timeout)
                .redirect(redirect::Policy::none())
                .no_proxy()
                .referer(false)
                .pool_idle_timeout(Duration::from_secs(30))
                .user_agent(concat!("journey/", env!("CARGO_PKG_VERSION")))
        };
        Ok(Clients {
            public: base().dns_resolver(Arc::new(PublicOnly)).build()?,
            any: base().build()?,
            reply_bytes_max,
        })
    }

    pub async fn send(&self, exchange: Exchange, allow_private: bool) -> Result<Answer, Lost> {
        if !allow_private && !literal_is_public(&exchange.url) {
            return Err(Lost::Refused);
        }
        let timeout = exchange.timeout;
        let client = if allow_private { &self.any } else { &self.public };
        tokio::time::timeout(timeout, self.exchange(client, exchange)).await.unwrap_or(Err(Lost::Timeout))
    }

    async fn exchange(&self, client: &Client, exchange: Exchange) -> Result<Answer, Lost> {
        let mut request = client.request(exchange.method, exchange.url).headers(exchange.headers.into_iter().collect());
        if let Some((media_type, body)) = exchange.body {
            request = request.header(reqwest::header::CONTENT_TYPE, media_type).body(body);
        }
        let mut response = request.send().await.map_err(|error| lost(&error))?;
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        if response.content_length().is_some_and(|length| length > self.reply_bytes_max as u64) {
            return Err(Lost::TooLarge);
        }
        let mut body = BytesMut::new();
        while let Some(piece) = response.chunk().await.map_err(|error| lost(&error))? {
            if body.len() + piece.len() > self.reply_bytes_max {
                return Err(Lost::TooLarge);
            }
            body.extend_from_slice(&piece);
        }
        Ok(Answer { status, headers, body: body.freeze() })
    }
}

/// Addresses written as numbers never reach a resolver.
fn literal_is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => resolver::is_public(address.into()),
        Some(Host::Ipv6(address)) => resolver::is_public(address.into()),
        Some(Host::Domain(_)) => true,
        None => false,
    }
}

fn lost(error: &reqwest::Error) -> Lost {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<NotPublic>() {
            return Lost::Refused;
        }
        cause = inner.source();
    }
    match error {
        error if error.is_connect() => Lost::Connect,
        error if error.is_timeout() => Lost::Timeout,
        _ => Lost::Broken,
    }
}
