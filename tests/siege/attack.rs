//! The hostile side: processes of this program, whose connections all come from one address. Each sends half a header,
//! a body byte by byte, or nothing, and comes again a while after it was shut out.

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::LocalSet;

/// How long the first connections are spread over.
pub const OPENING: Duration = Duration::from_secs(5);
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 99);
const HALF: &str = "GET / HTTP/1.1\r\nhost: shop\r\nx-wait: ";
const SLOW: &str = "POST /api/v1/webhooks/swift/done HTTP/1.1\r\nhost: shop\r\ncontent-length: 100000\r\n\r\n{";
const DRIP: Duration = Duration::from_secs(2);
const AGAIN_S: std::ops::Range<u64> = 10..20;

/// What became of the connections of one process.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    opened: u64,
    /// The server answered at once that there are too many.
    refused: u64,
    /// The server's patience ended.
    ended: u64,
    /// The machine had no port or no place in the queue.
    failed: u64,
    /// Open at the end.
    held: u64,
}

/// The hostile processes.
pub struct Attack(Vec<Child>);

impl Attack {
    pub fn begin(to: SocketAddr, connections: usize, processes: usize, length: Duration) -> Result<Attack> {
        let seconds = (length + 2 * OPENING).as_secs().to_string();
        let one = |_| {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .args(["--attack", &to.to_string(), "--seconds", &seconds])
                .args(["--connections", &(connections / processes).to_string()]);
            command.stdout(Stdio::piped()).spawn().context("a hostile process")
        };
        Ok(Attack((0..processes).map(one).collect::<Result<_>>()?))
    }

    /// Waits for all of them; what they have to tell.
    pub fn end(self) -> Result<String> {
        let mut all = Told::default();
        for child in self.0 {
            let told: Told = serde_json::from_slice(&child.wait_with_output()?.stdout)?;
            all.opened += told.opened;
            all.refused += told.refused;
            all.ended += told.ended;
            all.failed += told.failed;
            all.held += told.held;
        }
        let Told { opened, refused, ended, failed, held } = all;
        Ok(format!(
            "{opened} connections opened, {refused} refused, {ended} ended by a deadline, {failed} not opened, {held} open at the end"
        ))
    }
}

/// One hostile process.
pub async fn run(to: SocketAddr, connections: usize, length: Duration) {
    let told = Rc::new(RefCell::new(Told::default()));
    let all = LocalSet::new();
    for number in 0..connections {
        all.spawn_local(one(to, number, OPENING * number as u32 / connections as u32, told.clone()));
    }
    let _ = tokio::time::timeout(length, all).await;
    println!("{}", serde_json::to_string(&*told.borrow()).unwrap_or_default());
}

async fn one(to: SocketAddr, number: usize, first: Duration, told: Rc<RefCell<Told>>) {
    tokio::time::sleep(first).await;
    loop {
        match hostile(to, number, &told).await {
            Ok(true) => told.borrow_mut().refused += 1,
            Ok(false) => told.borrow_mut().ended += 1,
            Err(_) => told.borrow_mut().failed += 1,
        }
        tokio::time::sleep(Duration::from_secs(rand::random_range(AGAIN_S))).await;
    }
}

/// Keeps a hostile connection until the server ends it: true when it was turned away at the door.
async fn hostile(to: SocketAddr, number: usize, told: &RefCell<Told>) -> std::io::Result<bool> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((ADDRESS, 0).into())?;
    let mut stream = socket.connect(to).await?;
    told.borrow_mut().opened += 1;
    told.borrow_mut().held += 1;
    let sends = [HALF, SLOW, ""][number % 3];
    let _ = stream.write_all(sends.as_bytes()).await;
    let (mut said, mut part) = (Vec::new(), [0; 512]);
    loop {
        let read = tokio::time::timeout(DRIP, stream.read(&mut part)).await;
        match read {
            Ok(Ok(1..)) if said.is_empty() => said.extend_from_slice(&part[..12]),
            Ok(Ok(1..)) => {}
            Ok(Ok(0) | Err(_)) => break,
            Err(_) if sends.is_empty() => {}
            Err(_) => {
                let _ = stream.write_all(b"x").await;
            }
        }
    }
    told.borrow_mut().held -= 1;
    Ok(said.is_empty() || said.ends_with(b"429") || said.ends_with(b"503"))
}
