//! The places of a context, and what is known of each before anything runs: whether a way defines it,
//! and which kinds of values it takes.

use engine_statechart::expression::reads::{ANY_KEY, Shape, ValueKind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Position in [`Locations`]; 0 is the context itself.
pub type Ix = usize;

/// Whether a place is there.
pub type Presence = u8;
pub const ABSENT: Presence = 0;
/// A field of a form that need not be filled.
pub const OPTIONAL: Presence = 1;
pub const THERE: Presence = 2;

/// Bits of [`Kind`]s.
pub type Kinds = u8;
pub const ALL_KINDS: Kinds = 0b11_1111;

pub fn bit(kind: ValueKind) -> Kinds {
    1 << kind as u8
}

/// Every place that something reads or defines.
#[derive(Debug)]
pub struct Locations {
    children: Vec<BTreeMap<String, Ix>>,
}

impl Locations {
    pub fn new() -> Self {
        Locations { children: vec![BTreeMap::new()] }
    }

    pub fn len(&self) -> usize {
        self.children.len()
    }

    pub fn below(&mut self, at: Ix, key: &str) -> Ix {
        if let Some(ix) = self.children[at].get(key) {
            return *ix;
        }
        let ix = self.children.len();
        self.children.push(BTreeMap::new());
        self.children[at].insert(key.to_owned(), ix);
        ix
    }

    pub fn at<'k>(&mut self, path: impl IntoIterator<Item = &'k str>) -> Ix {
        path.into_iter().fold(0, |at, key| self.below(at, key))
    }

    pub fn find(&self, at: Ix, key: &str) -> Option<Ix> {
        self.children[at].get(key).copied()
    }

    pub fn children(&self, at: Ix) -> impl Iterator<Item = (&str, Ix)> {
        self.children[at].iter().map(|(k, ix)| (k.as_str(), *ix))
    }
}

/// A value that is put somewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    Unknown,
    Plain(ValueKind),
    Map(Vec<(Ix, Put)>),
    /// Fields put over what is there.
    Over(Box<Put>, Box<Put>),
    /// What is there already.
    Same,
}

/// Something that happens to the context.
#[derive(Clone, Debug)]
pub enum Change {
    Set(Ix, Put),
    /// The answers of a form: level and kinds of each field, by place.
    Answers(Ix, Vec<(Ix, Presence, Kinds)>),
    /// Maps that are made where they are missing.
    Within(Vec<Ix>),
}

impl Locations {
    /// The value of an expression that is put at `at`; `own` is the path of `at`.
    pub fn value(&mut self, at: Ix, own: Option<&[&str]>, shape: &Shape<'_>) -> Put {
        match shape {
            Shape::Unknown => Put::Unknown,
            Shape::Plain(kind) => Put::Plain(*kind),
            Shape::Copy(path) if Some(path.as_slice()) == own => Put::Same,
            Shape::Copy(_) => Put::Unknown,
            Shape::Map(entries) => Put::Map(
                entries
                    .iter()
                    .map(|(key, shape)| {
                        let below = self.below(at, key);
                        (below, self.value(below, None, shape))
                    })
                    .collect(),
            ),
            Shape::Merge(a, b) => Put::Over(Box::new(self.value(at, own, a)), Box::new(self.value(at, own, b))),
        }
    }

    /// A value of this shape that is put at `at`. What is below lists is open.
    pub fn put_shape(&mut self, at: Ix, shape: &crate::shape::Shape) -> Put {
        match shape.kind() {
            Some(ValueKind::Map) if shape.is_closed() => {
                let properties = shape.properties().map(|(name, inner)| {
                    let below = self.below(at, name);
                    (below, self.put_shape(below, inner))
                });
                Put::Map(properties.collect())
            }
            Some(kind) if !matches!(kind, ValueKind::Map | ValueKind::List) => Put::Plain(kind),
            _ => Put::Unknown,
        }
    }

    pub fn literal(&mut self, at: Ix, value: &Value) -> Put {
        match value {
            Value::Object(map) => Put::Map(
                map.iter()
                    .map(|(key, value)| {
                        let below = self.below(at, key);
                        (below, self.literal(below, value))
                    })
                    .collect(),
            ),
            other => Put::Plain(ValueKind::of(other)),
        }
    }
}

/// What is known at one moment; kinds are only gathered for the whole (`kinds` is empty on ways).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowState {
    pub level: Levels,
    pub kinds: Vec<Kinds>,
}

/// Whether each place is there, in bits: two ways join in words, not place by place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Levels {
    /// Those that are at least [`OPTIONAL`].
    some: Vec<u64>,
    /// Those that are [`THERE`].
    there: Vec<u64>,
}

const WORD: usize = u64::BITS as usize;

impl Levels {
    fn new(places: usize) -> Levels {
        let words = vec![0; places.div_ceil(WORD)];
        Levels { some: words.clone(), there: words }
    }

    pub fn get(&self, at: Ix) -> Presence {
        let bit = |words: &[u64]| Presence::from(words.get(at / WORD).is_some_and(|word| word >> (at % WORD) & 1 == 1));
        bit(&self.some) + bit(&self.there)
    }

    pub fn set(&mut self, at: Ix, level: Presence) {
        let bit = 1 << (at % WORD);
        for (words, is_set) in [(&mut self.some, level >= OPTIONAL), (&mut self.there, level >= THERE)] {
            if let Some(word) = words.get_mut(at / WORD) {
                *word = if is_set { *word | bit } else { *word & !bit };
            }
        }
    }

    /// The better of each; whether anything changed.
    fn join(&mut self, other: &Levels) -> bool {
        let mine = self.some.iter_mut().chain(&mut self.there);
        let mut changed = false;
        for (mine, other) in mine.zip(other.some.iter().chain(&other.there)) {
            changed |= other & !*mine != 0;
            *mine |= other;
        }
        changed
    }
}

impl FlowState {
    pub fn new(places: &Locations, with_kinds: bool) -> Self {
        let mut level = Levels::new(places.len());
        level.set(0, THERE);
        FlowState { level, kinds: if with_kinds { vec![0; places.len()] } else { Vec::new() } }
    }

    /// `gather`: nothing is forgotten.
    pub fn apply(&mut self, places: &Locations, change: &Change, gather: bool) {
        match change {
            Change::Set(at, value) => self.set(places, *at, value, gather),
            Change::Answers(into, fields) => {
                self.put(*into, THERE, bit(ValueKind::Map));
                for (at, level, kinds) in fields {
                    if gather {
                        self.put(*at, self.level.get(*at).max(*level), *kinds);
                    } else {
                        self.put(*at, *level, *kinds);
                    }
                    let is_known = || {
                        places.children(*at).any(|(_, c)| fields.binary_search_by_key(&c, |(field, ..)| *field).is_ok())
                    };
                    if kinds & (bit(ValueKind::Map) | bit(ValueKind::List)) != 0 && !is_known() {
                        self.fill(places, *at, false);
                    }
                }
            }
            Change::Within(list) => list.iter().for_each(|at| self.put(*at, THERE, bit(ValueKind::Map))),
        }
    }

    fn put(&mut self, at: Ix, level: Presence, kinds: Kinds) {
        self.level.set(at, level);
        if let Some(known) = self.kinds.get_mut(at) {
            *known |= kinds;
        }
    }

    fn set(&mut self, places: &Locations, at: Ix, value: &Put, gather: bool) {
        match value {
            Put::Same => {}
            Put::Unknown => self.fill(places, at, true),
            Put::Plain(kind) => {
                self.put(at, THERE, bit(*kind));
                if !gather {
                    self.clear(places, at);
                }
            }
            Put::Map(entries) => {
                self.put(at, THERE, bit(ValueKind::Map));
                if !gather {
                    self.clear(places, at);
                }
                self.fields(places, at, entries, gather);
            }
            Put::Over(base, over) => {
                self.set(places, at, base, gather);
                match &**over {
                    Put::Map(entries) => self.fields(places, at, entries, gather),
                    Put::Same | Put::Plain(_) => {}
                    // Any of its fields may come.
                    Put::Unknown | Put::Over(..) => self.fill(places, at, true),
                }
            }
        }
    }

    fn fields(&mut self, places: &Locations, at: Ix, entries: &[(Ix, Put)], gather: bool) {
        entries.iter().for_each(|(below, value)| self.set(places, *below, value, gather));
        // A computed key may be any of these.
        if let Some(any) = places.find(at, ANY_KEY).filter(|_| !entries.is_empty()) {
            self.fill(places, any, true);
        }
    }

    /// Everything below may be there.
    fn fill(&mut self, places: &Locations, at: Ix, itself: bool) {
        if itself {
            self.put(at, THERE, ALL_KINDS);
        }
        places.children(at).for_each(|(_, below)| self.fill(places, below, true));
    }

    fn clear(&mut self, places: &Locations, at: Ix) {
        for (_, below) in places.children(at) {
            self.level.set(below, ABSENT);
            self.clear(places, below);
        }
    }

    /// The better of two ways; whether anything changed.
    pub fn join(&mut self, other: &FlowState) -> bool {
        self.level.join(&other.level)
    }
}
