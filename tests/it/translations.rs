//! Files in other languages: place → English → the same in that language.

use crate::definitions::{catalog, library};
use engine_definitions::{Audience, Files, load, plain_text, sheets};
use engine_server::cli::{Cli, Command, Texts, WhichTexts};
use engine_statechart::Scope;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::ExitCode;

/// Noon of 21 November 2026 in India.
const NOON: i64 = 1_795_242_600_000;

fn with(files: &[(&str, &str)]) -> Files {
    let mut all = library();
    files.iter().for_each(|(path, text)| all.insert(*path, text.as_bytes()));
    all
}

fn told(files: &Files) -> Vec<String> {
    load(files).problems.iter().map(ToString::to_string).collect()
}

/// The view `found` with this data.
fn drawn(files: &Files, data: &Value, language: &str) -> Value {
    let catalog = catalog(files);
    let workflow = catalog.workflow("library/loan").expect("workflow").in_language(language);
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    workflow.view("library/loan/found").expect("view").render(data, &[], &scope).expect("drawn").0
}

/// The view `found` and the form of the loan as they are in a language.
fn seen(files: &Files, language: &str) -> (Value, Value, String) {
    let catalog = catalog(files);
    let workflow = catalog.workflow("library/loan").expect("workflow").in_language(language);
    let (now, journey, context) = (workflow.now(NOON), json!({}), Map::new());
    let host = workflow.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let data = json!({"offers": {"n": {"price": 100, "by": "North"}}});
    let (view, _) = workflow.view("library/loan/found").expect("view").render(&data, &[], &scope).expect("drawn");
    let form = workflow.form("library/loan/loan").expect("form").view(&Audience::default(), &scope).expect("a view");
    let step = workflow.text("loan.hint", &Map::new());
    (view, serde_json::to_value(&form.schema).expect("schema"), step)
}

const VIEW: &str = "title: {Found: मिली}\nblocks.items.label: {\"From {{o.by}}\": \"{{o.by}} से\"}\n";

/// A row that is a text reads as the file of its name does in a language, and leads nowhere else.
#[test]
fn a_row_in_markdown_reads_in_each_language() {
    const NOTES: &str = "sample: true\nmatch: {slug: equals}\ncolumns: {slug: text, title: text, body: prose}\n";
    const FOUND: &str = "blocks: [{block: text, title: {cel: \"lookup('library/notes', 'late').title\"}, \
                         text: {cel: \"lookup('library/notes', 'late').body\"}}]\n";
    let said = |hindi: &str| {
        with(&[
            ("workflows/library/tables/notes.yaml", NOTES),
            ("workflows/library/tables/notes/late.md", "---\ntitle: Late\n---\n\n**Pay** by [our rules](/about).\n"),
            ("languages/hi/workflows/library/tables/notes/late.md", hindi),
            ("workflows/library/loan/views/found.yaml", FOUND),
        ])
    };
    let files = said("---\ntitle: देर\n---\n\n[नियम](/about) देखें।\n");
    assert_eq!(told(&files), Vec::<String>::new());
    let (english, hindi) = (block_of(&files, "en"), block_of(&files, "hi"));
    assert_eq!(english["text"][0]["of"][0], json!({"is": "strong", "of": ["Pay"]}));
    assert_eq!(plain_text(&english["text"]), "Pay by our rules.");
    assert_eq!((&hindi["title"], plain_text(&hindi["text"])), (&json!("देर"), "नियम देखें।".to_owned()));
    let short = block_of(&said("---\ntitle: देर\n---\n"), "hi");
    assert_eq!(plain_text(&short["text"]), "Pay by our rules.", "what is not said stays");
    let strange = told(&said("---\ntitle: देर\nhint: और\n---\n\n[नियम](/elsewhere) देखें।\n"));
    assert_eq!(strange.len(), 2, "{strange:?}");
    assert!(strange[0].contains("late.md:3:1: the English has no `hint`"), "{strange:?}");
    assert!(strange[1].contains("late.md:6:1: the English has no link to `/elsewhere`"), "{strange:?}");
}

fn block_of(files: &Files, language: &str) -> Value {
    drawn(files, &json!({"offers": {}}), language)["blocks"][0].clone()
}

#[test]
fn a_translation_changes_the_words_and_nothing_else() {
    let files = with(&[
        ("languages/hi/workflows/library/loan/views/found.yaml", VIEW),
        ("languages/hi/workflows/library/shared/texts.yaml", "loan.hint: {Look on the spine: रीढ़ देखें}\n"),
        ("languages/hi/forms/library/loan/loan.json", r#"{"properties.title.title": {"Title": "शीर्षक"}}"#),
        ("languages/hi/forms/shared/fields.json", r#"{"$defs.mobile.title": {"Mobile": "मोबाइल"}}"#),
    ]);
    assert_eq!(told(&files), Vec::<String>::new());
    let (view, form, hint) = seen(&files, "hi");
    assert_eq!((view["title"].as_str(), hint.as_str()), (Some("मिली"), "रीढ़ देखें"));
    assert_eq!(view["blocks"][0]["items"][0]["label"], "North से");
    assert_eq!(form["properties"]["title"]["title"], "शीर्षक");
    assert_eq!(form["properties"]["mobile"]["title"], "मोबाइल", "what a form refers to is translated where it stands");
    assert_eq!(
        form["properties"]["back_on"]["x-messages"]["x-date.max"].as_str().map(|t| t.contains("Dec")),
        Some(false)
    );
    let (view, form, hint) = seen(&files, "en");
    assert_eq!((view["title"].as_str(), hint.as_str()), (Some("Found"), "Look on the spine"));
    assert_eq!(form["properties"]["title"]["title"], "Title");
    assert_eq!(seen(&files, "mr").2, "Look on the spine", "a language that nobody wrote is English");
}

/// A version is another one when only its translation differs: journeys keep the words that they began with.
#[test]
fn translations_are_pinned_with_the_journey() {
    let version = |files: &Files| catalog(files).workflow("library/loan").expect("workflow").version.clone();
    let translated = with(&[("languages/hi/workflows/library/loan/views/found.yaml", VIEW)]);
    assert_ne!(version(&library()), version(&translated));
    let catalog = catalog(&translated);
    let workflow = catalog.workflow("library/loan").expect("workflow");
    let mut pinned = Files::new();
    for (path, _) in &workflow.closure {
        pinned.insert(path.as_str(), translated.get(path).expect("a file of the closure").to_vec());
    }
    let again = engine_definitions::reload_closure("library/loan", &pinned, &catalog).expect("the version again");
    assert_eq!(again.version, workflow.version);
    let now = again.now(NOON);
    let (journey, context) = (json!({}), Map::new());
    let hindi = again.in_language("hi");
    let host = hindi.host(&now, &journey, &catalog);
    let scope = Scope::new().with_host(&host).with_context(&context);
    let (view, _) =
        hindi.view("library/loan/found").expect("view").render(&json!({"offers": {}}), &[], &scope).expect("drawn");
    assert_eq!(view["title"], "मिली");
}

#[test]
fn changed_english_is_missing_and_its_old_translation_out_of_date() {
    let files = with(&[(
        "languages/hi/workflows/library/loan/views/found.yaml",
        "title: {Found it: मिली}\nblocks.items.label:\n  \"From {{o.by}}\": \"\"\n",
    )]);
    assert_eq!(
        told(&files),
        [
            "languages/hi/workflows/library/loan/views/found.yaml:1:19: `title` of workflows/library/loan/views/found.yaml does \
          not read “Found it” (`journey texts list --language hi` shows what it reads now)"
        ]
    );
    let sheets = sheets(&files, "hi");
    let sheet = sheets.iter().find(|s| s.file.ends_with("found.yaml")).expect("the view");
    let missing: Vec<_> = sheet.missing().map(|w| (w.line, w.place.as_str(), w.english.as_str())).collect();
    assert_eq!(
        missing,
        [(1, "title", "Found"), (3, "blocks.text", "None"), (6, "blocks.items.label", "From {{o.by}}")]
    );
    assert_eq!(sheet.now(&sheet.unused[0]), Some("Found"));
}

/// Words inside an expression are marked; only they can be translated.
#[test]
fn what_an_expression_says_is_translated_too() {
    let view = r#"blocks:
  - block: text
    text: {cel: "size(data.offers) > 0 ? say('It\\'s {{n}}', {'n': size(data.offers)}) : say('None')"}
"#;
    let files = with(&[
        ("workflows/library/loan/views/found.yaml", view),
        (
            "languages/hi/workflows/library/loan/views/found.yaml",
            r#"blocks.text: {"It's {{n}}": "'{{n}}' हैं", None: कुछ नहीं}"#,
        ),
    ]);
    assert_eq!(told(&files), Vec::<String>::new());
    let text =
        |offers: Value, language: &str| drawn(&files, &json!({ "offers": offers }), language)["blocks"][0].clone();
    assert_eq!(text(json!({}), "hi")["text"], "कुछ नहीं");
    assert_eq!(text(json!({"n": 1}), "hi")["text"], "'1' हैं");
    assert_eq!(text(json!({"n": 1}), "en")["text"], "It's 1");
}

/// An entry that YAML has cut at a comma reads as one that nobody has filled in, of words that stand nowhere.
#[test]
fn an_empty_entry_of_words_that_stand_nowhere_is_out_of_date() {
    let translation = "title: {Found: मिली, और कुछ नहीं}\nblocks.text: {None: \"\"}\n";
    let files = with(&[("languages/hi/workflows/library/loan/views/found.yaml", translation)]);
    let said = told(&files);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("`title` of workflows/library/loan/views/found.yaml does not read “और कुछ नहीं”"),
        "{said:?}"
    );
    let sheets = sheets(&files, "hi");
    let sheet = sheets.iter().find(|s| s.file.ends_with("found.yaml")).expect("the view");
    assert_eq!(sheet.unused.iter().map(|w| w.english.as_str()).collect::<Vec<_>>(), ["और कुछ नहीं"]);
}

/// A cell of a table that is a list of short sentences.
#[test]
fn the_sentences_of_a_cell_are_translated_each() {
    let table = "sample: true\nmatch: {slug: equals}\ncolumns: {slug: text, points: list}\nrows:\n  - [loan, [Free of charge, Three weeks]]\n";
    let translation = "rows.points: {Free of charge: मुफ़्त}\n";
    let files = with(&[
        ("workflows/library/tables/promises.yaml", table),
        ("languages/hi/workflows/library/tables/promises.yaml", translation),
    ]);
    assert_eq!(told(&files), Vec::<String>::new());
    let sheets = sheets(&files, "hi");
    let sheet = sheets.iter().find(|s| s.file.ends_with("promises.yaml")).expect("the table");
    let said: Vec<_> = sheet.words.iter().map(|w| (w.english.as_str(), w.said.as_deref())).collect();
    assert_eq!(said, [("Free of charge", Some("मुफ़्त")), ("Three weeks", None)]);
}

#[test]
fn a_translation_of_nothing_and_a_broken_one_are_mistakes() {
    let lost = with(&[("languages/hi/workflows/library/loan/views/gone.yaml", "title: {Found: मिली}\n")]);
    assert!(told(&lost)[0].contains("there is no workflows/library/loan/views/gone.yaml"), "{:?}", told(&lost));
    let broken = with(&[("languages/hi/workflows/library/loan/views/found.yaml", "title: मिली\n")]);
    assert!(told(&broken)[0].contains("place → English"), "{:?}", told(&broken));
    let template = "blocks.items.label: {\"From {{o.by}}\": \"{{o.by से\"}\n";
    let template = with(&[("languages/hi/workflows/library/loan/views/found.yaml", template)]);
    let said = told(&template);
    assert!(said[0].starts_with("languages/hi/workflows/library/loan/views/found.yaml:1:"), "{said:?}");
}

/// The library in a folder, with its view `found` said in Hindi as it read before, and a loan's hint said as it reads.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let files = with(&[
        (
            "languages/hi/workflows/library/loan/views/found.yaml",
            "title: {Found it: मिल गया}\nblocks.text: {None: कुछ नहीं}\n",
        ),
        ("workflows/library/loan/texts.yaml", "loan.none: None\nloan.hint: Look on the spine\n"),
    ]);
    for (path, bytes) in files.iter() {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    folder
}

fn run(texts: Texts) -> ExitCode {
    engine_server::commands::run(Cli { settings: None, command: Command::Texts(texts) }).expect("run")
}

fn which(folder: &Path) -> WhichTexts {
    let only = Some("workflows/library/loan".to_owned());
    WhichTexts { language: "hi".into(), dir: folder.to_owned(), only }
}

/// A translator's program gets what is said, what it read before and what is said elsewhere, both to be looked at.
#[test]
fn translations_go_to_translators_and_come_back() {
    let folder = folder();
    let po = folder.path().join("hi.po");
    assert_eq!(run(Texts::Export { which: which(folder.path()), to: Some(po.clone()) }), ExitCode::SUCCESS);
    let text = std::fs::read_to_string(&po).expect("a PO file");
    let before = "#. It read: Found it\n#: workflows/library/loan/views/found.yaml:1\n#, fuzzy\nmsgctxt \"workflows/library/loan/views/found.yaml#title\"\nmsgid \"Found\"\nmsgstr \"मिल गया\"\n";
    assert!(text.contains(before), "{text}");
    let elsewhere =
        "#, fuzzy\nmsgctxt \"workflows/library/loan/texts.yaml#loan.none\"\nmsgid \"None\"\nmsgstr \"कुछ नहीं\"\n";
    assert!(text.contains(elsewhere), "{text}");

    let take = || run(Texts::Import { file: po.clone(), dir: folder.path().to_owned() });
    assert_eq!(take(), ExitCode::SUCCESS);
    let said = folder.path().join("languages/hi/workflows/library/loan/texts.yaml");
    assert!(!said.exists(), "nobody has looked at what is fuzzy");
    std::fs::write(&po, text.replace(elsewhere, &elsewhere.replace("#, fuzzy\n", ""))).expect("written");
    assert_eq!(take(), ExitCode::SUCCESS);
    assert_eq!(std::fs::read_to_string(&said).expect("a translation"), "loan.none: {None: कुछ नहीं}\n");

    std::fs::write(&po, text.replace("msgid \"None\"", "msgid \"Nothing\"")).expect("written");
    assert_eq!(take(), ExitCode::from(2), "English that is not there");
    std::fs::write(&po, text.replace("Language: hi", "Language: Hindi")).expect("written");
    assert!(
        engine_server::commands::run(Cli {
            settings: None,
            command: Command::Texts(Texts::Import { file: po.clone(), dir: folder.path().to_owned() })
        })
        .is_err()
    );
}

#[test]
fn missing_words_are_proposed_from_elsewhere_and_old_ones_pruned() {
    let folder = folder();
    assert_eq!(run(Texts::List { which: which(folder.path()) }), ExitCode::from(2));
    assert_eq!(run(Texts::Write { which: which(folder.path()), prune: true }), ExitCode::from(2));
    let read = |path: &str| {
        std::fs::read_to_string(folder.path().join("languages/hi/workflows/library/loan").join(path)).expect("there")
    };
    assert_eq!(read("texts.yaml"), "loan.none: {None: कुछ नहीं}\nloan.hint: {Look on the spine: ''}\n");
    assert!(!read("views/found.yaml").contains("मिल गया"), "what reads so no more is left out");
}
