//! E-mail over SMTP to a mail server on a real socket, and into the inbox.

use engine_partners::memory::{InMemory, Memory};
use engine_partners::{Email, EmailError, File, Partners};
use engine_settings::Settings;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

/// Takes messages, except for `nobody@…` (for good) and `later@…` (for now).
pub async fn mail_server() -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = Arc::new(Mutex::new(Vec::new()));
    let store = Arc::clone(&taken);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let (read, mut write) = stream.into_split();
                let mut lines = BufReader::new(read).lines();
                write.write_all(b"220 test\r\n").await.unwrap();
                while let Ok(Some(line)) = lines.next_line().await {
                    let answer = match line.to_ascii_uppercase() {
                        to if to.starts_with("RCPT TO:<NOBODY@") => "550 no such mailbox",
                        to if to.starts_with("RCPT TO:<LATER@") => "451 come back",
                        data if data == "DATA" => {
                            write.write_all(b"354 go on\r\n").await.unwrap();
                            let mut message = String::new();
                            while let Ok(Some(line)) = lines.next_line().await {
                                if line == "." {
                                    break;
                                }
                                message.push_str(&line);
                                message.push('\n');
                            }
                            store.lock().unwrap().push(message);
                            "250 taken"
                        }
                        _ => "250 fine",
                    };
                    if write.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
                        break;
                    }
                }
            });
        }
    });
    (port, taken)
}

fn email(to: &str, html: Option<&str>) -> Email {
    Email {
        key: "journey-1/7/0".into(),
        to: to.into(),
        subject: "Your parcel – on its way".into(),
        text: "It comes today.".into(),
        html: html.map(str::to_owned),
        file: None,
    }
}

/// A depot that writes to a mail server of its own, and what that one has taken.
async fn depot() -> (Partners, Arc<Mutex<Vec<String>>>) {
    let (port, taken) = mail_server().await;
    let mut settings = Settings::default();
    (settings.smtp.host, settings.smtp.port, settings.smtp.security) = (Some("127.0.0.1".into()), port, "none".into());
    settings.smtp.from = "Depot <depot@example.com>".into();
    (Partners::new(Arc::new(settings), None).unwrap(), taken)
}

#[tokio::test]
async fn messages_go_out_as_text_and_html() {
    let (partners, taken) = depot().await;
    for _ in 0..2 {
        partners.send_email(email("asha@example.com", Some("<p>It comes <b>today</b>.</p>")), 0).await.unwrap();
    }
    partners.send_email(email("asha@example.com", None), 0).await.unwrap();
    let file = File { name: "label.pdf".into(), media_type: "application/pdf".into(), bytes: b"%PDF-1.7\xff".to_vec() };
    let with_file = Email { file: Some(file), ..email("asha@example.com", Some("<p>It comes.</p>")) };
    partners.send_email(with_file, 0).await.unwrap();
    let taken = taken.lock().unwrap().clone();
    for part in [
        "From: Depot <depot@example.com>",
        "To: asha@example.com",
        "multipart/alternative",
        "text/plain",
        "It comes today.",
        "text/html",
        "<p>It comes <b>today</b>.</p>",
    ] {
        assert!(taken[0].contains(part), "{part}\n{}", taken[0]);
    }
    assert!(!taken[2].contains("multipart"));
    for part in ["multipart/mixed", "It comes today.", "application/pdf", "filename=\"label.pdf\"", "JVBERi0xLjf/"] {
        assert!(taken[3].contains(part), "{part}\n{}", taken[3]);
    }
    let id = |message: &str| message.lines().find(|line| line.starts_with("Message-ID")).unwrap().to_owned();
    assert_eq!(id(&taken[0]), id(&taken[1]), "the same effect has the same id");
}

#[tokio::test]
async fn a_message_that_is_refused_says_whether_to_try_again_and_not_to_whom() {
    let (partners, _taken) = depot().await;
    let check = async |to: &str, retry: bool| {
        let error = partners.send_email(email(to, None), 0).await.unwrap_err();
        assert_eq!(error.retry(), retry, "{to}: {error}");
        assert!(!error.to_string().contains("example.com"), "{error}");
    };
    check("nobody@example.com", false).await;
    check("later@example.com", true).await;
    check("not an address", false).await;
    check("a@example.com\r\nBcc: b@example.com", false).await;
}

#[tokio::test]
async fn without_a_mail_server_the_inbox_has_it() {
    let memory: Arc<dyn Memory> = Arc::new(InMemory::default());
    let partners = Partners::new(Arc::new(Settings::default()), Some(Arc::clone(&memory))).unwrap();
    for _ in 0..2 {
        partners.send_email(email("asha@example.com", None), 1_000).await.unwrap();
    }
    let inbox = memory.list("inbox", 10).await.unwrap();
    assert_eq!(inbox.len(), 1, "sent twice, there once");
    assert_eq!(inbox[0].1["text"], json!("It comes today."));

    let nowhere = Partners::new(Arc::new(Settings::default()), None).unwrap();
    assert!(matches!(nowhere.send_email(email("asha@example.com", None), 0).await, Err(EmailError::NoServer)));
}
