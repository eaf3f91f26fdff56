//! Definitions change while journeys are open.

use super::{PARCEL, id, parcels, started};
use engine_definitions::Files;
use engine_runtime::{Actor, PublishError, Stories};
use engine_server::definitions::Verdict;
use journey_tests::server::{TestServer, fixture};
use std::sync::Arc;

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_definition_reaches_new_journeys_only() {
    let server = parcels().await;
    let visitor = server.visitor();
    let old = started(&visitor).await;
    let mut files = fixture("parcel");
    let form = String::from_utf8_lossy(files.get("forms/parcel/cover/sender.json").expect("the form"))
        .replace("Who sends it?", "Who is the sender?");
    files.insert("forms/parcel/cover/sender.json", form.into_bytes());
    let by = Actor::operator("test");
    let published =
        server.product.runtime.publishing.publish(&files, &by, Stories::OfChanges).await.expect("it checks");
    assert_eq!(published.changed, [PARCEL]);
    assert_eq!(visitor.view(id(&old)).await["step"]["title"], "Who sends it?");
    let new = started(&visitor).await;
    assert_eq!(new["step"]["title"], "Who is the sender?");
    assert_ne!(new["journey"]["version"], old["journey"]["version"]);
    server.stop().await;
}

const FLOW: &str = "workflows/parcel/cover/flow.yaml";
const LABEL: &str = "workflows/contracts/parcel/label.yaml";

/// Replaces one text by another in one file.
fn change(files: &mut Files, path: &str, from: &str, to: &str) {
    let text = String::from_utf8_lossy(files.get(path).expect("a file")).replace(from, to);
    files.insert(path, text.into_bytes());
}

/// A sender's new field without a default: somebody may send without it.
fn with_a_new_field() -> Files {
    let mut files = fixture("parcel");
    change(&mut files, LABEL, "weight: number}", "weight: number, floor: integer}");
    let sends = "weight: shipped.weight}, into: label";
    change(&mut files, FLOW, sends, "weight: shipped.weight, floor: 1}, into: label");
    let examples = "workflows/partners/carriers/swift/label.examples.yaml";
    change(&mut files, examples, "weight:", "floor: 1, weight:");
    files
}

/// The operation `label` is called `print` now.
fn with_another_operation() -> Files {
    let mut files = fixture("parcel");
    change(&mut files, FLOW, "src: swift/label", "src: swift/print");
    for part in ["yaml", "examples.yaml", "sandbox.yaml"] {
        let old = format!("workflows/partners/carriers/swift/label.{part}");
        let bytes = Arc::clone(files.get(&old).expect("the operation"));
        files.remove(&old);
        files.insert(format!("workflows/partners/carriers/swift/print.{part}"), bytes);
    }
    files
}

/// `published`, or the problems that are why not.
async fn published(server: &TestServer, files: &Files) -> String {
    published_by(server, files, &Actor::operator("test")).await
}

async fn published_by(server: &TestServer, files: &Files, by: &Actor) -> String {
    match server.product.runtime.publishing.publish(files, by, Stories::OfChanges).await {
        Ok(_) => "published".to_owned(),
        Err(PublishError::Problems(problems)) => {
            problems.iter().map(|p| format!("{}: {}\n", p.code, p.message)).collect()
        }
        Err(other) => other.to_string(),
    }
}

/// What is live serves journeys that hold an older version, so it is published only when it can.
#[tokio::test(flavor = "multi_thread")]
async fn what_open_journeys_hold_is_not_taken_from_them() {
    let server = parcels().await;
    started(&server.visitor()).await;
    assert_eq!(
        published(&server, &with_a_new_field()).await,
        "contract-in-use: open journeys of `parcel/cover` hold the contract `parcel/label`: input `/floor` is new and has no default\n"
    );
    assert_eq!(
        published(&server, &with_another_operation()).await,
        "version-in-use: open journeys of `parcel/cover` go on with what they began with: unknown operation `label` of partner `swift`\n"
    );
    let mut kinder = fixture("parcel");
    change(&mut kinder, LABEL, "weight: number}", "weight: number, floor: {type: integer, default: 0}}");
    assert_eq!(published(&server, &kinder).await, "published");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_holds_may_change() {
    let server = parcels().await;
    assert_eq!(published(&server, &with_a_new_field()).await, "published");
    assert_eq!(published(&server, &with_another_operation()).await, "published");
    server.stop().await;
}

fn parcels_in_a_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, bytes) in fixture("parcel").iter() {
        let place = folder.path().join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, bytes).expect("a file");
    }
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_found_good_is_not_checked_again_until_it_changes() {
    let folder = parcels_in_a_folder();
    let is_known = || {
        let mut files = Files::read_dir(folder.path()).expect("a folder");
        Verdict::of(folder.path(), &mut files);
        files.were_found_good()
    };
    assert!(!is_known());
    TestServer::start_watching(folder.path()).await.stop().await;
    assert!(is_known());
    let again = TestServer::start_watching(folder.path()).await;
    assert_eq!(
        again.visitor().get("/api/v1/workflows/parcel/cover/start").await.ok(200)["step"]["title"],
        "What do you send?"
    );
    again.stop().await;
    let form = folder.path().join("forms/parcel/cover/parcel.json");
    let changed =
        std::fs::read_to_string(&form).expect("the form").replace("What do you send?", "What shall we carry?");
    std::fs::write(&form, changed).expect("a file");
    assert!(!is_known());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_definition_is_published_and_a_broken_one_is_not() {
    let folder = parcels_in_a_folder();
    let server = TestServer::start_watching(folder.path()).await;
    let visitor = server.visitor();
    let form = folder.path().join("forms/parcel/cover/parcel.json");
    let good = std::fs::read_to_string(&form).expect("the form");
    let title = async || {
        visitor.get("/api/v1/workflows/parcel/cover/start").await.ok(200)["step"]["title"]
            .as_str()
            .map(str::to_owned)
            .expect("a title")
    };
    let saved = |text: String| std::fs::write(&form, text).expect("a file");

    let before = server.product.runtime.publication();
    saved(good.replace("What do you send?", "What shall we carry?"));
    server.until("the saved form", async || (title().await == "What shall we carry?").then_some(())).await;
    assert_eq!(server.product.runtime.publication(), before + 1);
    // A broken save changes nothing; the next good one does.
    saved(good.replace("What do you send?", "{ broken").replace("\"properties\"", "\"proprties\""));
    server
        .until("the refusal", async || {
            visitor.get("/metrics").await.text().contains("definitions_refused_total").then_some(())
        })
        .await;
    assert_eq!((title().await.as_str(), server.product.runtime.publication()), ("What shall we carry?", before + 1));
    saved(good.replace("What do you send?", "And now?"));
    server.until("the form that was put right", async || (title().await == "And now?").then_some(())).await;
    server.stop().await;
}

/// Whoever may publish changes what there is; who may do what stays the operators'.
#[tokio::test(flavor = "multi_thread")]
async fn only_an_operator_changes_who_may_do_what() {
    let server = parcels().await;
    let publisher = Actor { roles: vec!["publisher".into()], ..Actor::visitor("p") };
    let mut files = fixture("parcel");
    change(&mut files, "forms/parcel/cover/sender.json", "Who sends it?", "Who is the sender?");
    assert_eq!(published_by(&server, &files, &publisher).await, "published");
    let roles = "workflows/roles.yaml";
    let ours = include_str!("../../../workflows/roles.yaml");
    // Without the events of other flows.
    let ours = ours.split("\nevents:").next().expect("a table");
    files.insert(roles, ours.as_bytes());
    let refused = "floor: only an operator changes who may do what\n";
    assert_eq!(published_by(&server, &files, &publisher).await, refused);
    assert_eq!(published(&server, &files).await, "published");
    files.remove(roles);
    assert_eq!(published_by(&server, &files, &publisher).await, refused);
    server.stop().await;
}

const STORY: &str = "workflows/parcel/cover/stories/described.yaml";

/// A story of the first two pages; `last` is the state that it expects at the end.
fn story(last: &str) -> Vec<u8> {
    let steps = [
        "  - {send: submit, data: {weight: 2, kind: gift}, expect: {state: sender}}".to_owned(),
        format!("  - {{send: submit, data: {{name: Asha Rao}}, expect: {{state: {last}}}}}"),
    ];
    format!("name: described\nrows: []\nsteps:\n{}\n", steps.join("\n")).into_bytes()
}

/// A change that breaks a story of what it reaches is refused; who says so in `releases.yaml`, or publishes into the
/// sandbox, is only told.
#[tokio::test(flavor = "multi_thread")]
async fn stories_of_a_change_are_played_before_it_is_published() {
    let server = TestServer::start_with(fixture("parcel"), |settings| settings.sandbox.enabled = false).await;
    let publishing = &server.product.runtime.publishing;
    let by = Actor::operator("test");
    let mut files = fixture("parcel");
    files.insert(STORY, story("offers.collecting"));
    let published = publishing.publish(&files, &by, Stories::OfChanges).await.expect("the story holds");
    assert_eq!(published.stories, 1);
    change(&mut files, "forms/parcel/cover/sender.json", "Who sends it?", "Who is the sender?");
    let published = publishing.publish(&files, &by, Stories::OfChanges).await.expect("the story still holds");
    assert_eq!((published.stories, published.changed), (1, vec![PARCEL.to_owned()]));
    let shorter = "on: {submit: [{guard: context.parcel.weight > 1, target: offers}, {target: sender}]}";
    change(&mut files, FLOW, "on: {submit: sender}", shorter);
    let refused = self::published(&server, &files).await;
    assert!(refused.starts_with("story: story `described`: state: expected \"sender\", was"), "{refused}");
    let told = publishing.publish(&files, &by, Stories::Tell).await.expect("it is only told");
    assert!(told.warnings.iter().any(|problem| problem.code == "story"), "{:?}", told.warnings);
    files.insert("workflows/releases.yaml", "stories: warn\n".as_bytes());
    change(&mut files, "forms/parcel/cover/sender.json", "Who is the sender?", "Who sends this?");
    assert_eq!(self::published(&server, &files).await, "published");
    server.stop().await;
}
