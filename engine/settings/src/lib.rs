//! `engine-settings`: every setting of the product with its default and meaning.
//!
//! What it is: one struct per area, read from defaults, then `journey.toml`, then the environment
//! (`JOURNEY_SERVER__ADDRESS=…`; `__` stands for a dot). Nobody else reads the environment.
//! What it does not know: the other crates, and what a setting is used for.
//! A new setting: one documented line in `areas.rs`; struct, default and reference follow from it.
//! A new refusal of production mode: one entry in `refusals.rs`.

mod areas;
mod load;
mod reference;
mod refusals;
mod secret;

pub use areas::{
    Database, Definitions, Field, Host, Keys, Limits, Log, Openid, Otp, Partners, Presence, Sandbox, Server, Session,
    Smtp, Tracking, Uploads, Worker,
};
pub use load::SettingsError;
pub use reference::{fields, reference};
pub use refusals::Refusal;
pub use secret::Secret;

use serde::Deserialize;

/// The file of a SQLite address: `sqlite:/var/journey.db`, `sqlite:///var/journey.db`, `sqlite:here.db?mode=rwc`.
pub fn sqlite_file(url: &str) -> Option<&str> {
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    path.split('?').next()
}

/// All settings. `Default` is a development set-up without a key; [`Settings::load`] reads or makes one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// `development` or `production`; the latter refuses unsafe values ([`Settings::refusals`]).
    pub mode: Mode,
    pub server: Server,
    pub database: Database,
    pub keys: Keys,
    pub partners: Partners,
    pub smtp: Smtp,
    pub sandbox: Sandbox,
    pub limits: Limits,
    pub worker: Worker,
    pub uploads: Uploads,
    pub presence: Presence,
    pub tracking: Tracking,
    pub session: Session,
    pub otp: Otp,
    pub openid: Openid,
    pub definitions: Definitions,
    pub log: Log,
    /// What is odd about how they were given; for whoever reads the log.
    #[serde(skip)]
    pub warnings: Vec<String>,
    /// `keys.master` was made by this process, and is in no file yet ([`Settings::keep_key`]).
    #[serde(skip)]
    pub is_key_new: bool,
    /// Files with secrets that other users of the machine may read.
    #[serde(skip)]
    pub open_files: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    #[default]
    Development,
    Production,
}

impl Settings {
    pub fn production(&self) -> bool {
        self.mode == Mode::Production
    }

    /// Whether the API is described to everybody who asks.
    pub fn shows_reference(&self) -> bool {
        self.server.reference.unwrap_or(!self.production())
    }

    /// Host of an alias: its binding, else the sandbox where it is enabled, else nowhere.
    pub fn host(&self, alias: &str) -> Option<Host> {
        if let Some(host) = self.partners.hosts.get(alias) {
            return Some(host.clone());
        }
        self.sandbox.enabled.then(|| Host {
            url: self.sandbox_url(),
            allow_private: true,
            secrets: Vec::new(),
            data: Default::default(),
            redirect: true,
            frame: true,
            script: true,
        })
    }

    /// Value of `secret://name`. With the sandbox enabled an unset one has the value `sandbox-<name>`.
    pub fn secret(&self, name: &str) -> Option<Secret> {
        let wanted = plain(name);
        let set = self.partners.secrets.iter().find(|(key, _)| plain(key) == wanted).map(|(_, value)| value.clone());
        set.or_else(|| self.sandbox.enabled.then(|| Secret::new(format!("sandbox-{wanted}"))))
    }

    /// Whether this secret may be sent to this host.
    pub fn secret_allowed(&self, name: &str, host: &Host) -> bool {
        let wanted = plain(name);
        (host.secrets.is_empty() && !self.production()) || host.secrets.iter().any(|allowed| plain(allowed) == wanted)
    }

    /// Address that customers see, without a slash at its end. A loopback address is called `localhost`: browsers keep
    /// secure cookies for that name without TLS.
    pub fn public_url(&self) -> String {
        match &self.server.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!(
                "http://{}",
                self.server.address.replace("127.0.0.1:", "localhost:").replace("0.0.0.0:", "localhost:")
            ),
        }
    }

    /// Address of the sandbox, without a slash at its end.
    pub fn sandbox_url(&self) -> String {
        match &self.sandbox.url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://{}/sandbox", self.server.address.replace("0.0.0.0:", "127.0.0.1:")),
        }
    }

    /// The 32 bytes of the master key; `None` when none is set or it is malformed.
    pub fn master_key(&self) -> Option<Secret<[u8; 32]>> {
        key_of(self.keys.master.as_ref()?)
    }

    /// The 32 bytes of the previous master key; `None` when none is set or it is malformed.
    pub fn previous_key(&self) -> Option<Secret<[u8; 32]>> {
        key_of(self.keys.previous.as_ref()?)
    }
}

/// Reads 32 bytes from 64 hexadecimal digits.
fn key_of(text: &Secret) -> Option<Secret<[u8; 32]>> {
    let text = text.expose().trim();
    let digits: Vec<u8> = text.chars().map_while(|c| c.to_digit(16).map(|d| d as u8)).collect();
    if digits.len() != 64 || text.len() != 64 {
        return None;
    }
    let mut key = [0u8; 32];
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    Some(Secret::new(key))
}

/// Writes a secret's name as names are compared: an environment variable cannot hold `-` or capitals.
fn plain(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}
