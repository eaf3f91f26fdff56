//! The editors' page of the manual (`workflows/site/README.md`), done as it says: a paragraph, a question, a news item, a
//! city, over the front door.

use super::*;
use engine_definitions::Files;
use journey_tests::server::all_definitions;

const MANUAL: &str = "workflows/site/README.md";

/// The first example below a heading: where it stands, if it says so, and what is in it.
fn example<'m>(manual: &'m str, heading: &str) -> (Option<&'m str>, &'m str) {
    let section = manual.split(&format!("## {heading}\n")).nth(1).unwrap_or_else(|| panic!("no {heading}"));
    let fenced = section.split("```").nth(1).expect("an example");
    let (head, text) = fenced.split_once('\n').expect("lines");
    (head.split_once(' ').map(|(_, path)| path), text)
}

fn changed(files: &mut Files, path: &str, change: impl Fn(&str) -> String) {
    let text = String::from_utf8(files.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).expect("text");
    let after = change(&text);
    assert_ne!(after, text, "{path}");
    files.insert(path, after.into_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_editors_manual_says_is_so() {
    let manual = format!("{}/../{MANUAL}", env!("CARGO_MANIFEST_DIR"));
    let manual = std::fs::read_to_string(manual).expect("the manual");
    let mut files = all_definitions();
    let known: BTreeSet<String> = load(&files).problems.iter().map(Problem::to_string).collect();

    let (path, item) = example(&manual, "Add a news item");
    let path = path.expect("it says where");
    files.insert(path, item.as_bytes().to_vec());
    let (_, question) = example(&manual, "Add a question");
    changed(&mut files, "workflows/site/tables/topic_questions.yaml", |text| {
        format!("{}\n{question}", text.trim_end())
    });
    let abu_road = |text: &str| text.replace(",abu-road,false", ",abu-road,true");
    changed(&mut files, "workflows/master/cities.csv", abu_road);
    let stressed = |text: &str| text.replace("A new car loses 5 percent", "A new car **loses** 5 percent");
    changed(&mut files, "workflows/site/tables/topic_parts.yaml", stressed);
    let problems: Vec<String> = load(&files).problems.iter().map(Problem::to_string).collect();
    let new: Vec<&String> = problems.iter().filter(|problem| !known.contains(*problem)).collect();
    assert!(new.iter().all(|problem| problem.contains("does not read")), "only Hindi is out of date: {new:?}");

    let server = TestServer::start_with(files, |settings| settings.limits.rate_burst = 10_000).await;
    let visitor = server.visitor();
    let slug = path.rsplit('/').next().and_then(|name| name.strip_suffix(".md")).expect("a slug");
    let address = format!("/car-insurance/news/{slug}");
    let page = visitor.get(&address).await.text();
    for drawn in [
        "<h1>One card for all tolls</h1>",
        "<strong>Nothing changes</strong> for your policy.",
        "<h3>What to do</h3>",
        "<li>Keep the tag until it ends.</li>",
        "<a href=\"/renew-policy\">Renew your policy</a>",
    ] {
        assert!(page.contains(drawn), "{drawn}: {}", between(&page, "<main", "</main>"));
    }
    let list = visitor.get("/api/v1/news?line=car").await.ok(200);
    assert_eq!(list["items"][0]["slug"], slug, "the newest comes first");
    let page = visitor.get("/car-insurance/comprehensive").await.text();
    assert!(page.contains("A new car <strong>loses</strong> 5 percent"), "{}", between(&page, "<main", "</main>"));
    assert!(visitor.get("/car-insurance/idv").await.text().contains("Does a scratch lower it?"));
    assert_eq!(visitor.get("/insurance-advisors/insurance-advisor+in-abu-road").await.status, 200);
    server.stop().await;
}
