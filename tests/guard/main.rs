//! `make guard`: what stands before an account, under load: wrong one-time passwords in parallel, a flood of requests
//! to send some, and what it costs to know a session and what it may do. The product is in this process, over HTTP,
//! with the definitions that are shipped.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use engine_definitions::Files;
use engine_runtime::effect::NotifyPayload;
use engine_runtime::fact::{Fact, Outcome};
use engine_runtime::{Action, Actor, Resource, Runtime, can};
use engine_settings::Otp;
use engine_store::EffectFilter;
use futures::{StreamExt, stream};
use journey_tests::server::{Reply, TestServer, Visitor};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Allocator of the product.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Exit code 1 when a bound does not hold.
#[derive(Parser)]
#[command(name = "guard")]
struct Arguments {
    /// Wrong one-time passwords for one login
    #[arg(long, default_value_t = 10_000)]
    guesses: usize,
    /// Requests to send a one-time password, over an hour
    #[arg(long, default_value_t = 20_000)]
    sends: usize,
    /// Client addresses that they come from
    #[arg(long, default_value_t = 500)]
    addresses: usize,
    /// Requests at once
    #[arg(long, default_value_t = 64)]
    at_once: usize,
    /// The form of `make test`: 500 guesses, 600 requests from 30 addresses; times are told and do not count
    #[arg(long, conflicts_with_all = ["guesses", "sends", "addresses"])]
    short: bool,
}

const MOBILE: &str = "9812345670";
const CLIENT: (&str, &str) = ("x-api-key", "journey-web");
const HOUR_MS: i64 = 3_600_000;
/// Calls that are timed.
const CALLS: usize = 100_000;
const SESSIONS: usize = 2_000;
/// What a session and what it may do may cost, of the server's time.
const CHECK_MAX: Duration = Duration::from_micros(50);

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let mut arguments = Arguments::parse();
    if arguments.short {
        (arguments.guesses, arguments.sends, arguments.addresses) = (500, 600, 30);
    }
    let guessed = guesses(&arguments).await?;
    let flooded = flood(&arguments).await?;
    let checked = checks(arguments.short).await?;
    Ok(if guessed && flooded && checked { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn shop() -> Result<TestServer> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = Files::read_dir(root).map_err(|error| anyhow::anyhow!("the definitions: {error:?}"))?;
    let server = TestServer::start_with(files, |settings| {
        // Each client address is one of the load's own; nothing but the gate of one-time passwords shall refuse.
        settings.server.trusted_proxies = vec!["127.0.0.1".into()];
        settings.limits.write_rate_per_s = 0;
        settings.limits.rate_per_s = 0;
        settings.otp = Otp { proof_bits: 2, ..Otp::default() };
    });
    Ok(server.await)
}

fn address(number: usize) -> String {
    format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255)
}

async fn post(browser: &Visitor, call: &str, address: &str, proof: &str, body: &Value) -> Reply {
    let headers = [CLIENT, ("x-forwarded-for", address), ("x-proof", proof)];
    browser.send("POST", &format!("/api/v1/{call}"), &headers, Some(body.to_string())).await
}

/// Asks for a one-time password as a browser does, with the work that it costs. `None`: it is not sent.
async fn asks(browser: &Visitor, mobile: &str, address: &str) -> Result<Option<Value>> {
    let body = json!({"mobile": mobile, "source": "", "sub_source": ""});
    let challenge = post(browser, "otpLogin", address, "", &body).await.json();
    let proof = solved(&challenge["challenge"]).context("no challenge")?;
    let reply = post(browser, "otpLogin", address, &proof, &body).await;
    ensure!(matches!(reply.status, 200 | 429), "{} {}", reply.status, reply.text());
    let said = reply.json();
    Ok((reply.status == 200 && said["statusCode"] == 200).then_some(said))
}

/// A number for which the hash begins with so many zero bits.
fn solved(challenge: &Value) -> Option<String> {
    let (token, bits) = (challenge["token"].as_str()?, challenge["bits"].as_u64()?);
    let zeros =
        |text: &str| u64::from(u32::from_be_bytes([0, 1, 2, 3].map(|n| Sha256::digest(text)[n])).leading_zeros());
    (0..u64::MAX).map(|n| format!("{token}.{n}")).find(|proof| zeros(proof) >= bits)
}

/// Wrong codes for one open login, many at once and from many addresses: no more are looked at than there are tries.
async fn guesses(arguments: &Arguments) -> Result<bool> {
    let server = shop().await?;
    let runtime = &server.product.runtime;
    let browser = server.visitor();
    let begun = asks(&browser, MOBILE, &address(1)).await?.context("a login")?;
    let order = sent(runtime).await?.pop().context("a message")?;
    let payload: NotifyPayload = serde_json::from_value(order.payload)?;
    let right = runtime.work.otp_code(&order.key.journey, &payload).context("a code")?;
    let wrong = (0..).map(|n| format!("{n:06}")).filter(|code| *code != right).take(arguments.guesses);
    let started = Instant::now();
    let replies = stream::iter(wrong.enumerate()).map(|(n, code)| {
        let body =
            json!({"mobile": MOBILE, "source": "", "sub_source": "", "otp": code, "authCode": begun["authCode"]});
        let browser = &browser;
        async move { post(browser, "verifyLoginOtp", &address(n % 500), "", &body).await.status }
    });
    let statuses: Vec<u16> = replies.buffer_unordered(arguments.at_once).collect().await;
    let logins = statuses.iter().filter(|status| **status == 200).count();
    let events = runtime.store().events(&order.key.journey, 0, u32::MAX).await?;
    let looked_at = events.iter().filter_map(|event| Fact::read(event).ok()).filter(
        |fact| matches!(fact, Fact::CallEnded { result: Outcome::Output(output), .. } if output["reason"] == "wrong"),
    );
    let (looked_at, tries) = (looked_at.count(), server.product.settings.otp.tries);
    let mut by_status = BTreeMap::<u16, usize>::new();
    statuses.iter().for_each(|status| *by_status.entry(*status).or_default() += 1);
    println!(
        "{} wrong codes, {} at once, {:.1} s: {looked_at} looked at (at most {tries}), {logins} logins; answers {by_status:?}",
        arguments.guesses,
        arguments.at_once,
        started.elapsed().as_secs_f64()
    );
    let signed_in = browser.get("/api/v1/account/dashboard").await.status == 200;
    server.stop().await;
    Ok(looked_at <= usize::try_from(tries)? && logins == 0 && !signed_in)
}

async fn sent(runtime: &Runtime) -> Result<Vec<engine_store::EffectRecord>> {
    let filter = EffectFilter { kind: Some("notify".into()), limit: 1_000_000, ..EffectFilter::default() };
    Ok(runtime.store().effects(filter).await?)
}

/// One that went out.
struct Sent {
    at_ms: i64,
    mobile: String,
    address: String,
}

/// Requests for one-time passwords from many addresses to the numbers of some blocks, spread over an hour: what goes
/// out is within every budget.
async fn flood(arguments: &Arguments) -> Result<bool> {
    let server = shop().await?;
    let otp = server.product.settings.otp.clone();
    let browsers: Vec<Visitor> = (0..arguments.addresses).map(|_| server.visitor()).collect();
    // A third of the requests goes to few numbers, the rest to many in blocks that fill up.
    let mobile = |n: usize| match n % 3 {
        0 => format!("98{:08}", n % 97),
        _ => format!("97{:02}{:06}", n % 20, n * 7_919 % 1_000),
    };
    let (all, started, step_ms) = (Mutex::new(Vec::new()), Instant::now(), HOUR_MS / arguments.sends as i64);
    let requests = stream::iter(0..arguments.sends).map(|n| {
        let (server, browser, all, mobile) = (&server, &browsers[n % arguments.addresses], &all, mobile(n));
        async move {
            server.clock.advance(step_ms);
            let (at_ms, address) = (server.product.runtime.now_ms(), address(n % arguments.addresses));
            if asks(browser, &mobile, &address).await?.is_some() {
                all.lock().expect("no panic").push(Sent { at_ms, mobile, address });
            }
            anyhow::Ok(())
        }
    });
    for request in requests.buffer_unordered(arguments.at_once).collect::<Vec<_>>().await {
        request?;
    }
    let all = all.into_inner()?;
    let messages = sent(&server.product.runtime).await?.len();
    let most = |of: &dyn Fn(&Sent) -> String, window_ms: i64| {
        let mut by = BTreeMap::<String, Vec<i64>>::new();
        all.iter().for_each(|one| by.entry(of(one)).or_default().push(one.at_ms));
        let in_window = |times: &mut Vec<i64>| {
            times.sort_unstable();
            (0..times.len()).map(|n| times[n..].iter().take_while(|at| **at < times[n] + window_ms).count()).max()
        };
        by.values_mut().filter_map(in_window).max().unwrap_or_default()
    };
    let (number, block) = (|one: &Sent| one.mobile.clone(), |one: &Sent| one.mobile[..7].to_owned());
    // When a request was decided is known to as many steps as may be under way at once.
    let slack_ms = step_ms * 2 * arguments.at_once as i64;
    let bounds = [
        ("a number in 30 s", most(&number, otp.resend_ms - slack_ms), 1),
        ("a number in an hour", most(&number, HOUR_MS - slack_ms), otp.per_hour),
        ("an address in an hour", most(&|one| one.address.clone(), HOUR_MS - slack_ms), otp.per_address_hour),
        ("a block of 1,000 numbers in an hour", most(&block, HOUR_MS - slack_ms), otp.block_hour),
        ("all in an hour", most(&|_| String::new(), HOUR_MS - slack_ms), otp.global_hour),
    ];
    println!(
        "{} requests from {} addresses, {:.1} s: {} sent, {messages} messages",
        arguments.sends,
        arguments.addresses,
        started.elapsed().as_secs_f64(),
        all.len()
    );
    for (what, most, limit) in &bounds {
        println!("  at most {most} to {what} (limit {limit})");
    }
    server.stop().await;
    Ok(messages == all.len() && bounds.iter().all(|(_, most, limit)| *most as i64 <= *limit))
}

/// What threads of this process have computed so far.
#[derive(Clone, Copy, Default)]
struct Busy {
    ours: Duration,
    /// Threads in which SQLite runs.
    database: Duration,
}

fn busy() -> Busy {
    let mut busy = Busy::default();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let read = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let spent = read("schedstat").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
        let of = if read("comm").starts_with("sqlx") { &mut busy.database } else { &mut busy.ours };
        *of += Duration::from_nanos(spent);
    }
    busy
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A session is known by its token, and `can` decides about a journey: as a node has just seen it, and read anew.
async fn checks(is_short: bool) -> Result<bool> {
    let server = shop().await?;
    let runtime = &server.product.runtime;
    let mut tokens = Vec::new();
    for _ in 0..SESSIONS {
        tokens.push(runtime.people.new_session("en").await?.0);
    }
    let browser = server.visitor();
    let view = browser.start("account/login", json!({"mobile": MOBILE})).await.ok(201);
    let journey = view["journey"]["id"].as_str().context("a journey")?;
    let journey = runtime.store().journey(journey).await?.context("a journey")?;
    let catalog = runtime.catalog();
    let decides = |actor: &Actor| {
        [Action::See, Action::Send("submit")]
            .iter()
            .filter(|action| can(catalog.policy(), actor, **action, &journey))
            .count()
            + usize::from(can(catalog.policy(), actor, Action::Begin, Resource::Own))
    };
    let mut took = Vec::new();
    for (name, calls) in [("known", CALLS), ("read anew", SESSIONS)] {
        let started = busy();
        let mut allowed = 0;
        for n in 0..calls {
            if name == "read anew" && n == 0 {
                // What this node remembers of a session is over by then.
                server.clock.advance(60_000);
            }
            let token = &tokens[n % if name == "known" { 1 } else { SESSIONS }];
            allowed += decides(&runtime.people.session(token).await?.context("a session")?);
        }
        ensure!(allowed == calls, "a visitor may begin, and nothing with another's journey");
        let (ended, calls) = (busy(), u32::try_from(calls)?);
        let (ours, database) = ((ended.ours - started.ours) / calls, (ended.database - started.database) / calls);
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "session and policy, {name}: {:.1} µs of server CPU each of {calls}, and {:.1} µs in the database's threads",
            us(ours),
            us(database)
        );
        took.push(ours);
    }
    // One more measure leaves out the way to the database and back.
    let hash = hex(&Sha256::digest(tokens[0].as_bytes())[..16]);
    let session = runtime.store().session(&hash).await?.context("a session")?;
    let started = busy();
    let allowed: usize = (0..CALLS).map(|_| decides(&Actor::of_session(&session))).sum();
    ensure!(allowed == CALLS, "a visitor may begin, and nothing with another's journey");
    let each = (busy().ours - started.ours) / u32::try_from(CALLS)?;
    println!("  of that, who it is and what they may: {:.2} µs", each.as_secs_f64() * 1e6);
    server.stop().await;
    Ok(is_short || took.iter().all(|each| *each < CHECK_MAX))
}
