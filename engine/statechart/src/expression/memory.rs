//! What values were, for one state of the context: each is worked out once for the same arguments.
//!
//! Entries are only ever added, so that an evaluation can borrow them while it adds more.

use super::val::{Val, weight};
use serde_json::Value;
use std::cell::OnceCell;

/// Arguments that weigh more are not compared: such a value is worked out again.
const ARGUMENTS_WEIGHT_MAX: u64 = 256;
/// Most arguments of one value that are remembered.
const ENTRIES_MAX: usize = 256;

#[derive(Debug, Default)]
pub struct Memory {
    first: OnceCell<Box<Sheet>>,
}

/// Whether comparing these arguments costs less than working the value out again may.
pub(super) fn is_comparable(arguments: &[Val<'_>]) -> bool {
    let heft = |argument: &Val<'_>| match argument {
        Val::Null | Val::Bool(_) | Val::Int(_) | Val::Double(_) => 1,
        Val::Str(text) => text.len() as u64 / 16,
        Val::Text(text) => text.len() as u64 / 16,
        Val::List(items) => items.iter().map(weight).sum(),
        Val::Map(map) => map.values().map(weight).sum(),
        Val::Event(event) => event.data.values().map(weight).sum(),
        Val::Made(json) => weight(json),
    };
    arguments.iter().map(heft).sum::<u64>() <= ARGUMENTS_WEIGHT_MAX
}

/// The values of one file.
#[derive(Debug)]
struct Sheet {
    names: u32,
    slots: Box<[OnceCell<Box<Entry>>]>,
    next: OnceCell<Box<Sheet>>,
}

#[derive(Debug)]
struct Entry {
    arguments: Vec<Value>,
    value: Value,
    next: OnceCell<Box<Entry>>,
}

impl Memory {
    pub fn new() -> Memory {
        Memory::default()
    }

    pub(super) fn find(&self, names: u32, slot: usize, arguments: &[Val<'_>]) -> Option<&Value> {
        let mut entry = self.slots(names)?.get(slot)?.get();
        while let Some(e) = entry {
            if e.arguments.len() == arguments.len()
                && e.arguments.iter().zip(arguments).all(|(known, asked)| Val::borrowed(known).equals(asked))
            {
                return Some(&e.value);
            }
            entry = e.next.get();
        }
        None
    }

    /// Keeps a value; gives it back when too many are kept already.
    pub(super) fn keep(
        &self,
        (names, count): (u32, usize),
        slot: usize,
        arguments: Vec<Value>,
        value: Value,
    ) -> Result<&Value, Value> {
        let Some(mut place) = self.sheet(names, count).get(slot) else { return Err(value) };
        for _ in 0..ENTRIES_MAX {
            match place.get() {
                Some(entry) => place = &entry.next,
                None => {
                    let entry = Entry { arguments, value, next: OnceCell::new() };
                    return Ok(&place.get_or_init(|| Box::new(entry)).value);
                }
            }
        }
        Err(value)
    }

    fn slots(&self, names: u32) -> Option<&[OnceCell<Box<Entry>>]> {
        let mut sheet = self.first.get();
        while let Some(at) = sheet {
            if at.names == names {
                return Some(&at.slots);
            }
            sheet = at.next.get();
        }
        None
    }

    fn sheet(&self, names: u32, count: usize) -> &[OnceCell<Box<Entry>>] {
        let mut place = &self.first;
        loop {
            let sheet = place.get_or_init(|| {
                let slots = (0..count).map(|_| OnceCell::new()).collect();
                Box::new(Sheet { names, slots, next: OnceCell::new() })
            });
            if sheet.names == names {
                return &sheet.slots;
            }
            place = &sheet.next;
        }
    }
}
