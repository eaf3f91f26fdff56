//! What search engines and shared links get: lists of addresses, languages, twins, pictures, data by kind of page.

use super::{between, product, public};
use engine_definitions::{Files, Problem, load};
use journey_tests::server::{TestServer, Visitor, fixture, listed};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A small site with this page in it.
fn with_page(page: &str) -> Files {
    let mut files = fixture("parcel");
    files.insert("workflows/site/pages/other.yaml", page.as_bytes().to_vec());
    files
}

fn told(files: &Files) -> Vec<String> {
    load(files).problems.iter().map(Problem::to_string).collect()
}

/// The data that a page tells programs.
fn graph(html: &str) -> Vec<Value> {
    let data = between(html, "<script type=\"application/ld+json\">", "</script>");
    let data: Value = serde_json::from_str(data).unwrap_or_default();
    data["@graph"].as_array().cloned().unwrap_or_default()
}

fn of_type<'a>(graph: &'a [Value], kind: &str) -> Option<&'a Value> {
    let is =
        |one: &&Value| one["@type"] == kind || one["@type"].as_array().is_some_and(|all| all.contains(&json!(kind)));
    graph.iter().find(is)
}

/// R7.3-30, pages-O28: the index names a list for each kind of page, which says when what it says last changed.
#[tokio::test(flavor = "multi_thread")]
async fn the_sitemap_is_an_index_of_lists_by_kind() {
    let server = product().await;
    let (visitor, base) = (server.visitor(), public(&server));
    let index = visitor.get("/sitemap.xml").await;
    assert_eq!((index.status, index.header("content-type")), (200, "application/xml"));
    let index = index.text();
    assert!(index.contains("<sitemapindex ") && index.contains("</loc><lastmod>20"), "{index}");
    let names: Vec<String> = listed(&index);
    for kind in ["page", "article", "list", "service", "place", "model"] {
        assert!(names.contains(&format!("/sitemap/{kind}.xml")), "{kind}: {names:?}");
    }
    let mut seen = BTreeSet::new();
    for name in &names {
        let list = visitor.get(name).await;
        assert_eq!((list.status, list.header("content-type")), (200, "application/xml"), "{name}");
        for path in listed(&list.text()) {
            assert!(path.len() > 1 || path == "/");
            assert!(seen.insert(path.clone()), "{path} stands in two lists");
        }
    }
    assert_eq!(visitor.get("/sitemap/nothing.xml").await.status, 404);
    // each is kept, under its own address: the first few of a tree stand for the others
    for path in sample(&seen) {
        let page = visitor.get(path).await;
        let html = page.text();
        let canonical = format!("<link rel=\"canonical\" href=\"{base}{path}\">");
        assert!(page.status == 200 && html.contains(&canonical), "{path}: {}", page.status);
        assert!(!html.contains("name=\"robots\""), "{path} is not to be kept");
    }
    let packed = visitor.send("GET", "/sitemap/page.xml", &[("accept-encoding", "gzip")], None).await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    server.stop().await;
}

/// The first pages below each address.
fn sample(all: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    let mut before = ("", 0);
    all.iter().filter(move |path| {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        before = if before.0 == parent { (parent, before.1 + 1) } else { (parent, 0) };
        parent.matches('/').count() < 2 || before.1 < 3
    })
}

/// R2.6-05, pages-O27: a page with an address in another language names all of them, at each of them and in the list of each.
#[tokio::test(flavor = "multi_thread")]
async fn languages_of_a_page_name_one_another() {
    let server = product().await;
    let base = public(&server);
    let pages = [
        ("/investment", "/investment/hi", "service"),
        ("/", "/hi", "page"),
        ("/car-insurance", "/hi/car-insurance", "service"),
        ("/irda-license", "/hi/irda-license", "page"),
    ];
    for (english, hindi, kind) in pages {
        let languages = [("en-IN", english), ("hi-IN", hindi), ("x-default", english)];
        for (path, list, language) in [(english, kind, "en"), (hindi, "hi", "hi")] {
            let visitor = server.visitor();
            let list = visitor.get(&format!("/sitemap/{list}.xml")).await.text();
            let html = visitor.get(path).await.text();
            assert!(html.contains(&format!("<link rel=\"canonical\" href=\"{base}{path}\">")), "{path}");
            assert!(html.contains(&format!("<html lang=\"{language}\"")), "{path}");
            let entry = between(&list, &format!("<loc>{base}{path}</loc>"), "</url>");
            for (language, at) in languages {
                let link = format!("rel=\"alternate\" hreflang=\"{language}\" href=\"{base}{at}\"");
                assert!(html.contains(&link) && entry.contains(&link), "{path} {language}");
            }
        }
    }
    server.stop().await;
}

/// In the folder of a language stands the same page, under the same frame; who reads it there goes on in the language,
/// and who chooses another one is led out of the folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_the_folder_of_a_language_is_the_page_in_that_language() {
    let server = product().await;
    let visitor = server.visitor();
    let page = visitor.get("/hi/car-insurance/").await;
    let html = page.text();
    assert!(html.contains("<html lang=\"hi\"") && html.contains("data-product=\"car\""), "{html}");
    assert!(page.header("set-cookie").contains("__Host-language=hi") && page.header("cache-control") == "no-store");
    assert!(visitor.get("/irda-license").await.text().contains("<html lang=\"hi\""), "who read it goes on in it");
    let again = visitor.get("/hi/car-insurance").await;
    assert_eq!(again.header("set-cookie"), "", "it is chosen already");
    let chosen = visitor.get("/hi/car-insurance?lang=en").await;
    assert_eq!((chosen.status, chosen.header("location")), (302, "/car-insurance"));
    assert!(visitor.get("/car-insurance").await.text().contains("<html lang=\"en\""));
    // What search engines shall not keep has no second address: who asks for it there is led to it, in the language.
    for (path, to) in
        [("/hi/dashboard", "/dashboard"), ("/hi/car-insurance/quotes?request=1", "/car-insurance/quotes?request=1")]
    {
        let led = server.visitor().get(path).await;
        assert_eq!((led.status, led.header("location")), (302, to), "{path}");
        assert!(led.header("set-cookie").contains("__Host-language=hi"), "{path}");
    }
    let missing = server.visitor().get("/hi/no-such-page").await;
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("<html lang=\"hi\""), "what is not there is not there in the language");
    server.stop().await;
}

#[test]
fn folders_are_of_languages_that_the_site_speaks() {
    let with = |line: &str| {
        let mut files = with_page("path: /other\ntitle: Other\nblocks: []\n");
        let site = String::from_utf8(files.get("workflows/site/site.yaml").expect("a site").to_vec()).expect("text");
        files.insert("workflows/site/site.yaml", format!("{site}\n{line}\n").into_bytes());
        told(&files)
    };
    let strange = with("language_folders: {hu: /hu}");
    assert!(strange.iter().any(|problem| problem.contains("unknown further language `hu`")), "{strange:?}");
    let wrong = with("language_folders: {hi: hi/x}");
    assert!(wrong.iter().any(|problem| problem.contains("languages with a folder each")), "{wrong:?}");
}

/// Rows say which of their pages are kept, which stand for others, and since when they say what they say.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_says_whether_its_page_is_kept() {
    let files = with_page(
        "path: /at/{slug}\n\
         each: \"[{'slug': 'a', 'twin': '', 'day': '2026-03-01'}, {'slug': 'b', 'twin': '/at/a', 'day': ''},\n  \
         {'slug': 'c', 'twin': '', 'day': ''}]\"\n\
         as: spot\nkind: place\nnoindex: data.spot.slug == 'c'\ncanonical: data.spot.twin\nchanged: data.spot.day\n\
         title: {text: \"Spot {{spot.slug}}\"}\nblocks: []\n",
    );
    let server = TestServer::start(files).await;
    let (visitor, base) = (server.visitor(), public(&server));
    let list = visitor.get("/sitemap/place.xml").await.text();
    assert_eq!(listed(&list), ["/at/a"]);
    assert!(list.contains("<lastmod>2026-03-01</lastmod>"), "{list}");
    let twin = visitor.get("/at/b").await.text();
    assert!(twin.contains(&format!("<link rel=\"canonical\" href=\"{base}/at/a\">")), "{twin}");
    let hidden = visitor.get("/at/c").await.text();
    assert!(hidden.contains("<meta name=\"robots\" content=\"noindex\">") && graph(&hidden).is_empty(), "{hidden}");
    let kept = visitor.get("/at/a").await.text();
    assert_eq!(of_type(&graph(&kept), "WebPage").expect("a page")["dateModified"], "2026-03-01T00:00:00+05:30");
    server.stop().await;
    for (wrong, says) in [
        ("canonical: \"'/nowhere'\"", "`/nowhere` stands for `/other`, and is no page's own address"),
        ("changed: \"'soon'\"", "`soon` is no day: write 2026-11-26"),
        (
            "kind: plaice",
            "`kind` is one of `page`, `article`, `service`, `list`, `place`, `model` (did you mean `place`?)",
        ),
    ] {
        let problems = told(&with_page(&format!("path: /other\n{wrong}\ntitle: Other\nblocks: []\n")));
        assert!(problems.len() == 1 && problems[0].ends_with(says), "{problems:?}");
    }
}

/// A shared link gets a picture of the page's own words, as large as it says.
#[tokio::test(flavor = "multi_thread")]
async fn a_shared_link_gets_a_picture() {
    let server = product().await;
    let (visitor, base) = (server.visitor(), public(&server));
    for (path, card) in [("/", "/cards/index.png"), ("/car-insurance", "/cards/car-insurance.png")] {
        let html = visitor.get(path).await.text();
        assert!(html.contains(&format!("<meta property=\"og:image\" content=\"{base}{card}\">")), "{path}: {html}");
        assert!(html.contains("<meta property=\"og:image:alt\" content=\""), "{path}");
        let picture = visitor.get(card).await;
        assert_eq!((picture.status, picture.header("content-type")), (200, "image/png"), "{card}");
        let side = |at: usize| u32::from_be_bytes(picture.bytes[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((side(16), side(20)), (1200, 630), "{card}");
        assert!(picture.bytes.len() < 300_000, "{}", picture.bytes.len());
    }
    for none in ["/cards/no-such-page.png", "/cards/dashboard.png", "/cards/rto/goa/ga-01.png"] {
        assert_eq!(visitor.get(none).await.status, 404, "{none}");
    }
    server.stop().await;
}

/// Pages of places and vehicles say which one they are about; first pages of flows tell their questions.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_tells_programs_what_it_is_about() {
    let server = product().await;
    let visitor = server.visitor();
    let about = [
        ("/travel-insurance/countries/georgia", "Country", "Georgia"),
        ("/car-insurance/tata/nexon", "Car", "Tata Nexon"),
        ("/rto/goa", "State", "Goa"),
    ];
    for (path, kind, name) in about {
        let graph = graph(&visitor.get(path).await.text());
        let page = of_type(&graph, "WebPage").unwrap_or_else(|| panic!("{path}"));
        assert_eq!((&page["about"]["@type"], &page["about"]["name"]), (&json!(kind), &json!(name)), "{path}");
    }
    let first = graph(&visitor.get("/car-insurance").await.text());
    let questions = &of_type(&first, "FAQPage").expect("questions")["mainEntity"];
    assert!(questions.as_array().is_some_and(|all| all.len() > 2), "{questions}");
    server.stop().await;
    let problems =
        told(&with_page("path: /other\nabout: \"{'type': 'planet', 'name': 'Mars'}\"\ntitle: Other\nblocks: []\n"));
    assert!(problems.len() == 1 && problems[0].contains("`about` has a `name` and a `type`"), "{problems:?}");
}

/// R9-41, pages-O10: what each kind of page tells programs, over all kinds that are kept.
#[tokio::test(flavor = "multi_thread")]
async fn each_kind_of_page_tells_programs_what_is_required() {
    let server = product().await;
    let (visitor, base) = (server.visitor(), public(&server));
    for name in listed(&visitor.get("/sitemap.xml").await.text()) {
        let all: BTreeSet<String> = listed(&visitor.get(&name).await.text()).into_iter().collect();
        for path in sample(&all) {
            let wrong = wrong(&visitor, &base, &name, path).await;
            assert!(wrong.is_empty(), "{path} of {name}: {wrong:?}");
        }
    }
    server.stop().await;
}

/// What a page lacks of the fields of its kind.
async fn wrong(visitor: &Visitor, base: &str, list: &str, path: &str) -> Vec<String> {
    let html = visitor.get(path).await.text();
    let graph = graph(&html);
    let kind = list.trim_start_matches("/sitemap/").split(['.', '-']).next().unwrap_or_default();
    let needed: &[(&str, &[&str])] = match kind {
        "article" => {
            &[("Article", &["headline", "datePublished", "dateModified", "author", "image", "mainEntityOfPage"])]
        }
        "service" => &[("Service", &["name", "serviceType", "provider", "areaServed", "url"])],
        "list" => &[("CollectionPage", &["url"]), ("ItemList", &["numberOfItems", "itemListElement"])],
        _ => &[],
    };
    let every: &[&str] = &["name", "description", "url", "inLanguage", "dateModified", "isPartOf", "publisher"];
    let mut wrong = Vec::new();
    for (kind, fields) in [("WebPage", every)].iter().chain(needed) {
        match of_type(&graph, kind) {
            None => wrong.push(format!("no {kind}")),
            Some(one) => {
                wrong.extend(fields.iter().filter(|field| one[**field].is_null()).map(|one| (*one).to_owned()))
            }
        }
    }
    let page = of_type(&graph, "WebPage").cloned().unwrap_or_default();
    if page["url"] != format!("{base}{path}") {
        wrong.push("url".into());
    }
    let language = html.split_once("<html lang=\"").map(|(_, rest)| &rest[..2]).unwrap_or_default();
    for card in ["og:type\" content=\"".to_owned(), format!("og:locale\" content=\"{language}_IN")] {
        wrong.extend((!html.contains(&card)).then_some(card));
    }
    if !["/", "/hi"].contains(&path)
        && of_type(&graph, "BreadcrumbList").is_none_or(|trail| trail["itemListElement"][0]["position"] != 1)
    {
        wrong.push("trail".into());
    }
    if ["Review", "AggregateRating", "Product"].iter().any(|never| of_type(&graph, never).is_some()) {
        wrong.push("what is never told".into());
    }
    let questions = page["mainEntity"].as_array().into_iter().flatten();
    let unseen = questions.filter(|one| !is_on_the_page(&html, one["name"].as_str().unwrap_or_default()));
    wrong.extend(unseen.map(|one| format!("{} is not on the page", one["name"])));
    wrong
}

/// Whether the words stand on the page, beside what is told to programs.
fn is_on_the_page(html: &str, words: &str) -> bool {
    let shown = html.rsplit_once("application/ld+json").map_or(html, |(_, rest)| rest);
    let shown = shown.split_once("</script>").map_or(shown, |(_, rest)| rest);
    let escaped = words.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    shown.contains(&escaped) || shown.contains(&escaped.replace('\'', "&#x27;"))
}
