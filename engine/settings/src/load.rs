//! Reading settings: defaults < file < environment.

#![allow(clippy::disallowed_methods)] // the room of settings

use crate::reference::{fields, variable};
use crate::refusals::readable_by_others;
use crate::{Mode, Secret, Settings};
use figment::Figment;
use figment::error::Kind;
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
    /// In development a missing master key is made, to be kept in `keys.file`.
    pub fn load(file: Option<&Path>) -> Result<Settings, SettingsError> {
        Settings::load_from(file, std::env::vars())
    }

    /// Loads the settings with these variables instead of the process's.
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
                false => figment.merge((path, parse(&value))),
            };
        }
        let mut settings: Settings = figment.extract().map_err(|error| SettingsError::Invalid(describe(&error)))?;
        settings.warnings = warnings;
        settings.note_open(file);
        if settings.keys.master.is_none() && settings.mode == Mode::Development {
            settings.take_key()?;
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

impl Settings {
    /// The key of `keys.file`; a new one where there is none, which is kept later.
    fn take_key(&mut self) -> Result<(), SettingsError> {
        let file = self.keys.file.clone();
        self.keys.master = key_in(&file)?;
        if self.keys.master.is_some() && readable_by_others(&file) {
            self.warnings.push(format!("key file `{}` can be read by other users: chmod 600", file.display()));
        }
        if self.keys.master.is_none() {
            let fail = |reason| SettingsError::KeyFile { file: file.display().to_string(), reason };
            (self.keys.master, self.is_key_new) = (Some(fresh_key().map_err(fail)?), true);
        }
        Ok(())
    }

    /// A settings file that holds secrets is its owner's alone.
    fn note_open(&mut self, file: Option<&Path>) {
        let file = file.unwrap_or(Path::new("journey.toml"));
        let Ok(text) = std::fs::read_to_string(file) else { return };
        let holds = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
        let is_secret = ["master", "previous", "[keys", "[partners.secrets", "password", "client_secret", "keys."];
        if is_secret.iter().any(|word| holds(word)) && readable_by_others(file) {
            let file = file.display().to_string();
            self.warnings.push(format!("`{file}` holds secrets and can be read by other users: chmod 600"));
            self.open_files.push(file);
        }
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
        || path.ends_with("secret")
        || path.ends_with("url")
}

/// A value of the environment as figment reads it: number, bool, list or text.
fn parse(value: &str) -> Value {
    match value.parse() {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// The key of this working copy; `None`: there is no file.
fn key_in(file: &Path) -> Result<Option<Secret>, SettingsError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(Secret::new(text.trim().to_owned()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(reason) => Err(SettingsError::KeyFile { file: file.display().to_string(), reason }),
    }
}

/// A key from the system's random source.
fn fresh_key() -> std::io::Result<Secret> {
    let mut bytes = [0u8; 32];
    std::fs::File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes))?;
    Ok(Secret::new(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
}

impl Settings {
    /// Writes a key that was made by this process into `keys.file`: to be called once the database is known to have been
    /// made with none. Where another process was first, its key is taken.
    pub fn keep_key(&mut self) -> Result<(), SettingsError> {
        let (file, Some(key)) = (&self.keys.file, self.keys.master.as_ref().filter(|_| self.is_key_new)) else {
            return Ok(());
        };
        let fail = |reason: std::io::Error| SettingsError::KeyFile { file: file.display().to_string(), reason };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(fail)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        match options.open(file) {
            Ok(mut made) => made.write_all(key.expose().as_bytes()).and_then(|()| made.sync_all()).map_err(fail)?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => self.keys.master = key_in(file)?,
            Err(error) => return Err(fail(error)),
        }
        self.is_key_new = false;
        Ok(())
    }
}

/// What is wrong with a value, without the value: it may be a secret.
fn describe(error: &figment::Error) -> String {
    let said = |error: &figment::Error| {
        let what = match &error.kind {
            Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) => format!("expected {expected}"),
            Kind::UnknownField(name, _) => format!("`{name}` is not a setting"),
            Kind::MissingField(name) => format!("`{name}` is missing"),
            Kind::DuplicateField(name) => format!("`{name}` is there twice"),
            Kind::UnknownVariant(_, known) => format!("expected one of {}", known.join(", ")),
            Kind::InvalidLength(length, expected) => format!("{length} values, expected {expected}"),
            Kind::Message(_)
            | Kind::Unsupported(_)
            | Kind::UnsupportedKey(..)
            | Kind::ISizeOutOfRange(_)
            | Kind::USizeOutOfRange(_) => "it cannot be read".to_owned(),
        };
        let source =
            error.metadata.as_ref().and_then(|from| from.source.as_ref()).map(|source| format!(" in {source}"));
        format!("`{}`{}: {what}", error.path.join("."), source.unwrap_or_default())
    };
    error.clone().into_iter().map(|error| said(&error)).collect::<Vec<_>>().join("; ")
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
        let set =
            || Settings::load_from(None, [("JOURNEY_KEYS__FILE".to_owned(), file.display().to_string())]).unwrap();
        let (mut first, mut other) = (set(), set());
        assert!(first.is_key_new && !file.exists(), "nothing is written before the database is known to be empty");
        first.keep_key().unwrap();
        other.keep_key().unwrap();
        assert_eq!(other.keys.master, first.keys.master, "another process was first");
        let again = set();
        assert!(!again.is_key_new && again.warnings.is_empty());
        assert_eq!(again.keys.master, first.keys.master);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(set().warnings[0].contains("can be read by other users"));
        }
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn a_secret_that_looks_like_a_number_is_never_printed() {
        let given = [
            ("JOURNEY_PARTNERS__SECRETS", "{kyc_key=8765432109}"),
            ("JOURNEY_OTP", "8765432109"),
            ("JOURNEY_KEYS", "{master=8765432109}"),
            ("JOURNEY_MODE", "s8765432109"),
        ];
        for (name, value) in given {
            let warned = |settings: Settings| settings.warnings.join(" ");
            check(&[(name, value)], |settings| {
                let said = settings.map_or_else(|error| error.to_string(), warned);
                assert!(!said.is_empty() && !said.contains("8765432109"), "{name}: {said}");
            });
        }
        check(&[("JOURNEY_OPENID__CLIENT_SECRET", "0087")], |settings| {
            assert_eq!(settings.unwrap().openid.client_secret.unwrap().expose(), "0087");
        });
    }

    #[test]
    fn production_refuses_what_is_unsafe() {
        check(&[("JOURNEY_MODE", "production")], |settings| {
            let named: Vec<_> = settings.unwrap().refusals().into_iter().map(|refusal| refusal.setting).collect();
            assert_eq!(named, ["keys.master", "sandbox.enabled", "server.public_url", "smtp.host"]);
        });
        check(&[], |settings| assert!(settings.unwrap().refusals().is_empty()));
    }

    /// Checks that in production this setting, given this value, and nothing else of these is refused.
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
        refused("JOURNEY_OTP__PER_HOUR", "1000000", "otp.per_hour");
        refused("JOURNEY_OTP__BLOCK_HOUR", "1000000", "otp.block_hour");
        refused("JOURNEY_SESSION__MOST_MS", "315360000000", "session.most_ms");
        refused("JOURNEY_OTP__PER_ADDRESS_HOUR", "0", "otp.per_address_hour");
        refused("JOURNEY_SERVER__ORIGINS", "[\"null\"]", "server.origins");
        refused("JOURNEY_SERVER__ORIGINS", "[\"*\"]", "server.origins");
        refused("JOURNEY_SERVER__TRUSTED_PROXIES", "[\"0.0.0.0/0\"]", "server.trusted_proxies");
        refused("JOURNEY_SERVER__TRUSTED_PROXIES", "[\"::/0\"]", "server.trusted_proxies");
        refused("JOURNEY_OTP__PROOF_BITS", "0", "otp.proof_bits");
        refused("JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR", "1000000", "otp.unproven_per_address_hour");
        refused("JOURNEY_OTP__TTL_MS", "31536000000", "otp.ttl_ms");
        refused("JOURNEY_OTP__RESEND_MS", "0", "otp.resend_ms");
        refused("JOURNEY_SESSION__TTL_MS", "315360000000", "session.ttl_ms");
        refused("JOURNEY_SESSION__TRUST_MS", "0", "session.trust_ms");
        refused("JOURNEY_TRACKING__REDIRECT_HOSTS", "[\"*\"]", "tracking.redirect_hosts");
    }
}
