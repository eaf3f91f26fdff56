//! The line between the product and PostgreSQL: a relay of its socket that can go silent, break or become slow.

use anyhow::{Context as _, Result};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;

/// What becomes of bytes that arrive, in both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Line {
    Through,
    /// Nothing passes, nobody is told; what was sent meanwhile arrives later.
    Silent,
    /// Every read arrives so much later.
    Slow(Duration),
    /// Connections break, new ones too.
    Broken,
}

pub struct Wire {
    folder: PathBuf,
    line: watch::Sender<Line>,
}

/// The name of the socket that PostgreSQL's clients look for.
const SOCKET: &str = ".s.PGSQL.5432";

impl Wire {
    /// Between a new socket below `folder` and the one in `server`.
    pub fn start(folder: &Path, server: &Path) -> Result<Wire> {
        let folder = folder.join("wire");
        std::fs::create_dir(&folder)?;
        let listener = UnixListener::bind(folder.join(SOCKET)).context("the relay's socket")?;
        let (line, seen) = watch::channel(Line::Through);
        let server = server.join(SOCKET);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, server.clone(), seen.clone()));
            }
        });
        Ok(Wire { folder, line })
    }

    /// The address with this line in it.
    pub fn address(&self, url: &str) -> String {
        let database = url.split('?').next().unwrap_or(url);
        format!("{database}?host={}", self.folder.display())
    }

    pub fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

async fn relay(client: UnixStream, server: PathBuf, line: watch::Receiver<Line>) {
    let mut broken = line.clone();
    if *line.borrow() == Line::Broken {
        return;
    }
    let Ok(server) = UnixStream::connect(server).await else { return };
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    tokio::select! {
        () = pass(from_client, to_server, line.clone()) => {}
        () = pass(from_server, to_client, line) => {}
        _ = broken.wait_for(|line| *line == Line::Broken) => {}
    }
}

async fn pass(
    mut from: tokio::net::unix::OwnedReadHalf,
    mut to: tokio::net::unix::OwnedWriteHalf,
    mut line: watch::Receiver<Line>,
) {
    let mut bytes = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let Ok(now) = line.wait_for(|line| *line != Line::Silent).await.map(|line| *line) else { return };
        if let Line::Slow(late) = now {
            tokio::time::sleep(late).await;
        }
        if to.write_all(&bytes[..read]).await.is_err() {
            return;
        }
    }
}
