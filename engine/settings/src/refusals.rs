//! What production mode refuses to start with.

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
    /// What must be put right before production; empty in development. `/readyz` and `journey doctor` show it.
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
        if cfg!(unsealed) {
            refuse("mode", "this build seals nothing of what it stores: it is made for a comparison of speed".into());
        }
        if self.sandbox.enabled {
            refuse("sandbox.enabled", "the sandbox of fake partners is on".into());
        }
        match &self.server.public_url {
            None => refuse("server.public_url", "the address that customers see is not set".into()),
            Some(url) if !url.starts_with("https://") => refuse("server.public_url", "must start with https://".into()),
            Some(_) => {}
        }
        if self.openid.issuer.as_ref().is_some_and(|issuer| !issuer.starts_with("https://")) {
            refuse("openid.issuer", "must start with https://".into());
        }
        if self.smtp.host.is_none() {
            refuse("smtp.host", "no mail server is set".into());
        }
        if !matches!(self.smtp.security.as_str(), "starttls" | "tls") {
            refuse("smtp.security", format!("`{}` sends mail in the clear: `starttls` or `tls`", self.smtp.security));
        }
        if !(1..=10).contains(&self.otp.tries) {
            refuse("otp.tries", format!("{} tries of a one-time password: 1 to 10", self.otp.tries));
        }
        let (limits, otp) = (&self.limits, &self.otp);
        for (setting, rate) in [
            ("limits.rate_per_s", i64::from(limits.rate_per_s)),
            ("limits.write_rate_per_s", i64::from(limits.write_rate_per_s)),
            ("limits.starts_per_hour", i64::from(limits.starts_per_hour)),
            ("limits.error_reports_per_hour", i64::from(limits.error_reports_per_hour)),
        ] {
            if rate <= 0 {
                refuse(setting, "a rate of 0 is no limit, or lets nobody in".into());
            }
        }
        const DAY_MS: i64 = 86_400_000;
        for (setting, value, least, most) in [
            ("otp.ttl_ms", otp.ttl_ms, 60_000, 900_000),
            ("otp.resend_ms", otp.resend_ms, 10_000, 600_000),
            ("otp.proof_bits", i64::from(otp.proof_bits), 12, 24),
            ("otp.per_hour", otp.per_hour, 1, 20),
            ("otp.per_day", otp.per_day, 1, 50),
            ("otp.block_hour", otp.block_hour, 1, 1_000),
            ("otp.per_sender_hour", otp.per_sender_hour, 1, 1_000),
            ("otp.per_address_hour", otp.per_address_hour, 1, 10_000),
            ("otp.global_hour", otp.global_hour, 1, 1_000_000),
            ("otp.unproven_per_address_hour", otp.unproven_per_address_hour, 0, 20),
            ("session.ttl_ms", self.session.ttl_ms, 600_000, 90 * DAY_MS),
            ("session.most_ms", self.session.most_ms, 600_000, 366 * DAY_MS),
            ("session.trust_ms", self.session.trust_ms, DAY_MS, 366 * DAY_MS),
        ] {
            if !(least..=most).contains(&value) {
                refuse(setting, format!("{value} protects nobody, or lets nobody in: {least} to {most}"));
            }
        }
        for file in &self.open_files {
            refuse("keys.master", format!("`{file}` holds secrets and can be read by other users: chmod 600"));
        }
        for origin in self.server.origins.iter().filter(|origin| !origin.starts_with("https://")) {
            refuse("server.origins", format!("`{origin}` is not the address of a site over https://"));
        }
        for network in self.server.trusted_proxies.iter().filter(|network| is_vast(network)) {
            refuse("server.trusted_proxies", format!("`{network}` believes strangers: name your proxies"));
        }
        for host in self.tracking.redirect_hosts.iter().filter(|host| host.contains('*')) {
            refuse("tracking.redirect_hosts", format!("`{host}` lets a partner send customers anywhere"));
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
        if let Some(file) = crate::sqlite_file(&self.database.url)
            && readable_by_others(Path::new(file))
        {
            refuse("database.url", format!("`{file}` can be read by other users: chmod 600"));
        }
        found
    }
}

/// Whether a network is larger than any of one operator.
fn is_vast(network: &str) -> bool {
    network.rsplit_once('/').and_then(|(_, length)| length.trim().parse().ok()).is_some_and(|length: u8| length < 8)
}

#[cfg(unix)]
pub(crate) fn readable_by_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|meta| meta.permissions().mode() & 0o044 != 0)
}

#[cfg(not(unix))]
pub(crate) fn readable_by_others(_: &Path) -> bool {
    false
}
