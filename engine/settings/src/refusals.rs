//! What production mode refuses to start with (security rule 35).

use crate::{Mode, Settings};
use std::path::Path;

/// One reason not to start: the setting at fault and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub setting: &'static str,
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}`: {}", self.setting, self.message)
    }
}

impl Settings {
    /// Empty in development; in production everything that must be put right first. `/readyz` and `journey doctor` show
    /// it.
    pub fn refusals(&self) -> Vec<Refusal> {
        if self.mode == Mode::Development {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut refuse = |setting, message: String| found.push(Refusal { setting, message });
        match self.master_key() {
            None => refuse("keys.master", "no master key is set: give 64 hexadecimal digits".into()),
            Some(key) if key.expose().iter().all(|byte| byte == &key.expose()[0]) => {
                refuse("keys.master", "the master key is a repeated byte: make one with `openssl rand -hex 32`".into())
            }
            Some(_) => {}
        }
        if self.sandbox.enabled {
            refuse("sandbox.enabled", "the sandbox of fake partners is on".into());
        }
        match &self.server.public_url {
            None => refuse("server.public_url", "the address that customers see is not set".into()),
            Some(url) if !url.starts_with("https://") => refuse("server.public_url", "must start with https://".into()),
            Some(_) => {}
        }
        if self.smtp.host.is_none() {
            refuse("smtp.host", "no mail server is set".into());
        }
        for (name, value) in &self.partners.secrets {
            if value.expose().trim().is_empty() || value.expose().starts_with("sandbox-") {
                refuse("partners.secrets", format!("`{name}` has a default value"));
            }
        }
        for (alias, host) in &self.partners.hosts {
            if !host.url.starts_with("https://") {
                refuse("partners.hosts", format!("`{alias}` is not reached by https://"));
            }
        }
        if let Some(file) = self.database.url.strip_prefix("sqlite:") {
            let file = file.trim_start_matches("//");
            let file = file.split('?').next().unwrap_or(file);
            if readable_by_others(Path::new(file)) {
                refuse("database.url", format!("`{file}` can be read by other users: chmod 600"));
            }
        }
        found
    }
}

#[cfg(unix)]
fn readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|meta| meta.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
fn readable_by_others(_: &Path) -> bool {
    false
}
