//! Keys that wrap keys, and the two keys of a journey.

use super::cipher::{Cipher, derived, random};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine_settings::Settings;

/// The master key, and the one before it, which still opens what it wrapped.
pub(crate) struct Keyring {
    current: Cipher,
    previous: Option<Cipher>,
    fingerprint: String,
    previous_fingerprint: Option<String>,
}

impl Keyring {
    /// `None`: there is no master key.
    pub fn of(settings: &Settings) -> Option<Keyring> {
        let wrapping = |key: &[u8; 32]| Cipher::derived(key, b"wrap");
        let (master, previous) = (settings.master_key()?, settings.previous_key());
        Some(Keyring {
            current: wrapping(master.expose()),
            previous: previous.as_ref().map(|key| wrapping(key.expose())),
            fingerprint: fingerprint(master.expose()),
            previous_fingerprint: previous.as_ref().map(|key| fingerprint(key.expose())),
        })
    }

    /// Fingerprints by which others know the keys again: of the current one, and of the one before it.
    pub fn fingerprints(&self) -> (&str, Option<&str>) {
        (&self.fingerprint, self.previous_fingerprint.as_deref())
    }

    pub fn wrap(&self, secret: &[u8], owner: &str) -> Option<String> {
        let sealed = self.current.seal(secret, owner);
        (!sealed.is_empty()).then(|| URL_SAFE_NO_PAD.encode(sealed))
    }

    pub fn unwrap<const N: usize>(&self, wrapped: &str, owner: &str) -> Option<[u8; N]> {
        let sealed = URL_SAFE_NO_PAD.decode(wrapped).ok()?;
        let mut all = std::iter::once(&self.current).chain(&self.previous);
        all.find_map(|key| key.open(&sealed, owner)).and_then(|plain| plain.try_into().ok())
    }

    /// A wrapped secret, wrapped by the current key; `None` when it is already, or no key of ours opens it.
    pub fn wrapped_anew(&self, wrapped: &str, owner: &str) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(wrapped).ok()?;
        if self.current.open(&sealed, owner).is_some() {
            return None;
        }
        let plain = self.previous.as_ref()?.open(&sealed, owner)?;
        self.wrap(&plain, owner)
    }
}

/// Says nothing of the key.
fn fingerprint(key: &[u8; 32]) -> String {
    hex::encode(&derived(key, b"fingerprint")[..8])
}

/// The keys of a journey.
pub(super) struct OwnKeys {
    /// Key of what serves the request; gone once its person was erased.
    pub service: Option<Cipher>,
    /// Key of what must be kept.
    pub statutory: Cipher,
}

/// Between the two wrapped keys, as they are stored; a destroyed one is empty.
const BETWEEN: char = '.';

impl OwnKeys {
    /// New ones, and how they are stored.
    pub fn fresh(keyring: &Keyring, owner: &str) -> Option<(OwnKeys, String)> {
        let (service, statutory): ([u8; 32], [u8; 32]) = (random(), random());
        let wrapped = |key: &[u8; 32], kind: &str| keyring.wrap(key, &place(owner, kind));
        let stored = format!("{}{BETWEEN}{}", wrapped(&service, "service")?, wrapped(&statutory, "statutory")?);
        Some((OwnKeys { service: Some(Cipher::new(&service)), statutory: Cipher::new(&statutory) }, stored))
    }

    pub fn unwrap(keyring: &Keyring, owner: &str, stored: &str) -> Option<OwnKeys> {
        let (service, statutory) = stored.split_once(BETWEEN)?;
        let opened = |wrapped: &str, kind: &str| {
            keyring.unwrap(wrapped, &place(owner, kind)).map(|key: [u8; 32]| Cipher::new(&key))
        };
        let service = match service {
            "" => None,
            wrapped => Some(opened(wrapped, "service")?),
        };
        Some(OwnKeys { service, statutory: opened(statutory, "statutory")? })
    }

    /// Stored keys, wrapped by the current master key; `None` when they are already.
    pub fn wrapped_anew(keyring: &Keyring, owner: &str, stored: &str) -> Option<String> {
        let (service, statutory) = stored.split_once(BETWEEN)?;
        let service_anew = keyring.wrapped_anew(service, &place(owner, "service"));
        let statutory_anew = keyring.wrapped_anew(statutory, &place(owner, "statutory"));
        if service_anew.is_none() && statutory_anew.is_none() {
            return None;
        }
        let (service, statutory) =
            (service_anew.as_deref().unwrap_or(service), statutory_anew.as_deref().unwrap_or(statutory));
        Some(format!("{service}{BETWEEN}{statutory}"))
    }

    pub fn is_without_service(stored: &str) -> bool {
        stored.starts_with(BETWEEN)
    }

    /// Stored keys, without the service key.
    pub fn without_service(stored: &str) -> Option<String> {
        let (_, statutory) = stored.split_once(BETWEEN)?;
        Some(format!("{BETWEEN}{statutory}"))
    }
}

fn place(owner: &str, kind: &str) -> String {
    format!("{kind} {owner}")
}
