//! Everything that may be personal is sealed before the store sees it, and opened when it comes back (**sealed**).
//!
//! A journey has two keys of its own, random, wrapped by the master key and stored with it: one for what serves the
//! request (state, history, effects, drafts, most records), one for what a law makes a broker keep (records of kinds
//! that the table `shared/kept` names with their law, documents). Erasing a person destroys the first. A person has two
//! as well, of which the first seals their profile. What belongs to neither (sessions, parked webhooks, reusable
//! replies, small values) is sealed with the key of the house. Each text is bound to its owner and its column: moved
//! elsewhere it does not open.
//!
//! The vault is a store itself, so that nothing of the product goes by it: what the vault does not seal it passes on.

mod aside;
mod cipher;
mod keyring;
mod passing;
mod sealing;

pub(crate) use keyring::Keyring;

use crate::clock::Clock;
use crate::core::RuntimeError;
use cipher::Cipher;
use engine_store::{Result, Store, StoreError};
use keyring::OwnKeys;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

pub(crate) struct Vault {
    store: Arc<dyn Store>,
    keyring: Keyring,
    clock: Arc<dyn Clock>,
    house: Cipher,
    /// Incidents of rows that could not be opened, which this node has reported.
    reported: Mutex<HashSet<String>>,
    /// Keys that were used lately.
    known: Mutex<HashMap<String, Arc<OwnKeys>>>,
}

const KNOWN_MAX: usize = 20_000;

/// Journeys whose keys are read at once.
const PAGE: u32 = 500;

/// Where the house's own secret lies, wrapped.
const HOUSE: (&str, &str) = ("vault", "house");

/// Whether a database was made with a master key.
pub async fn is_sealed(store: &dyn Store) -> Result<bool> {
    let (bucket, key) = HOUSE;
    Ok(store.kv_get(bucket, key).await?.is_some())
}

impl Vault {
    /// Opens the house's secret, or makes one in an empty database; the other half of it is for who derives keys.
    pub async fn open(
        store: Arc<dyn Store>,
        keyring: Keyring,
        clock: Arc<dyn Clock>,
    ) -> std::result::Result<(Vault, [u8; 32]), RuntimeError> {
        let (bucket, key) = HOUSE;
        if store.kv_get(bucket, key).await?.is_none() {
            let fresh: [u8; 32] = cipher::random();
            let wrapped = keyring.wrap(&fresh, key).ok_or(RuntimeError::NoKey)?;
            store.kv_swap(bucket, key, None, wrapped.into()).await?;
        }
        // Another node may have been first.
        let wrapped = store.kv_get(bucket, key).await?;
        let wrapped = wrapped.as_ref().and_then(|wrapped| wrapped.as_str()).unwrap_or_default();
        let secret = keyring.unwrap(wrapped, key).ok_or(RuntimeError::WrongKey)?;
        let house = Cipher::derived(&secret, b"house");
        Ok((Vault { store, keyring, clock, house, reported: Mutex::default(), known: Mutex::default() }, secret))
    }

    /// Fingerprints of the master key, and of the one before it.
    pub fn fingerprints(&self) -> (&str, Option<&str>) {
        self.keyring.fingerprints()
    }

    /// Keys of a journey; `None` when there is none.
    async fn keys(&self, journey: &str) -> Result<Option<Arc<OwnKeys>>> {
        if let Some(keys) = self.cached_keys(journey) {
            return Ok(Some(keys));
        }
        Ok(self.keys_of([journey]).await?.remove(journey))
    }

    /// Keys of several journeys, in one look.
    async fn keys_of<'j>(&self, journeys: impl IntoIterator<Item = &'j str>) -> Result<HashMap<String, Arc<OwnKeys>>> {
        let (mut found, wrapped) = self.known_and_wrapped(journeys).await?;
        for (journey, wrapped) in wrapped {
            let keys = self.unwrap_keys(&journey, &wrapped)?;
            found.insert(journey, keys);
        }
        Ok(found)
    }

    /// Without those that no key of ours opens.
    async fn keys_that_open<'j>(
        &self,
        journeys: impl IntoIterator<Item = &'j str>,
    ) -> Result<HashMap<String, Arc<OwnKeys>>> {
        let (mut found, wrapped) = self.known_and_wrapped(journeys).await?;
        for (journey, wrapped) in wrapped {
            if let Ok(keys) = self.unwrap_keys(&journey, &wrapped) {
                found.insert(journey, keys);
            }
        }
        Ok(found)
    }

    /// Keys that were used lately, and the others as they are stored.
    async fn known_and_wrapped<'j>(
        &self,
        journeys: impl IntoIterator<Item = &'j str>,
    ) -> Result<(HashMap<String, Arc<OwnKeys>>, Vec<(String, String)>)> {
        let (mut found, mut missing) = (HashMap::new(), Vec::new());
        {
            let known = self.known.lock().unwrap_or_else(|e| e.into_inner());
            for journey in journeys {
                match known.get(journey) {
                    Some(keys) => drop(found.insert(journey.to_owned(), keys.clone())),
                    None => missing.push(journey.to_owned()),
                }
            }
        }
        if !missing.is_empty() {
            missing.sort_unstable();
            missing.dedup();
            return Ok((found, self.store.journey_keys(&missing).await?));
        }
        Ok((found, Vec::new()))
    }

    fn unwrap_keys(&self, journey: &str, wrapped: &str) -> Result<Arc<OwnKeys>> {
        if let Some(keys) =
            self.cached_keys(journey).filter(|keys| keys.service.is_none() == OwnKeys::is_without_service(wrapped))
        {
            return Ok(keys);
        }
        let keys = OwnKeys::unwrap(&self.keyring, journey, wrapped).map(Arc::new).ok_or_else(|| {
            StoreError::Corrupt { column: "journeys.keys", reason: "no master key opens them".into() }
        })?;
        self.remember(journey, keys.clone());
        Ok(keys)
    }

    /// Wraps every key anew with the current master key: how many journeys and persons had others. Others may work
    /// meanwhile; what they begin is wrapped by the current key already.
    pub async fn wrap_anew(&self) -> Result<u64> {
        let (bucket, key) = HOUSE;
        if let Some(stored) = self.store.kv_get(bucket, key).await?
            && let Some(anew) = stored.as_str().and_then(|wrapped| self.keyring.wrapped_anew(wrapped, key))
        {
            self.store.kv_swap(bucket, key, Some(stored), anew.into()).await?;
        }
        Ok(self.wrap_journeys_anew().await? + self.wrap_persons_anew().await?)
    }

    async fn wrap_journeys_anew(&self) -> Result<u64> {
        let (mut after, mut changed) = (0, 0);
        loop {
            let page = self.store.keys_after(after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(changed) };
            after = last.number;
            for stored in &page {
                let anew = OwnKeys::wrapped_anew(&self.keyring, &stored.journey, &stored.keys);
                if let Some(anew) = anew {
                    changed += u64::from(self.store.replace_keys(&stored.journey, &stored.keys, &anew).await?);
                }
            }
        }
    }

    async fn wrap_persons_anew(&self) -> Result<u64> {
        // Ids are random: nobody has the first.
        let (mut after, mut changed) = ("0".repeat(32), 0);
        loop {
            let page = self.store.person_keys_after(&after, PAGE).await?;
            let Some((last, _)) = page.last() else { return Ok(changed) };
            after.clone_from(last);
            for (person, keys) in &page {
                if let Some(anew) = OwnKeys::wrapped_anew(&self.keyring, person, keys) {
                    changed += u64::from(self.store.replace_person_keys(person, keys, &anew).await?);
                }
            }
        }
    }

    /// Destroys the service key of these journeys: what served them can be read by nobody any more, here and in every
    /// backup. What a law keeps stays readable. Those without one are passed over; how many had it.
    pub async fn forget(&self, journeys: &[String], now_ms: i64) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        for (journey, stored) in self.store.journey_keys(journeys).await? {
            if OwnKeys::is_without_service(&stored) {
                continue;
            }
            if let Some(keys) = OwnKeys::without_service(&stored) {
                self.store.bury_journey(&journey, &keys, now_ms).await?;
                gone.push(journey.clone());
            }
            self.known.lock().unwrap_or_else(|e| e.into_inner()).remove(&journey);
        }
        Ok(gone)
    }

    fn cached_keys(&self, journey: &str) -> Option<Arc<OwnKeys>> {
        self.known.lock().unwrap_or_else(|e| e.into_inner()).get(journey).cloned()
    }

    fn remember(&self, journey: &str, keys: Arc<OwnKeys>) {
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        if known.len() >= KNOWN_MAX {
            known.clear();
        }
        known.insert(journey.to_owned(), keys);
    }
}
