//! Errors of browsers without anything of a person.
//!
//! What engines say is made of few words, and code of identifiers: those are kept, everything else becomes `…`. A list
//! of what is personal would never be complete: names and addresses look like any other word.

const CHARS_MAX: usize = 500;
const GONE: &str = "…";

/// What an engine, the browser or React says, and why.
const WORDS: &str = "a abort aborted access accessing after already an and animation any are argument arguments array as \
    assign assigned assignment async at await bad be because been before being bigint body boolean bound browser but by \
    call callback called callstack can cannot change changed chunk class client closed code component console const \
    constant constructor content context convert converting could created cross css database date deadlock declaration \
    declared deep default define defined delete depth descriptor destructured did directly disk document does due \
    dynamically element empty end entry error errors escape eval event exceeded execute exist existing expected \
    expression extensible failed false fetch fetching file find following for form found frame from full function \
    generator get getter global had handler has have have hex history hook hydrated hydration if iframe illegal import \
    imported in index infinite initial initialization input instance instanceof internal into invalid invocation is it \
    iterable iterator json key large left length less let link literal load loading local location lock long loop main \
    many map match maximum media memory message method mime missing module more must name native near negative network \
    new no node non not null number object observer of on only open operation or origin out overflow page parameter \
    parent parse parser pending permission permitted play pointer policy position preload private promise properties \
    property protocol prototype proxy quota range read reading readonly recursion redeclared reference reflect \
    regular rejected rejection removed rendered request required resource respond response result return returned \
    root running schema script security serialize server service set setter setting shadow should size source spread \
    stack state status storage stream strict string style super suspended symbol syntax tag target text than that the \
    then this thrown time timed timeout to token too transaction true type unable uncaught undefined unexpected \
    unhandled uninitialized unknown unmounted unregistered unsupported unterminated update uri url use used user valid \
    value variable vector version was web were when while window with within without worker wrong xml you";

/// The words of an error.
pub fn message(text: &str) -> String {
    line(text.split_whitespace().map(word))
}

/// The path of a script or page: what names a file of ours, and plain words.
pub fn address(text: &str) -> String {
    let text = text.trim().split(['?', '#']).next().unwrap_or_default();
    let path = text.split_once("://").map_or(text, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    let (path, place) = path.split_at(path.find(':').unwrap_or(path.len()));
    let part = |part: &str| {
        let plain = part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let script = part.strip_suffix(".js").is_some_and(is_name);
        if plain || script { part.to_owned() } else { GONE.to_owned() }
    };
    let path = path.split('/').map(part).collect::<Vec<_>>().join("/");
    let is_place = place.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') && place.len() <= 12;
    shorten(path + if is_place { place } else { "" })
}

/// Frames by function and place; what stands before them like a message.
pub fn stack(text: &str) -> String {
    let lines = text.lines().map(|text| {
        let text = text.trim();
        let frame = text.strip_prefix("at ").or_else(|| text.contains('@').then_some(text));
        let Some(frame) = frame else { return message(text) };
        // `name (address)`, `name@address` or only an address
        let parts = frame.trim_end_matches(')').rsplit_once(" (").or_else(|| frame.rsplit_once('@'));
        let (name, place) = parts.unwrap_or(("", frame));
        let kept = if name.is_empty() || is_code(name) { name } else { GONE };
        line(["at".to_owned(), kept.to_owned(), address(place)].into_iter())
    });
    shorten(lines.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" | "))
}

/// Kept when it is one of the words, or code.
fn word(word: &str) -> String {
    let bare = word.trim_matches(|part: char| part.is_ascii_punctuation() && part != '/');
    if bare.is_empty() {
        return word.chars().filter(char::is_ascii_punctuation).take(3).collect();
    }
    if bare.contains("://") || bare.starts_with('/') {
        return address(bare);
    }
    let lower = bare.to_ascii_lowercase();
    if WORDS.split_ascii_whitespace().any(|word| word == lower) || bare.len() > 3 && is_code(bare) {
        return word.to_owned();
    }
    word.replace(bare, GONE)
}

/// An identifier that nobody is called by: `onSubmit`, `TypeError`, a minified `xt`.
fn is_code(text: &str) -> bool {
    let capitals = text.bytes().filter(u8::is_ascii_uppercase).count();
    let mixed = text.bytes().skip(1).any(|byte| byte.is_ascii_uppercase()) && capitals < text.len();
    is_name(text) && (mixed || text.len() <= 3)
}

/// Letters and what else stands in identifiers and names of files, no number.
fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.-<>[]".contains(&byte);
    let is_number = |digits: &str| digits.len() >= 4;
    (1..=40).contains(&text.len())
        && text.bytes().all(fits)
        && !text.split(|part: char| !part.is_ascii_digit()).any(is_number)
}

fn line(words: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if word == GONE && out.ends_with(GONE) {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word);
        if out.len() >= CHARS_MAX {
            break;
        }
    }
    shorten(out)
}

fn shorten(text: String) -> String {
    text.chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_engine_says_is_kept() {
        let check = |said: &str| assert_eq!(message(said), said);
        check("TypeError: Cannot read properties of undefined (reading 'onSubmit')");
        check("Maximum call stack size exceeded");
        check("Failed to fetch dynamically imported module: /assets/page-B1x9_q.js");
        check("Unexpected token '<' in JSON at position");
        assert_eq!(message("total is not a function"), "… is not a function");
        assert_eq!(address("https://shop.example/assets/app-2.js:1:3400"), "/assets/app-2.js:1:3400");
        assert_eq!(
            stack(
                "Error: failed\n    at onSubmit (https://shop.example/assets/app-2.js:1:34)\nrenderStep@https://shop.example/assets/react-3.js:2:5"
            ),
            "Error: failed | at onSubmit /assets/app-2.js:1:34 | at renderStep /assets/react-3.js:2:5"
        );
    }

    #[test]
    fn nothing_of_a_person_is_kept() {
        const PERSONAL: [&str; 12] = [
            "ABCDE1234F",
            "abcde1234f",
            "1234 5678 9012",
            "123456789012",
            "1234-5678-9012",
            "Asha Rao",
            "asha rao",
            "9876543210",
            "+91 98765 43210",
            "asha.rao@example.org",
            "12/4 Nehru Marg, Pune 411001",
            "आशा राव",
        ];
        for personal in PERSONAL {
            let said = format!("Invalid value \"{personal}\" for {personal}: TypeError");
            let at = format!("https://shop.example/begin/{personal}?name={personal}#{personal}");
            let trace = format!("Error: {personal}\n at {personal} ({at})\n{personal}@{at}\n at {at}");
            for kept in [message(&said), address(&at), stack(&trace)] {
                let left = personal.split([' ', '.', '@', '-', '/', ',']).filter(|part| part.chars().count() > 2);
                for part in left.filter(|part| !["org", "example"].contains(part)) {
                    let kept = kept.replace("/begin/", "");
                    assert!(!kept.to_lowercase().contains(&part.to_lowercase()), "{part} of `{personal}` in {kept}");
                }
            }
        }
        assert_eq!(message(&"onSubmit ".repeat(500)).len(), CHARS_MAX);
    }
}
