//! The host's side of an evaluation: tables, dates and other data, as pure functions.

use crate::machine::Machine;
use serde_json::Value;
use std::borrow::Cow;

/// A source of values and functions that is pure: the same names and arguments give the same values for the whole
/// macrostep.
pub trait Host: Sync {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>>;
    /// An `Err` is the message of an evaluation error. What it returns may be taken out of the arguments.
    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String>;

    /// The value of a call that the host keeps anyway, to be read where it lies instead of copied. `None`: it does not
    /// keep it, or does not know the name, and `call` answers.
    fn lend(&self, _name: &str, _args: &[Value]) -> Option<Result<&Value, String>> {
        None
    }

    /// Those items of the list that `lend` gives for a name with one text as argument which have this text under this
    /// key, in their order. `None`: it has no index, and all are looked at.
    fn lend_some(&self, _name: &str, _of: &str, _key: &str, _text: &str) -> Option<Vec<&Value>> {
        None
    }

    /// Whether `explain` wants to hear of the values that are worked out.
    fn explains(&self) -> bool {
        false
    }

    /// A value of a file was worked out, after all that it asked for.
    fn explain(&self, _worked: Worked<'_>) {}
}

/// A value of a file, as it was worked out once.
pub struct Worked<'a> {
    pub name: &'a str,
    pub arguments: &'a [Value],
    /// What it read of the context, also through other values: dotted paths, those that were there.
    pub inputs: Vec<(String, Value)>,
    pub result: &'a Value,
}

/// The plain dialect: no variables, no functions.
pub struct NoHost;

impl Host for NoHost {
    fn variable(&self, _name: &str) -> Option<Cow<'_, Value>> {
        None
    }

    fn call(&self, name: &str, _args: &mut [Value]) -> Result<Value, String> {
        Err(format!("unknown function `{name}`"))
    }
}

/// What one macrostep may know of the world.
#[derive(Clone, Copy)]
pub struct Env<'a> {
    pub now_ms: i64,
    pub host: &'a dyn Host,
    /// Actions of some kinds take their fields from elsewhere.
    pub spoken: Option<Spoken<'a>>,
}

/// A machine that differs in words alone, as one in another language, and its host: there actions of these kinds find their
/// fields, what they read of the context and the event stays the same.
#[derive(Clone, Copy)]
pub struct Spoken<'a> {
    pub kinds: &'a [&'a str],
    pub machine: &'a Machine,
    pub host: &'a dyn Host,
}

impl Env<'static> {
    /// The plain dialect at a moment.
    pub fn plain(now_ms: i64) -> Self {
        Env { now_ms, host: &NoHost, spoken: None }
    }
}
