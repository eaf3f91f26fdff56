//! The widgets of forms: which values each asks for, and what it reads of `x-ui`. Here a literal is a literal of JSON,
//! and an expression is `{"$cel": …}`.

use super::Takes::List;
use super::{Entry, Gives, Key, key, name, value, words};

pub struct Widget {
    pub name: &'static str,
    /// Types of the values that it gives.
    pub types: &'static [&'static str],
    /// Keys beside `COMMON`.
    pub keys: &'static [Key],
    /// How its standard messages are called: `required.<kind>`.
    pub kind: Option<&'static str>,
    pub note: &'static str,
}

const GROUP: Key = name("group", &[], "the group that it is shown with");
const SHOW: Key = value("show", Gives::Data, "conditions on other answers");
const HINT: Key = words("hint", "below its title");
const REVIEW: Key = value("review", Gives::Flag, "`false`: not on the check page");

/// Keys of `x-ui` that every field may have.
pub const COMMON: &[Key] = &[
    name("widget", &[], "guessed from the type, if none is said"),
    GROUP,
    SHOW,
    HINT,
    REVIEW,
    words("placeholder", ""),
    name("autocomplete", &[], "as in HTML"),
    name("inputMode", &["text", "numeric", "decimal", "tel", "email", "search", "url", "none"], "as in HTML"),
    name("autocapitalize", &["characters", "words", "sentences", "none", "on", "off"], "as in HTML"),
    words("prefix", "stands before the value"),
    words("suffix", "stands behind it"),
    value("half", Gives::Flag, "half a line, beside a neighbour that says so too; in a group with a title a whole one"),
    value("unmarked", Gives::Flag, "not called optional, though it may wait: a paper that must come in the end"),
];
/// Keys of `x-ui` of a list of rows.
pub const ROWS: &[Key] = &[
    GROUP,
    SHOW,
    HINT,
    REVIEW,
    words("add", "label of the button that adds a row"),
    words("remove", "label of the button that removes one"),
];
/// Keys of `x-ui` of an object.
pub const OBJECT: &[Key] = &[GROUP, SHOW, HINT, REVIEW];
/// Keys of `x-ui` of the form itself.
pub const FORM: &[Key] = &[
    name("submit", &["change"], "it has no button and sends itself a moment after a change"),
    name("tells", &[], "the endpoint that is told of each field that was filled, once and never what with"),
];

const TEXT: &[&str] = &["string"];
const NUMBER: &[&str] = &["integer", "number"];
const ANY_ONE: &[&str] = &["string", "integer", "number", "boolean"];

const COLUMNS: Key = value("columns", Gives::Number, "side by side");

/// The widget of this name.
pub fn find(name: &str) -> Option<&'static Widget> {
    WIDGETS.iter().find(|widget| widget.name == name)
}

pub const WIDGETS: &[Widget] = &[
    Widget { name: "text", types: &["string", "integer", "number"], keys: LINE, kind: None, note: "one line" },
    Widget { name: "textarea", types: TEXT, keys: LINES, kind: None, note: "guessed beyond 150 characters" },
    Widget { name: "mobile", types: TEXT, keys: &[], kind: None, note: "a mobile number in India" },
    Widget { name: "otp", types: TEXT, keys: &[], kind: None, note: "a one-time password" },
    Widget { name: "number", types: NUMBER, keys: &[], kind: None, note: "guessed for numbers" },
    Widget { name: "money", types: NUMBER, keys: MONEY, kind: None, note: "paise; typed in rupees" },
    Widget {
        name: "height",
        types: &["integer"],
        keys: &[],
        kind: None,
        note: "hundredths of a centimetre; typed in centimetres, or in feet and inches",
    },
    Widget { name: "date", types: TEXT, keys: &[], kind: None, note: "guessed from `format` and `x-date`" },
    Widget {
        name: "choice",
        types: ANY_ONE,
        keys: &[COLUMNS],
        kind: Some("choice"),
        note: "guessed for up to four choices",
    },
    Widget { name: "toggle", types: &["boolean"], keys: &[], kind: Some("toggle"), note: "yes or no, guessed" },
    Widget { name: "select", types: ANY_ONE, keys: AMONG, kind: Some("choice"), note: "guessed for more choices" },
    Widget {
        name: "checkboxes",
        types: &["array"],
        keys: &[COLUMNS],
        kind: Some("choice"),
        note: "several of a list, guessed",
    },
    Widget {
        name: "consent",
        types: &["boolean"],
        keys: CONSENT,
        kind: Some("consent"),
        note: "a box that must be ticked, guessed from `const: true`",
    },
    Widget { name: "range", types: NUMBER, keys: RANGE, kind: None, note: "a slider from `minimum` to `maximum`" },
    Widget {
        name: "lookup",
        types: &["string", "integer"],
        keys: LOOKUP,
        kind: Some("choice"),
        note: "a row of reference data",
    },
    Widget {
        name: "hidden",
        types: &["string", "integer", "number", "boolean", "array"],
        keys: &[],
        kind: None,
        note: "sent, not shown",
    },
    Widget {
        name: "upload",
        types: &["string", "array"],
        keys: UPLOAD,
        kind: Some("upload"),
        note: "a file, or a list of files: their ids; what it takes says the table `shared/document_kinds`",
    },
    Widget { name: "slots", types: TEXT, keys: SLOTS, kind: Some("choice"), note: "days and times" },
];

const LINE: &[Key] = &[
    name("look", &["plate"], "a number plate"),
    value("scene", Gives::Text, "address of a drawing on which the plate sits"),
    SOURCE,
    value("tells", Gives::Texts, "columns of the row whose key was typed: said below it"),
];
const AMONG: &[Key] = &[
    SOURCE,
    name("row", &[], "`/field` whose answer is the key of a row there"),
    name("among", &[], "the column with those of the choices that there are, parted by spaces"),
];
const SOURCE: Key = name("source", &[], "reference data: `workflows/master/<name>.csv`");
const LINES: &[Key] = &[value("rows", Gives::Number, "height in lines, 3 if none is said")];
const MONEY: &[Key] = &[
    name("unit", &["rupees"], "the value is in rupees"),
    value("words", Gives::Flag, "says the amount in words below"),
];
const CONSENT: &[Key] = &[key("links", List(&LINK), "what one agrees to")];
const LINK: Entry = Entry { name: "ConsentLink", keys: &[words("label", "").needed(), name("href", &[], "").needed()] };
const RANGE: &[Key] = &[
    name("unit", &["money", "rupees", "percent"], "how the value is said; `money` is paise"),
    value("step", Gives::Number, "of the slider; else those of `multipleOf`, or 1"),
    value("typed", Gives::Flag, "the value can be typed, too"),
    value("slider", Gives::Number, "where the slider ends, when more than that may be typed"),
    value("words", Gives::Flag, "says a typed amount in words"),
];
const LOOKUP: &[Key] = &[
    SOURCE.needed(),
    name("value", &[], "the column that is stored").needed(),
    name("label", &[], "the column that is shown").needed(),
    key("filter", super::Takes::Value(Gives::Data), "column → `/field` whose answer it must equal, or a literal"),
    value("search", Gives::Flag, "`false`: all rows at once, as a list"),
];
const UPLOAD: &[Key] = &[
    name("kind", &[], "of the table `shared/document_kinds`").needed(),
    value("max", Gives::Number, "so many of a list; if none is said, as many as there are of the kind"),
    value("media", Gives::Texts, "what it takes, `picture`, `pdf`, `video`: said by us"),
    name("accept", &[], "the same for the browser: said by us"),
    value(
        "shots",
        Gives::Anything,
        "`[{key, title, hint, scene, required}]`: a picture each, one after the other, called by its key",
    ),
];
const SLOTS: &[Key] = &[
    value("slots", Gives::Anything, "`[{key, text, day, full}]`; those that are full stand there as taken").needed(),
    words("empty", "when none is free"),
];
