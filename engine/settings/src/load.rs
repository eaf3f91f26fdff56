//! Reading settings: defaults < file < environment.

#![allow(clippy::disallowed_methods)] // the room of settings

use crate::reference::{fields, variable};
use crate::{Mode, Secret, Settings};
use figment::Figment;
use figment::providers::{Format, Toml};
use figment::value::Value;
use std::io::{Read, Write};
use std::path::Path;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("settings: {0}")]
    Invalid(String),
    #[error("settings file `{0}` cannot be read")]
    NoFile(String),
    #[error("`keys.master` must be 64 hexadecimal digits (32 bytes)")]
    Key,
    #[error("key file `{file}`: {reason}")]
    KeyFile { file: String, reason: std::io::Error },
}

const PREFIX: &str = "JOURNEY_";

impl Settings {
    /// Reads `file` (must exist when named; default `journey.toml` where there is one) and the environment.
    /// In development a missing master key is made and kept in `keys.file`.
    pub fn load(file: Option<&Path>) -> Result<Settings, SettingsError> {
        Settings::load_from(file, std::env::vars())
    }

    /// As [`Settings::load`], with these variables instead of the process's.
    pub fn load_from(
        file: Option<&Path>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Settings, SettingsError> {
        let (mut figment, mut warnings) = (Figment::new(), Vec::new());
        match file {
            Some(path) if !path.is_file() => return Err(SettingsError::NoFile(path.display().to_string())),
            Some(path) => figment = figment.merge(Toml::file_exact(path)),
            None if Path::new("journey.toml").is_file() => figment = figment.merge(Toml::file_exact("journey.toml")),
            None => {}
        }
        for (name, value) in variables {
            let Some(path) = name.strip_prefix(PREFIX) else { continue };
            let path = path.to_ascii_lowercase().replace("__", ".");
            if !is_known(&path) {
                warnings.push(unknown(&name, &path));
                continue;
            }
            // A secret of digits must stay text with its leading zeros.
            figment = match is_text(&path) {
                true => figment.merge((path, value)),
                false => figment.merge((path, parsed(&value))),
            };
        }
        let mut settings: Settings = figment.extract().map_err(|error| SettingsError::Invalid(error.to_string()))?;
        settings.warnings = warnings;
        if settings.keys.master.is_none() && settings.mode == Mode::Development {
            settings.keys.master = Some(development_key(&settings.keys.file)?);
        }
        let malformed = |given: bool, read: bool| given && !read;
        if malformed(settings.keys.master.is_some(), settings.master_key().is_some())
            || malformed(settings.keys.previous.is_some(), settings.previous_key().is_some())
        {
            return Err(SettingsError::Key);
        }
        Ok(settings)
    }
}

/// A setting, or an entry of one that is a map.
fn is_known(path: &str) -> bool {
    MAPS.iter().any(|map| path.starts_with(map)) || settings().any(|setting| setting == path)
}

const MAPS: [&str; 2] = ["partners.hosts.", "partners.secrets."];

fn settings() -> impl Iterator<Item = String> {
    fields().into_iter().map(|field| field.path())
}

/// What somebody who mistyped a variable needs to know.
fn unknown(name: &str, path: &str) -> String {
    let nearest = settings().min_by_key(|setting| strsim::damerau_levenshtein(setting, path)).unwrap_or_default();
    format!("`{name}` is not a setting; the nearest is `{}`", variable(&nearest))
}

fn is_text(path: &str) -> bool {
    path.starts_with("partners.secrets.")
        || path.starts_with("keys.")
        || path.ends_with("password")
        || path.ends_with("token")
        || path.ends_with("url")
}

/// A value of the environment as figment reads it: number, bool, list or text.
fn parsed(value: &str) -> Value {
    match value.parse() {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// The key of this working copy: read, or made from the system's random source at the first start.
fn development_key(file: &Path) -> Result<Secret, SettingsError> {
    let fail = |reason: std::io::Error| SettingsError::KeyFile { file: file.display().to_string(), reason };
    match std::fs::read_to_string(file) {
        Ok(text) => return Ok(Secret::new(text.trim().to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(fail(error)),
    }
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    let mut bytes = [0u8; 32];
    std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes)).map_err(fail)?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(file) {
        Ok(mut made) => made.write_all(text.as_bytes()).and_then(|()| made.sync_all()).map_err(fail)?,
        // Another process made it at the same moment.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return development_key(file),
        Err(error) => return Err(fail(error)),
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], test: impl Fn(Result<Settings, SettingsError>)) {
        let folder = std::env::temp_dir().join(format!(
            "journey-settings-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let key = folder.join("master.key").display().to_string();
        let mut all = vec![("JOURNEY_KEYS__FILE".to_owned(), key)];
        all.extend(variables.iter().map(|(name, value)| (name.to_string(), value.to_string())));
        test(Settings::load_from(None, all));
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn environment_wins_and_keeps_types() {
        check(
            &[
                ("JOURNEY_SERVER__ADDRESS", "0.0.0.0:0"),
                ("JOURNEY_OTP__TRIES", "3"),
                ("JOURNEY_SERVER__TRUSTED_PROXIES", "[\"10.0.0.0/8\"]"),
                ("JOURNEY_PARTNERS__SECRETS__GATE_KEY", "007"),
                ("PATH", "x"),
            ],
            |settings| {
                let settings = settings.unwrap();
                assert_eq!((settings.server.address.as_str(), settings.otp.tries), ("0.0.0.0:0", 3));
                assert_eq!(settings.server.trusted_proxies, ["10.0.0.0/8"]);
                assert_eq!(settings.secret("gate-key").unwrap().expose(), "007");
                assert_eq!(settings.secret("other").unwrap().expose(), "sandbox-other");
                assert!(settings.master_key().is_some());
                assert!(!format!("{settings:?}").contains("007"));
            },
        );
    }

    #[test]
    fn an_unknown_variable_is_a_warning_and_a_bad_key_is_refused() {
        check(&[("JOURNEY_SERVER__ADRESS", "x"), ("JOURNEY_PARTNERS__SECRETS__ANY", "x")], |settings| {
            let warned = "`JOURNEY_SERVER__ADRESS` is not a setting; the nearest is `JOURNEY_SERVER__ADDRESS`";
            assert_eq!(settings.unwrap().warnings, [warned]);
        });
        check(&[("JOURNEY_KEYS__MASTER", "abc")], |settings| assert!(matches!(settings, Err(SettingsError::Key))));
    }

    #[test]
    fn the_development_key_is_made_once() {
        let folder = std::env::temp_dir().join(format!("journey-key-{}", std::process::id()));
        let file = folder.join("master.key");
        let first = development_key(&file).unwrap();
        assert_eq!(first, development_key(&file).unwrap());
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn production_refuses_what_is_unsafe() {
        check(&[("JOURNEY_MODE", "production")], |settings| {
            let named: Vec<_> = settings.unwrap().refusals().into_iter().map(|refusal| refusal.setting).collect();
            assert_eq!(named, ["keys.master", "sandbox.enabled", "server.public_url", "smtp.host"]);
        });
        check(&[], |settings| assert!(settings.unwrap().refusals().is_empty()));
    }

    /// In production this setting, given this value, and nothing else of these is refused.
    fn refused(variable: &str, value: &str, setting: &str) {
        let good = [
            ("JOURNEY_MODE", "production"),
            ("JOURNEY_KEYS__MASTER", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"),
            ("JOURNEY_SANDBOX__ENABLED", "false"),
            ("JOURNEY_SERVER__PUBLIC_URL", "https://shop.example"),
            ("JOURNEY_SMTP__HOST", "mail.example"),
        ];
        let named = |settings: Result<Settings, SettingsError>| -> Vec<_> {
            settings.unwrap().refusals().into_iter().map(|refusal| refusal.setting).collect()
        };
        check(&good, |settings| assert_eq!(named(settings), [""; 0]));
        check(&[&good[..], &[(variable, value)]].concat(), |settings| {
            assert_eq!(named(settings), [setting], "{variable}={value}");
        });
    }

    #[test]
    fn production_refuses_settings_that_open_a_gate() {
        refused("JOURNEY_SMTP__SECURITY", "none", "smtp.security");
        refused("JOURNEY_OTP__TRIES", "1000000", "otp.tries");
        refused("JOURNEY_OTP__TRIES", "0", "otp.tries");
        refused("JOURNEY_LIMITS__WRITE_RATE_PER_S", "0", "limits.write_rate_per_s");
        refused("JOURNEY_OTP__PER_ADDRESS_HOUR", "0", "otp.per_address_hour");
        refused("JOURNEY_SERVER__ORIGINS", "[\"null\"]", "server.origins");
        refused("JOURNEY_SERVER__ORIGINS", "[\"*\"]", "server.origins");
        refused("JOURNEY_SERVER__TRUSTED_PROXIES", "[\"0.0.0.0/0\"]", "server.trusted_proxies");
        refused("JOURNEY_SERVER__TRUSTED_PROXIES", "[\"::/0\"]", "server.trusted_proxies");
        refused("JOURNEY_TRACKING__REDIRECT_HOSTS", "[\"*\"]", "tracking.redirect_hosts");
    }
}
