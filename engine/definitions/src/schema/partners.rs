//! Partners, operations, webhooks, messages.

use super::{
    Kinds, any, cel, closed_map, duration, flag, int, list_of, map_of, mapping, needs, one_or_list, text, texts, words,
};
use serde_json::{Value, json};

pub fn all() -> Kinds {
    vec![
        ("partner.json", "A partner: workflows/partners/<kind>/<partner>.yaml or <partner>/partner.yaml", partner()),
        ("operation.json", "An operation: <name>.yaml of a partner or of workflows/partners/kits/<kit>", operation()),
        ("sandbox.json", "How the fake partner plays an operation: <name>.sandbox.yaml", sandbox()),
        ("examples.json", "Calls of an operation with their meaning: <name>.examples.yaml", examples()),
        ("contract.json", "A contract: workflows/contracts/<line>/<name>.yaml", contract()),
        ("webhook.json", "A webhook: workflows/partners/<kind>/<partner>/<name>.webhook.yaml", webhook()),
        ("message.json", "A message: workflows/<line>/messages/<id>.yaml", message()),
    ]
}

/// `extends` another file of its kind and `merge` into it.
fn extending(keys: &[(&str, &str, Value)], base: &str) -> Value {
    let own = [
        ("extends", base, text()),
        ("merge", "Over it: maps are merged, null deletes, lists are replaced", map_of(any())),
    ];
    closed_map(&[&own[..], keys].concat())
}

fn partner() -> Value {
    let secret = || text();
    let auth = closed_map(&[
        ("kind", "", words(&["none", "basic", "bearer", "header"])),
        ("user", "basic", text()),
        ("password", "basic: secret://name", secret()),
        ("token", "bearer: secret://name", secret()),
        ("name", "header: its name", text()),
        ("value", "header: secret://name", secret()),
    ]);
    let keys = [
        ("name", "", text()),
        ("title", "", text()),
        ("description", "", text()),
        ("each", "CEL: rows; each is a partner. `id`, `name`, `host` and `data` are CEL over the row", cel()),
        ("as", "Name of the row, else `item`", text()),
        ("id", "CEL over the row: the partner's id", cel()),
        ("host", "Alias that operators bind in the settings; else the partner's id", text()),
        ("base_path", "Prefix of all its paths", text()),
        ("kit", "Folder of workflows/partners/kits whose operations it has", text()),
        ("data", "Read as partner.data.x", map_of(any())),
        ("auth", "", auth),
        ("limits", "", closed_map(&[("concurrency", "", int())])),
        ("breaker", "", closed_map(&[("failures", "", int()), ("open", "", duration())])),
        ("operations", "Own operations by name, where one file is enough", map_of(map_of(any()))),
    ];
    extending(&keys, "<kind>/<partner>; of a partner with `each` the row of this file's name")
}

fn operation() -> Value {
    let reply = closed_map(&[
        ("when", "CEL; by default any 2xx", cel()),
        ("output", "Over status, headers, body, input, partner", mapping()),
        (
            "correlate",
            "References by which webhooks find the journey",
            one_or_list(closed_map(&[("reference", "", cel()), ("expect", "", mapping())])),
        ),
        ("document", "The bytes become a document", closed_map(&[("name", "CEL", cel())])),
    ]);
    let error = closed_map(&[
        ("when", "CEL", cel()),
        ("kind", "", words(&["declined", "refused", "failed", "retry"])),
        ("code", "A name of the contract's errors, or CEL", text()),
        ("row", "CEL: key of the row of a list that it is about", cel()),
        ("message", "CEL", cel()),
    ]);
    let keys = [
        ("contract", "<line>/<name>: what workflows call it by", text()),
        ("title", "", text()),
        ("description", "", text()),
        ("method", "", words(&["GET", "POST", "PUT", "PATCH", "DELETE"])),
        ("path", "Segments; `=…` is CEL", list_of(text())),
        ("query", "", map_of(any())),
        ("headers", "", map_of(any())),
        ("body", "JSON over input, key, partner, now", mapping()),
        ("form", "The same, urlencoded", map_of(any())),
        ("multipart", "The same in parts; the id of a file of the input is sent as the file", map_of(any())),
        ("idempotent", "May be sent again with the same key", flag()),
        ("timeout", "Of one attempt: 30s, or less", duration()),
        ("retry", "", closed_map(&[("attempts", "", int()), ("base", "", duration()), ("cap", "", duration())])),
        ("values", "Names for what mappings ask of `status`, `headers`, `body`, `input`, `partner`", map_of(any())),
        ("reply", "", reply),
        ("errors", "The first that holds", list_of(error)),
    ];
    extending(&keys, "<kit or partner>/<operation>")
}

fn examples() -> Value {
    let example = closed_map(&[
        ("name", "", text()),
        ("input", "", any()),
        ("request", "Part of the request that it gives", any()),
        ("partner", "Partner whose sandbox gives this answer, too", text()),
        ("reply", "", closed_map(&[("status", "", int()), ("headers", "", map_of(any())), ("body", "", any())])),
        ("output", "", any()),
        ("error", "", any()),
    ]);
    list_of(needs(example, &["name", "reply"]))
}

fn sandbox() -> Value {
    let keys = [
        ("method", "Where it answers, when there is no operation beside it", text()),
        ("path", "", list_of(text())),
        ("line", "Of which line it asks the shared values", text()),
        ("delay", "", any()),
        ("let", "", any()),
        ("cases", "The first that holds answers", list_of(map_of(any()))),
        ("description", "", text()),
    ];
    needs(closed_map(&keys), &["cases"])
}

/// A type, `{type, enum, …}`, a map or a list of one shape.
pub fn shape() -> Value {
    json!({"type": ["string", "object", "array"]})
}

fn contract() -> Value {
    let errors = closed_map(&[
        ("columns", "Name → kind, as in a table", map_of(text())),
        ("rows", "Code → cells; `any` for codes that have no row", map_of(any())),
        ("x-pii", "Kind of personal data → codes that tell something of it", map_of(texts())),
    ]);
    let keys = [
        ("title", "", text()),
        ("description", "", text()),
        (
            "takes",
            "What a call takes of a customer: only once a number was verified, and nobody does it in their place",
            one_or_list(words(&["money", "agreement"])),
        ),
        (
            "sends",
            "The input that names who is sent a message by a call: such calls pass the gate of all messages, and no endpoint makes them",
            text(),
        ),
        (
            "input",
            "Name → shape: a type, {type, enum, format, minimum, maximum, items, properties, default, x-pii, x-secret}, a map, [shape]",
            map_of(shape()),
        ),
        ("output", "", map_of(shape())),
        (
            "errors",
            "A table of codes, or the contract whose errors these are",
            json!({"oneOf": [{"type": "string"}, errors]}),
        ),
    ];
    extending(&keys, "<line>/<name>")
}

fn webhook() -> Value {
    let verify = closed_map(&[
        ("kind", "", words(&["hmac_sha256_hex"])),
        ("header", "", text()),
        ("secret", "secret://name", text()),
    ]);
    let record = closed_map(&[("kind", "", text()), ("key", "CEL", cel()), ("data", "", mapping())]);
    let event = closed_map(&[
        ("when", "CEL", cel()),
        ("record", "In place of `event`: what stands among the records, also when the journey is over", record),
        ("event", "Name in workflows", text()),
        ("data", "", mapping()),
        ("actual", "Compared with what the correlation expects", mapping()),
        ("mismatch", "Event instead when it differs", text()),
        ("unknown", "What an operator does when no journey has the reference", text()),
        ("by_hand", "An operator may tell it in the partner's place", flag()),
    ]);
    let keys = [
        ("title", "", text()),
        ("description", "", text()),
        ("verify", "", needs(verify, &["kind", "header", "secret"])),
        ("sent", "CEL: when it was sent, as the signed body says: seconds, milliseconds or RFC 3339", cel()),
        ("window", "How old it may be; shorter than used keys are kept", duration()),
        ("once", "CEL: business key", cel()),
        ("correlate", "CEL: the reference", cel()),
        ("events", "The first that holds", list_of(event)),
    ];
    needs(closed_map(&keys), &["verify", "once", "correlate", "events"])
}

fn message() -> Value {
    let fact = closed_map(&[("label", "", text()), ("value", "", text())]);
    let action = closed_map(&[("label", "", text()), ("link", "", text())]);
    let keys = [
        ("title", "", text()),
        ("description", "", text()),
        ("channel", "", words(&["sms", "email", "whatsapp"])),
        ("purpose", "", words(&["service", "transactional", "marketing"])),
        ("within", "Calendar of its own: it goes out while it is open", text()),
        ("consent", "Goes only to who agreed to this (x-consent of a field); marketing needs `marketing`", text()),
        ("template_id", "The regulator's number of the text", any()),
        (
            "places",
            "Characters that may stand at a place: of a registered SMS 30, where nothing else is said",
            map_of(int()),
        ),
        ("subject", "Handlebars, as all words here; of an e-mail", text()),
        ("text", "Paragraphs; an empty line parts them", text()),
        (
            "facts",
            "Of an e-mail: label and value in rows; one without a value is left out",
            list_of(needs(fact, &["label", "value"])),
        ),
        (
            "action",
            "Of an e-mail: its button; the link is one place, or an address of ours",
            needs(action, &["label", "link"]),
        ),
        ("after", "Of an e-mail: paragraphs below the button", text()),
        ("sample", "A value for every name of the texts", map_of(any())),
    ];
    needs(closed_map(&keys), &["channel", "text"])
}
