//! Pages that need not be drawn again to be checked: they were drawn before in this process, and all that they read is
//! as it was.

use crate::host::ProductHost;
use crate::references::{OF_CALENDARS, is_of_tables};
use engine_statechart::source::digest_of;
use engine_statechart::{Host, Worked};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Pages that are remembered at once; beyond it all are forgotten.
const DRAWN_MAX: usize = 100_000;

/// A page that was drawn without an error.
#[derive(Clone)]
struct Drawn {
    /// Tables and reference data that it read.
    reads: Arc<BTreeSet<String>>,
    /// What they said.
    digest: u64,
    /// Addresses that it leads to.
    links: Arc<[Arc<str>]>,
}

#[derive(Default)]
struct Memory {
    /// By what was drawn: the page, its row, its language and what all pages know.
    pages: HashMap<u64, Drawn>,
    /// Most links stand in many pages.
    links: HashSet<Arc<str>>,
}

static MEMORY: LazyLock<Mutex<Memory>> = LazyLock::new(Mutex::default);

/// The addresses that a page leads to: those of the last time, while nothing that it read has changed, or else what
/// `draw` finds with a host that notes what is read.
pub(super) fn links_of<E>(
    page: impl Hash,
    host: &ProductHost<'_>,
    draw: impl FnOnce(&dyn Host) -> Result<Vec<String>, E>,
) -> Result<Arc<[Arc<str>]>, E> {
    let page = digest_of(&(page, host.language, &host.now.now));
    let known = memory().pages.get(&page).cloned();
    if let Some(known) = known.filter(|known| host.digest(&known.reads) == known.digest) {
        return Ok(known.links);
    }
    let noted = Noted { host, reads: Mutex::default() };
    let found = draw(&noted)?;
    let reads = noted.reads.into_inner().unwrap_or_else(PoisonError::into_inner);
    let digest = host.digest(&reads.names);
    let mut memory = memory();
    let links: Arc<[Arc<str>]> = found.into_iter().map(|link| memory.shared(link)).collect();
    if !reads.of_calendars {
        if memory.pages.len() >= DRAWN_MAX {
            *memory = Memory::default();
        }
        memory.pages.insert(page, Drawn { reads: Arc::new(reads.names), digest, links: Arc::clone(&links) });
    }
    Ok(links)
}

fn memory() -> MutexGuard<'static, Memory> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    fn shared(&mut self, link: String) -> Arc<str> {
        if let Some(known) = self.links.get(link.as_str()) {
            return Arc::clone(known);
        }
        let link: Arc<str> = link.into();
        self.links.insert(Arc::clone(&link));
        link
    }
}

impl ProductHost<'_> {
    /// What tables and reference data of these names say.
    fn digest(&self, names: &BTreeSet<String>) -> u64 {
        let of = |name: &String| match (self.tables.get(name), self.masters.get(name)) {
            (Some(table), _) => Some(table.digest),
            (None, Some(master)) => Some(master.digest()),
            (None, None) => None,
        };
        digest_of(&names.iter().map(of).collect::<Vec<_>>())
    }
}

#[derive(Default)]
struct Reads {
    names: BTreeSet<String>,
    of_calendars: bool,
}

/// A host that notes which tables and reference data are read.
struct Noted<'a> {
    host: &'a ProductHost<'a>,
    reads: Mutex<Reads>,
}

impl Noted<'_> {
    fn note(&self, function: &str, args: &[Value]) {
        match args.first().and_then(Value::as_str).filter(|_| is_of_tables(function)) {
            Some(name) => self.note_name(name),
            None if OF_CALENDARS.contains(&function) => self.reads().of_calendars = true,
            None => {}
        }
    }

    fn note_name(&self, name: &str) {
        let mut reads = self.reads();
        if !reads.names.contains(name) {
            reads.names.insert(name.to_owned());
        }
    }

    fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Noted<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.host.variable(name)
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        self.note(name, args);
        self.host.call(name, args)
    }

    fn lend(&self, name: &str, args: &[Value]) -> Option<Result<&Value, String>> {
        self.note(name, args);
        self.host.lend(name, args)
    }

    fn lend_some(&self, name: &str, of: &str, column: &str, text: &str) -> Option<Vec<&Value>> {
        self.note_name(of);
        self.host.lend_some(name, of, column, text)
    }

    fn explains(&self) -> bool {
        self.host.explains()
    }

    fn explain(&self, worked: Worked<'_>) {
        self.host.explain(worked);
    }
}
