//! What only the product knows of a call; the machine evaluates its input.

/// The core's `input` gives `{"input", "partner"}`, or with `each` `{"calls": [{"key", "partner", "input"}]}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Invoke {
    pub id: String,
    /// Id of the state.
    pub node: String,
    pub source: Source,
    /// What is asked and answered; `None` for what the runtime itself does.
    pub contract: Option<String>,
    pub each: bool,
    pub deadline_ms: Option<i64>,
    /// An earlier success of the same source and input settles without a call.
    pub reuse: Option<Reuse>,
    /// Attempts go on for this long.
    pub retry_ms: Option<i64>,
    /// Path into the context that takes the output, or the rows of an `each`.
    pub into: Option<String>,
    /// Each answer is an event `reply.<id>`.
    pub on_reply: bool,
    pub handles_error: bool,
}

/// The earlier success that is good enough in place of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Greatest age of the earlier success, in milliseconds.
    pub age_ms: i64,
    /// Whether a reply that another journey was given will do: a fact that is everybody's. Otherwise a reply is its
    /// customer's own.
    pub across_all: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Operation {
        partner: String,
        operation: String,
    },
    /// The partner comes with the input.
    Contract(String),
    /// One of [`SYSTEM`]: run by the runtime in the same commit.
    System(String),
}

/// What the runtime itself can be asked.
pub const SYSTEM: [&str; 7] =
    ["otp.send", "otp.verify", "totp.verify", "person.contact", "person.record", "person.note", "person.restore"];
