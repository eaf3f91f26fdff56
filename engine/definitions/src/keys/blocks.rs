//! The blocks of views and pages.

use super::Takes::{Block as OneBlock, Blocks, Figures, List, Map, Rows, Unanswered, Values};
use super::{Entry, Gives, Key, Side, TONES, key, name, value, words};

pub struct Block {
    pub name: &'static str,
    pub note: &'static str,
    /// Keys beside `HEAD`.
    pub keys: &'static [Key],
}

/// Keys of every block.
pub const HEAD: &[Key] = &[name("id", &[], "a name that stays when words change"), words("title", "its heading")];

/// Keys that blocks had in versions from before: of journeys that go on with them they are not read.
pub fn is_of_before(block: &str, key: &str) -> bool {
    BEFORE.iter().any(|(name, keys)| *name == block && keys.contains(&key))
}

const BEFORE: [(&str, &[&str]); 1] = [("seal", &["note", "items"])];

/// The block of this name.
pub fn find(name: &str) -> Option<&'static Block> {
    BLOCKS.iter().find(|block| block.name == name)
}

/// Names of the blocks that authors write.
pub fn names() -> impl Iterator<Item = &'static str> {
    let is_authors = |block: &&Block| block.keys.is_empty() || block.keys.iter().any(Key::is_authors);
    BLOCKS.iter().filter(is_authors).map(|block| block.name)
}

/// Whether words for people stand under this key of some block, or of a map in one.
pub fn is_words(name: &str) -> bool {
    any(&|key| key.name == name && matches!(key.takes, super::Takes::Words | super::Takes::Prose))
}

/// Whether a list of what people read stands under this key of some block.
pub fn is_list_of_words(name: &str) -> bool {
    any(&|key| key.name == name && matches!(key.takes, Values(Gives::Shown)))
}

/// Whether some key of a block, or of a map in one, is so.
fn any(is_so: &dyn Fn(&Key) -> bool) -> bool {
    fn among(keys: &[Key], is_so: &dyn Fn(&Key) -> bool) -> bool {
        keys.iter().any(|key| match key.takes {
            Map(entry) | List(entry) => among(entry.keys, is_so),
            _ => is_so(key),
        })
    }
    among(HEAD, is_so) || BLOCKS.iter().any(|block| among(block.keys, is_so))
}

pub const BLOCKS: &[Block] = &[
    Block { name: "text", note: "Paragraphs; an empty line parts them", keys: TEXT },
    Block { name: "prose", note: "What a text becomes that has marks; nobody writes it", keys: PROSE },
    Block { name: "notice", note: "What must not be missed", keys: NOTICE },
    Block { name: "facts", note: "Label and value in rows", keys: FACTS },
    Block { name: "breakup", note: "How a price is made up", keys: BREAKUP },
    Block { name: "options", note: "Offers of several providers, arriving one by one", keys: OPTIONS },
    Block { name: "tracker", note: "What is done, what happens now, what comes next", keys: TRACKER },
    Block { name: "documents", note: "Papers of the journey to download", keys: DOCUMENTS },
    Block {
        name: "seal",
        note: "On the step's paper a code, behind which anybody sees the site's page `instead: proof`",
        keys: SEAL,
    },
    Block { name: "actions", note: "Buttons that send events which the step accepts", keys: ACTIONS },
    Block { name: "table", note: "A table that scrolls sideways", keys: TABLE },
    Block { name: "links", note: "Links in a list", keys: LINKS },
    Block { name: "steps", note: "Numbered steps", keys: &[key("items", List(&STEP), "").needed()] },
    Block { name: "faq", note: "Questions that unfold", keys: &[key("items", List(&QUESTION), "").needed()] },
    Block { name: "cards", note: "Short things side by side", keys: CARDS },
    Block { name: "things", note: "What somebody has or has begun, each with its state and ways on", keys: THINGS },
    Block { name: "hero", note: "The promise at the top of a first page", keys: HERO },
    Block { name: "reviews", note: "What customers say, with stars", keys: REVIEWS },
    Block { name: "slider", note: "Cards in a row that turns by itself", keys: SLIDER },
    Block { name: "countdown", note: "A day by which something ends", keys: COUNTDOWN },
    Block { name: "banner", note: "One thing put forward, with one way on", keys: BANNER },
    Block { name: "coverage", note: "What is covered by which kind", keys: COVERAGE },
    Block { name: "share", note: "Ways to pass the page on", keys: SHARE },
    Block { name: "journey", note: "The steps of a workflow in a page of the site", keys: JOURNEY },
    Block {
        name: "calculator",
        note: "The form of a page that `calculates`, and what follows from its answers while somebody types",
        keys: CALCULATOR,
    },
    Block { name: "form", note: "Where the step's form is drawn; without it, after all blocks", keys: &[] },
];

const TEXT: &[Key] = &[
    key("text", super::Takes::Prose, "").needed(),
    name("size", &["lead", "body", "small"], "`body` if none is said"),
];
const PROSE: &[Key] = &[
    value("text", Gives::Prose, "").needed().of(Side::Browser),
    name("size", &["lead", "body", "small"], "").of(Side::Browser),
];
const NOTICE: &[Key] = &[words("text", "").needed(), name("tone", TONES, "`info` if none is said")];

const FACTS: &[Key] = &[
    key("items", List(&FACT), "").needed(),
    name(
        "style",
        &["line", "found", "keep", "sign", "plan"],
        "what it is about; is this yours; to keep; a price and its source; what is bought",
    ),
    value("image", Gives::Text, "address of a drawing"),
    words("note", "below the rows"),
];
const FACT: Entry = Entry {
    name: "Fact",
    keys: &[
        words("label", "").needed(),
        value("value", Gives::Shown, "").needed(),
        words("hint", ""),
        key("change", Map(&CHANGE), "a way back to the step that asks for it"),
        name("kind", &["plate", "name", "provider"], "how it looks: a number plate, the name of the thing, who offers"),
        value("short", Gives::Text, "of who offers: the words of the mark"),
        value("colour", Gives::Text, "of who offers: `#8a1c1c`, the colour of the mark"),
        value("marked", Gives::Flag, "what was refused, or asked about, is about this"),
    ],
};
const CHANGE: Entry = Entry { name: "Change", keys: &[name("step", &[], "id of a state").needed()] };

const BREAKUP: &[Key] = &[key("lines", List(&LINE), "").needed(), name("style", &["plan"], "what is bought")];
const LINE: Entry = Entry {
    name: "BreakupLine",
    keys: &[
        words("label", "").needed(),
        value("value", Gives::Shown, "").needed(),
        name("kind", &["line", "discount", "tax", "total", "rounding"], "`line` if none is said"),
        words("detail", ""),
    ],
};

const OPTIONS: &[Key] = &[
    key("items", List(&OPTION), "").needed(),
    key("unanswered", Unanswered(&UNANSWERED), "cards of who is still asked, declined or failed").of(Side::Author),
    key("sort", List(&SORT), "orders to choose from; the first is the usual one"),
    value("valid_until", Gives::Text, "until when the first of these prices holds"),
    key("renew", Map(&RENEW), "the event that asks for all of them again when that is over"),
    key("sections", List(&OPTIONS_SECTION), "lists under their own words, in this order; an offer says in which it is"),
    name("sections_as", &["jump", "tabs"], "links to the lists, or one list at a time; `jump` if none is said"),
    key("filters", List(&FILTER), "what the offers may be narrowed to: the choices are those of the offers"),
    value("compare_max", Gives::Number, "how many may be compared, at most 4"),
    key(
        "compare",
        Map(&COMPARE),
        "comparing sends this event with the offers' ids as `chosen`; without, our own table",
    ),
    words("empty", "when nobody could make an offer"),
    words("slow", "in place of the count, where who is still asked takes long: the bar stands complete"),
    key("covers", List(&OPTION_COVER), "what may be covered or not: a card unfolds it, the comparison begins with it"),
    words("sample", "a mark on each card: that some of its figures are samples"),
    key("frequent", OneBlock, "stands below the first card"),
];
const OPTION_COVER: Entry = Entry { name: "OptionCover", keys: &[words("label", "").needed()] };
const UNANSWERED: Entry = Entry {
    name: "Unanswered",
    keys: &[
        value("of", Gives::Data, "what became of the calls: id of the provider → answer").needed(),
        value("over", Gives::Flag, "nobody is waited for any more"),
        name("as", &[], "name of the row `{key, value}` in the keys below; `item` if none is said"),
        key("provider", Map(&PROVIDER), "").needed(),
        value("price", Gives::Paise, "the old one, while it is asked for again"),
    ],
};
const OPTIONS_SECTION: Entry = Entry {
    name: "OptionsSection",
    keys: &[
        value("id", Gives::Text, "").needed(),
        words("title", "").needed(),
        value("sort", Gives::Text, "a figure of the offers: this list goes by it while the usual order is chosen"),
    ],
};
const FILTER: Entry = Entry {
    name: "Filter",
    keys: &[name("id", &[], "the key in `choices` of the items").needed(), words("label", "").needed()],
};
const COMPARE: Entry = Entry {
    name: "CompareEvent",
    keys: &[name("event", &[], "").needed(), value("data", Gives::Data, "what goes with the event")],
};
const RENEW: Entry = Entry { name: "Renew", keys: &[name("event", &[], "").needed()] };
const SORT: Entry = Entry {
    name: "Sort",
    keys: &[
        name("id", &[], "the figure in `sort` of the items by which it goes; `price` is the price").needed(),
        words("label", "").needed(),
        words("pick", "the best by this figure stands above the list, under these words"),
        words("criterion", "below them: whose figure it is and of when; the fact of the same `id` is said with it"),
    ],
};
const STATES: &[&str] = &["asked", "answered", "declined", "failed"];
const OPTION: Entry = Entry {
    name: "Option",
    keys: &[
        value("id", Gives::Text, "").needed(),
        key("provider", Map(&PROVIDER), "").needed(),
        value("state", Gives::OneOf(STATES), "").needed(),
        value("late", Gives::Flag, "it came after the deadline"),
        value("stale", Gives::Flag, "it is asked for again: the price is the old one"),
        value("first", Gives::Flag, "asked for by name: stands before the others in any order; `badge` says why"),
        value("price", Gives::Paise, ""),
        words("price_note", "below the price"),
        value("was", Gives::Paise, "the price before"),
        words("badge", ""),
        words("title", ""),
        value("section", Gives::Text, "another kind of offer: a list of its own under these words"),
        value("sections", Gives::Texts, "ids of the lists that it is in"),
        value("choices", Gives::Data, "what it has of each filter: `{'room': 'Single'}`"),
        value("limits", Gives::Texts, "what is not in it, said wherever it is shown"),
        key("facts", List(&OPTION_FACT), ""),
        value("tags", Gives::Texts, ""),
        key("notices", List(&OPTION_NOTICE), ""),
        key("breakup", List(&LINE), ""),
        key("covers", Values(Gives::Cell), "one for each of the list's `covers`"),
        key("links", List(&LINK), "what can be read of it before it is taken"),
        words("reason", "why there is no offer"),
        key("sort", Figures, "figures of the orders, smallest first"),
        key("action", Map(&OPTION_ACTION), "how it is taken"),
        key("second", Map(&OPTION_ACTION), "a further way on from it"),
    ],
};
const PROVIDER: Entry = Entry {
    name: "Provider",
    keys: &[
        value("name", Gives::Text, "").needed(),
        value("short", Gives::Text, ""),
        value("logo", Gives::Text, "address of a picture"),
        value("colour", Gives::Text, "`#8a1c1c`, of the name that stands for a logo on a white tile"),
    ],
};
const OPTION_FACT: Entry = Entry {
    name: "OptionFact",
    keys: &[
        name("id", &[], "by which programs know it"),
        words("label", "").needed(),
        value("value", Gives::Shown, "").needed(),
    ],
};
const OPTION_NOTICE: Entry =
    Entry { name: "OptionNotice", keys: &[name("tone", TONES, "").needed(), words("text", "").needed()] };
const OPTION_ACTION: Entry = Entry {
    name: "OptionAction",
    keys: &[
        name("event", &[], "").needed(),
        value("data", Gives::Data, "what goes with the event"),
        words("label", "`Choose` if none is said"),
    ],
};

const TRACKER: &[Key] = &[
    key("steps", List(&TRACKED), "").needed(),
    key("next", Map(&NEXT), "what comes next"),
    key("reference", Map(&REFERENCE), "under which number others know it"),
];
const TRACKED: Entry = Entry {
    name: "TrackerStep",
    keys: &[
        words("title", "").needed(),
        value("state", Gives::OneOf(&["done", "current", "todo", "failed"]), "").needed(),
        words("text", ""),
        value("at", Gives::Text, "a moment"),
    ],
};
const NEXT: Entry = Entry { name: "Next", keys: &[words("text", "").needed()] };
const REFERENCE: Entry =
    Entry { name: "Reference", keys: &[words("label", "").needed(), value("value", Gives::Text, "").needed()] };

const DOCUMENTS: &[Key] = &[
    key("items", List(&DOCUMENT), "").needed(),
    name("style", &["main"], "the way on of this page"),
    key("remind", Map(&REMIND), "a day for the calendar"),
    key("share", Map(&SHARED), "passes on the page behind the seal of the step's paper"),
];
const DOCUMENT: Entry = Entry {
    name: "Document",
    keys: &[
        words("title", "").needed(),
        value("document", Gives::Text, "id of a document of the journey; `paper` is the one of the step").needed(),
        words("note", ""),
    ],
};
const SEAL: &[Key] = &[
    words("text", "what the code is for, beside it").needed(),
    words("label", "of the link to the page behind it").needed(),
    value("url", Gives::Text, "address of that page").of(Side::Browser),
];
const REMIND: Entry =
    Entry { name: "Remind", keys: &[words("title", "").needed(), value("date", Gives::Text, "").needed()] };
const SHARED: Entry = Entry {
    name: "Shared",
    keys: &[
        words("text", "goes before the address").needed(),
        value("url", Gives::Text, "address of that page, as others reach it").of(Side::Browser),
    ],
};

const ACTIONS: &[Key] = &[key("items", List(&ACTION), "").needed()];
const ACTION: Entry = Entry {
    name: "Action",
    keys: &[
        words("label", "").needed(),
        name("event", &[], "").needed(),
        value("data", Gives::Data, "what goes with the event"),
        name("style", &["primary", "secondary", "link", "danger"], "`secondary` if none is said"),
        words("confirm", "asked before it is sent"),
        value("after", Gives::Text, "a moment: until then the button counts down"),
    ],
};

/// Key that says which part of a long list is shown; on pages alone.
const PAGE: Key =
    value("page", Gives::Number, "entries of one part; `?page=2` is the next (pages only)").of(Side::Author);
const PAGER: Key = key("pager", Map(&PAGER_OF), "one part of a long list").of(Side::Browser);
const PAGER_OF: Entry = Entry {
    name: "Pager",
    keys: &[
        value("page", Gives::Number, "").needed(),
        value("pages", Gives::Number, "").needed(),
        value("first", Gives::Number, "how many entries stand before these").needed(),
        value("href", Gives::Text, "address of the first part").needed(),
    ],
};

const TABLE: &[Key] = &[
    key("columns", List(&COLUMN), "").needed(),
    key("rows", Rows, "").needed(),
    name("style", &["ranked"], "each row has its place before it"),
    PAGE,
    PAGER,
];
const COLUMN: Entry = Entry {
    name: "Column",
    keys: &[
        words("title", "").needed(),
        name("align", &["left", "right", "center"], "money stands right by itself"),
        value("bar", Gives::Flag, "bars show how large its amounts are beside each other"),
    ],
};
const LINKS: &[Key] = &[
    key("items", List(&LINK), "").needed(),
    name("style", &["main"], "the first one is the way on of this page"),
    PAGE,
    PAGER,
];
const LINK: Entry =
    Entry { name: "Link", keys: &[words("label", "").needed(), name("href", &[], "an address").needed()] };
const STEP: Entry = Entry { name: "Step", keys: &[words("title", "").needed(), words("text", "")] };
const QUESTION: Entry = Entry {
    name: "Question",
    keys: &[
        words("question", "").needed(),
        words("answer", "").needed(),
        value("from_samples", Gives::Flag, "its answer counts with samples: programs are not told").of(Side::Author),
    ],
};

const CARDS: &[Key] = &[key("items", List(&CARD), "").needed(), PAGE, PAGER];
const CARD: Entry = Entry {
    name: "Card",
    keys: &[
        words("title", "").needed(),
        words("text", "").needed(),
        name("icon", &[], "name of an icon"),
        value("image", Gives::Text, "address of a drawing, in place of the icon"),
        value("provider", Gives::Text, "name of the provider whose mark stands in place of the icon"),
        value("short", Gives::Text, "of the provider: the words of the mark"),
        value("colour", Gives::Text, "of the provider: `#8a1c1c`, the colour of the mark"),
        name("href", &[], "where it leads"),
    ],
};
const THINGS: &[Key] = &[key("items", List(&THING), "").needed()];
const THING: Entry = Entry {
    name: "Thing",
    keys: &[
        words("title", "").needed(),
        value("mark", Gives::Text, "by which its owner knows it: a number plate"),
        value("provider", Gives::Text, "name of the provider whose mark stands before it"),
        value("short", Gives::Text, "of the provider: the words of the mark"),
        value("colour", Gives::Text, "of the provider: `#8a1c1c`, the colour of the mark"),
        words("badge", "how it stands"),
        words("text", "more of that"),
        key("facts", List(&OPTION_FACT), ""),
        key("links", List(&LINK), "ways on: the first one is its own"),
        key("actions", List(&ACTION), "buttons beside them"),
    ],
};
const HERO: &[Key] = &[
    words("text", ""),
    value("image", Gives::Text, "address of a drawing"),
    key("points", Values(Gives::Shown), "short promises"),
    words("note", "where the promises come from"),
    key("source", Map(&LINK), "the page that says what the figures among the promises count"),
    key("links", List(&LINK), "ways on: the first one is the page's"),
    name("level", &["h1", "h2"], "the heading that its title is").of(Side::Browser),
];
const REVIEWS: &[Key] =
    &[value("rating", Gives::Number, "of all, 1 to 5"), words("note", ""), key("items", List(&REVIEW), "").needed()];
const REVIEW: Entry = Entry {
    name: "ReviewOf",
    keys: &[
        words("title", "who").needed(),
        words("note", "where"),
        value("rating", Gives::Number, "1 to 5").needed(),
        words("text", "").needed(),
    ],
};
const SLIDER: &[Key] = &[
    key("items", List(&SLIDE), "").needed(),
    value("every_ms", Gives::Number, "it turns after this time; without, it is turned by hand alone"),
];
const SLIDE: Entry = Entry {
    name: "Slide",
    keys: &[
        words("title", "").needed(),
        words("text", "").needed(),
        value("image", Gives::Text, "address of a drawing"),
        name("href", &[], "where it leads"),
    ],
};
const COUNTDOWN: &[Key] = &[words("text", "").needed(), value("until", Gives::Text, "a day or a moment").needed()];
const BANNER: &[Key] = &[
    words("text", ""),
    name("tone", TONES, ""),
    value("image", Gives::Text, "address of a drawing"),
    words("label", "of the button"),
    name("href", &[], "where it leads"),
];
const COVERAGE: &[Key] = &[key("columns", List(&COVERED), "").needed(), key("items", List(&COVER), "").needed()];
const COVERED: Entry = Entry { name: "Covered", keys: &[words("title", "").needed()] };
const COVER: Entry = Entry {
    name: "Cover",
    keys: &[words("label", "").needed(), key("values", Values(Gives::Cell), "one for each column").needed()],
};
const JOURNEY: &[Key] = &[
    words("text", ""),
    name("workflow", &[], "`line/flow`; `{column}` is a cell of the page's row").needed().of(Side::Author),
    name("hash", &[], "it is a dialog that opens with this hash"),
    value("after_ms", Gives::Number, "it opens by itself once the page was looked at for so long").of(Side::Author),
    value("idle_ms", Gives::Number, "it opens by itself once nothing was done on the page for so long")
        .of(Side::Author),
    value("goes_on", Gives::Flag, "after its first step it goes on at the steps' own pages").of(Side::Author),
    name("end", &[], "an address: where it leads when it is over; `{request}` in it is the journey's id")
        .of(Side::Author),
    value("presets", Gives::Data, "answers of its first form that the page gives").of(Side::Author),
    key("items", List(&COMING), "what comes when, beside the dialog on a desk"),
];
const COMING: Entry = Entry { name: "Coming", keys: &[words("title", "").needed()] };
const CALCULATOR: &[Key] = &[
    words("text", ""),
    words("submit", "the button, for whom no script counts while typing").needed(),
    key("results", Blocks, "read `data.query`, the answers").needed(),
    value("form", Gives::Data, "the form as it is drawn").of(Side::Browser),
    value("to", Gives::Text, "the page's address").of(Side::Browser),
    value("errors", Gives::List, "fields of its address that do not fit").of(Side::Browser),
];
const SHARE: &[Key] = &[
    words("text", "goes before the address"),
    name(
        "counts",
        &[],
        "address of the endpoint that tells how often the page was passed on: `{counts: [{way, count}]}`",
    ),
    value("url", Gives::Text, "address of the page, as others reach it").of(Side::Browser),
];
