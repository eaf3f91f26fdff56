//! Outgoing e-mail: text and, where there is one, HTML. With a mail server in the settings over SMTP, else in
//! development into the inbox of the sandbox.

use crate::memory::{self, Memory, MemoryError};
use engine_settings::Settings;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart, header};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// One message to one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// Key of the effect that orders it: becomes the Message-ID, so that a repeated send can be recognised.
    pub key: String,
    pub to: String,
    pub subject: String,
    pub text: String,
    pub html: Option<String>,
    pub file: Option<File>,
}

/// A file that goes with a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

#[derive(Debug, thiserror::Error)]
pub enum EmailError {
    /// An e-mail that is never worth another try.
    #[error("the e-mail cannot be written: {0}")]
    Malformed(String),
    /// The server said no for good, such as an unknown mailbox.
    #[error("the mail server refused the e-mail")]
    Refused,
    /// A failure that is worth another try.
    #[error("the mail server cannot be reached or asks to wait")]
    Later,
    #[error("no mail server is set")]
    NoServer,
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl EmailError {
    pub fn retry(&self) -> bool {
        matches!(self, EmailError::Later | EmailError::Memory(_))
    }
}

/// Way by which e-mail goes in this set-up.
pub enum Post {
    Smtp { transport: Box<AsyncSmtpTransport<Tokio1Executor>>, from: Box<Mailbox> },
    Inbox(Arc<dyn Memory>),
    Nowhere,
}

impl Post {
    /// `inbox` is used when the settings name no mail server.
    pub fn new(settings: &Settings, inbox: Option<Arc<dyn Memory>>) -> Result<Post, EmailError> {
        let Some(host) = &settings.smtp.host else {
            return Ok(inbox.map_or(Post::Nowhere, Post::Inbox));
        };
        let malformed = |what: &str| EmailError::Malformed(format!("setting `smtp.{what}`"));
        let builder = match settings.smtp.security.as_str() {
            "starttls" => AsyncSmtpTransport::<Tokio1Executor>::starttls_relay(host).map_err(|_| malformed("host"))?,
            "tls" => AsyncSmtpTransport::<Tokio1Executor>::relay(host).map_err(|_| malformed("host"))?,
            "none" => AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host),
            _ => return Err(malformed("security")),
        };
        let builder = builder.port(settings.smtp.port).timeout(Some(Duration::from_secs(20)));
        let builder = match (&settings.smtp.username, &settings.smtp.password) {
            (Some(user), Some(password)) => {
                builder.credentials(Credentials::new(user.clone(), password.expose().clone()))
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => builder,
        };
        let from = settings.smtp.from.parse().map_err(|_| malformed("from"))?;
        Ok(Post::Smtp { transport: Box::new(builder.build()), from: Box::new(from) })
    }

    pub async fn send(&self, email: Email, now_ms: i64) -> Result<(), EmailError> {
        match self {
            Post::Smtp { transport, from } => {
                let message = message(&email, from)?;
                match transport.send(message).await {
                    Ok(_) => Ok(()),
                    Err(error) if error.is_permanent() => Err(EmailError::Refused),
                    Err(error) => {
                        tracing::warn!(
                            timeout = error.is_timeout(),
                            transient = error.is_transient(),
                            "e-mail was not taken"
                        );
                        Err(EmailError::Later)
                    }
                }
            }
            Post::Inbox(memory) => {
                let file = email.file.map(|file| file.name);
                let message = json!({"channel": "email", "to": email.to, "subject": email.subject, "text": email.text, "html": email.html, "file": file});
                Ok(memory::put_message(memory.as_ref(), &email.key, message, now_ms).await?)
            }
            Post::Nowhere => Err(EmailError::NoServer),
        }
    }
}

fn message(email: &Email, from: &Mailbox) -> Result<Message, EmailError> {
    let malformed = |what: &str| EmailError::Malformed(what.to_owned());
    let to: Mailbox = email.to.parse().map_err(|_| malformed("the address is not one"))?;
    let builder = Message::builder()
        .from(from.clone())
        .to(to)
        .subject(&email.subject)
        .message_id(Some(message_id(&email.key, from)));
    let text = match &email.html {
        Some(html) => MultiPart::alternative_plain_html(email.text.clone(), html.clone()),
        None => MultiPart::mixed().singlepart(SinglePart::plain(email.text.clone())),
    };
    let built = match &email.file {
        Some(File { name, media_type, bytes }) => {
            let kind = header::ContentType::parse(media_type).map_err(|_| malformed("the file's type is none"))?;
            let file = Attachment::new(name.clone()).body(bytes.clone(), kind);
            builder.multipart(MultiPart::mixed().multipart(text).singlepart(file))
        }
        None if email.html.is_none() => builder.header(header::ContentType::TEXT_PLAIN).body(email.text.clone()),
        None => builder.multipart(text),
    };
    built.map_err(|_| malformed("its parts do not fit together"))
}

fn message_id(key: &str, from: &Mailbox) -> String {
    use sha2::Digest as _;
    format!("<{}@{}>", hex::encode(&sha2::Sha256::digest(key.as_bytes())[..16]), from.email.domain())
}
