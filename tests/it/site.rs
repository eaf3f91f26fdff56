//! What stands around pages, and pages from data: the whole product's site as a browser gets it, and small sites with
//! mistakes in them.

use engine_definitions::{Problem, load};
use engine_store::EffectFilter;
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

mod content;
mod editing;
mod odd;
mod search;

async fn product() -> TestServer {
    let files = all_definitions();
    // every page is opened from one address
    TestServer::start_with(files, |settings| settings.limits.rate_burst = 10_000).await
}

/// Values of an attribute, with the five escapes undone that addresses meet.
fn values<'a>(html: &'a str, attribute: &str) -> impl Iterator<Item = String> + use<'a> {
    let start = format!(" {attribute}=\"");
    let found: Vec<&str> = html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect();
    found.into_iter().map(|value| value.replace("&amp;", "&"))
}

/// The address that the product gives of itself.
fn public(server: &TestServer) -> String {
    server.product.url().replace("127.0.0.1", "localhost")
}

pub fn between<'a>(html: &'a str, start: &str, end: &str) -> &'a str {
    html.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(inside, _)| inside)
}

/// What the page leaves out.
fn hidden(page: &Reply) -> BTreeSet<String> {
    between(&page.text(), "<body data-hide=\"", "\"").split_whitespace().map(str::to_owned).collect()
}

fn set(words: &str) -> BTreeSet<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// What a page that answers and could be drawn names, or where it leads instead.
async fn named(visitor: &Visitor, path: &str) -> Vec<String> {
    let page = visitor.get(path).await;
    let expected = if path == "/no-such-page" { 404 } else { 200 };
    let is_redirect = (300..400).contains(&page.status);
    assert!(page.status == expected || is_redirect, "{path}: {}", page.status);
    let html = page.text();
    if page.header("content-type").starts_with("text/html") {
        assert!(html.contains("<header class=\"site-header\">"), "{path} could not be drawn");
    }
    let moved = is_redirect.then(|| page.header("location").to_owned());
    let links = values(&html, "href").chain(values(&html, "src")).chain(moved);
    links.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

/// R9-41: each page that search engines may keep says what it is and what stands above it, in what they read, and
/// nothing there that a reader cannot see. A page that they shall not keep says nothing.
#[tokio::test(flavor = "multi_thread")]
async fn pages_say_what_they_are_to_programs() {
    let server = product().await;
    let visitor = server.visitor();
    let base = public(&server);
    let told = async |path: &str| {
        let html = visitor.get(path).await.text();
        let data = html.split("<script type=\"application/ld+json\">").nth(1)?.split("</script>").next()?.to_owned();
        let data: Value = serde_json::from_str(&data).expect("JSON");
        let of = |kind: &str| {
            let all = data["@graph"].as_array().expect("a graph").iter();
            let is = |one: &&Value| {
                one["@type"] == kind || one["@type"].as_array().is_some_and(|k| k.contains(&json!(kind)))
            };
            all.clone().find(is).cloned().unwrap_or_default()
        };
        let page = of("WebPage");
        assert_eq!(page["isPartOf"]["@id"], format!("{base}/#site"), "{path}");
        let site = if path == "/" { json!(format!("{base}/#site")) } else { Value::Null };
        assert_eq!(of("WebSite")["@id"], site, "{path}");
        assert!(
            html.contains(&format!("<link rel=\"canonical\" href=\"{}\">", page["url"].as_str().expect("an address")))
        );
        assert!(html.contains("<meta property=\"og:title\""), "{path}");
        Some((page, of("BreadcrumbList")["itemListElement"].clone(), of("WebApplication"), html))
    };
    let (page, trail, _, html) = told("/car-insurance/third-party-insurance").await.expect("kept");
    assert_eq!(page["url"], format!("{base}/car-insurance/third-party-insurance"));
    let names: Vec<_> = trail.as_array().expect("a trail").iter().map(|one| one["item"].clone()).collect();
    assert_eq!(names, [json!(format!("{base}/")), json!(format!("{base}/car-insurance")), Value::Null]);
    let question = page["mainEntity"][0]["name"].as_str().expect("a question").to_owned();
    assert!(html.matches(&question).count() > 1, "the question also stands on the page");
    let (_, _, tool, _) = told("/investment/sip-calculator").await.expect("kept");
    assert_eq!(tool["applicationCategory"], "FinanceApplication");
    assert!(told("/").await.is_some() && told("/car-insurance").await.is_some());
    for hidden in ["/dashboard", "/no-such-page"] {
        assert!(told(hidden).await.is_none(), "{hidden}");
    }
    server.stop().await;
}

const SISTERS_MAX: usize = 6;

/// R2.1-01, R2.6-18, R2.6-19, R2.4-07: whatever header, footer and pages name is there, for every visitor.
#[tokio::test(flavor = "multi_thread")]
async fn every_address_that_a_page_names_answers() {
    let server = product().await;
    let visitor = server.visitor();
    let sitemap = visitor.get("/sitemap.xml").await;
    assert_eq!((sitemap.status, sitemap.header("content-type")), (200, "application/xml"));
    let base = public(&server);
    let mut open = visitor.sitemap().await;
    assert!(open.iter().any(|path| path == "/") && open.len() > 60, "{open:?}");
    let robots = visitor.get("/robots.txt").await.text();
    assert!(robots.contains(&format!("Sitemap: {base}/sitemap.xml")), "{robots}");
    for door in ["/login", "/staff/login", "/change-number", "/confirm-email"] {
        // What robots may not read, they would not know not to keep.
        let closed = robots.lines().any(|line| line == format!("Disallow: {door}"));
        let unkept = visitor.get(door).await.text().contains("<meta name=\"robots\" content=\"noindex\">");
        assert!(unkept && !closed && !open.iter().any(|path| path == door), "{door}: {robots}");
    }
    // Who has chosen a language gets a page of that language, which no cache gives to others.
    let plain = visitor.get("/").await;
    assert!(plain.header("cache-control").starts_with("public"));
    let varies = plain.headers.get_all("vary").iter().filter_map(|value| value.to_str().ok());
    assert!(varies.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case("cookie")));
    let hindi = visitor.send("GET", "/", &[("cookie", "__Host-language=hi")], None).await;
    assert!(hindi.text().contains("lang=\"hi\"") && hindi.header("cache-control").starts_with("private"));
    open.extend(["/car-quotes", "/car-insurance/quotes", "/no-such-page"].map(str::to_owned));

    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    let mut outside = BTreeSet::new();
    let mut opened: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(path) = open.pop() {
        // Pages of a tree, drawn of one file and one row each: the first few stand for their sisters.
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let sisters = opened.entry(parent.to_owned()).or_default();
        *sisters += 1;
        if parent.matches('/').count() > 1 && *sisters > SISTERS_MAX {
            continue;
        }
        for link in named(&visitor, &path).await {
            match link.chars().next() {
                Some('/') if seen.insert(link.clone()) => open.push(link),
                Some('h') => {
                    outside.insert(link);
                }
                _ => {}
            }
        }
    }
    assert!(seen.len() > 85, "{}", seen.len());
    assert!(outside.iter().all(|link| link.starts_with("https://") || link.starts_with(&base)), "{outside:?}");
    server.stop().await;
}

/// Section 2.2, over real pages: what each leaves out.
#[tokio::test(flavor = "multi_thread")]
async fn layout_rules_decide_what_is_left_out() {
    let server = product().await;
    let visitor = server.visitor();
    for (row, path, expected) in [
        ("R2.2-01", "/", "chat"),
        ("R2.2-01", "/health-insurance/plans", "chat"),
        ("R2.2-01", "/health-insurance/plan", "nav footer chat"),
        ("R2.2-01", "/health-insurance/compare-plans", "nav footer chat"),
        ("R2.2-01", "/life-insurance/request", "nav footer chat"),
        ("R2.2-01", "/car-insurance/thirdparty-inspection", "nav footer"),
        ("R2.2-01", "/car-insurance/lp", "nav footer"),
        ("R2.2-01", "/health-insurance/lp-fusion", "nav footer chat"),
        ("R4-45", "/car-insurance/track-policy", "nav footer chat"),
        ("R2.2-01", "/car-insurance/policy-document", "nav footer"),
        ("R2.2-01", "/health-insurance/medical-details", "nav footer chat"),
        ("R2.2-01", "/life-insurance/video-verification", "nav footer chat"),
        ("R2.2-02", "/health-insurance/document-upload", "nav footer chat call"),
        ("R2.2-04", "/car-insurance/buy-now", "footer chat"),
        ("R2.2-05", "/car-insurance/calculator", "footer chat"),
        ("R2.2-05", "/health-insurance/premium-calculator", "footer chat"),
        ("R2.2-06", "/health-insurance/lp-brand", "nav footer chat login logo"),
        ("R2.2-07", "/car-insurance/quotes", "nav footer header"),
        ("R2.2-07", "/bike-insurance/checkout", "nav footer chat header"),
        ("R2.2-07", "/car-insurance/confirm", "nav footer header"),
        ("R2.2-08", "/car-insurance/post-payment-success", "footer"),
        ("R2.2-09", "/sme/group-shop", "footer chat"),
        ("R2.2-09", "/group-shop", "footer chat"),
        ("R2.2-22", "/car-insurance", ""),
        ("R2.2-22", "/health-insurance", "chat"),
    ] {
        let page = visitor.get(path).await;
        assert_eq!((page.status, hidden(&page)), (200, set(expected)), "{row} {path}");
    }
    server.stop().await;
}

/// R2.2-06: the logo is no link there; and the pages that come without a load are known before.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_of_a_brands_page_and_of_next_pages() {
    let server = product().await;
    let visitor = server.visitor();
    let brand = visitor.get("/health-insurance/lp-brand").await.text();
    assert!(brand.contains("<span class=\"wordmark\">") && !brand.contains("<a class=\"wordmark\""), "{brand}");
    let first = visitor.get("/car-insurance").await.text();
    let boot: Value = serde_json::from_str(between(&first, "id=\"boot\">", "</script>")).expect("JSON");
    let quotes = boot["site"]["hide_at"]["quotes"].as_array().expect("parts");
    assert_eq!(quotes.iter().filter_map(Value::as_str).collect::<BTreeSet<_>>(), ["footer", "header", "nav"].into());
    server.stop().await;
}

/// A rule of the source holds while the visit is only looked at, and after the session has taken it over.
#[tokio::test(flavor = "multi_thread")]
async fn rules_of_the_source_outlast_the_first_write() {
    let mut files = fixture("parcel");
    files.insert("workflows/site/more.yaml", b"layout:\n  - {source: mail, hide: nav}\n".to_vec());
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    let hides = async || hidden(&visitor.get("/help").await);
    assert_eq!(hides().await, set("footer"));
    visitor.get("/help?source=mail").await;
    assert_eq!(hides().await, set("nav footer"));
    visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_eq!(hides().await, set("nav footer"));
    assert_eq!(hidden(&server.visitor().get("/help").await), set("footer"));
    server.stop().await;
}

/// R9-69: one place holds the numbers and the address; headers and the page of contact say them.
#[tokio::test(flavor = "multi_thread")]
async fn numbers_and_address_come_from_one_place() {
    let mut files = all_definitions();
    let path = "workflows/site/site.yaml";
    let site = String::from_utf8(files.get(path).expect("the site").to_vec()).expect("text");
    let moved = site.replace("+911800000000", "+911800000077").replace("+911800000001", "+911800000078");
    let moved = moved.replace("+911800000002", "+911800000079").replace("1 Sample Road", "7 Other Road");
    files.insert(path, moved.into_bytes());
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    for (path, parts) in [
        ("/", &["tel:+911800000077"][..]),
        ("/car-insurance", &["tel:+911800000077"]),
        ("/sme", &["tel:+911800000078", "tel:+911800000079"]),
        ("/contact-us", &["7 Other Road", "tel:+911800000077"]),
    ] {
        let page = visitor.get(path).await.text();
        for part in parts {
            assert!(page.contains(part), "R9-69 {path}: {part}");
        }
        assert!(!page.contains("1 Sample Road") && !page.contains("+911800000000"), "R9-69 {path}");
    }
    server.stop().await;
}

/// R2.1-20, R2.6-09, R6-09.
#[tokio::test(flavor = "multi_thread")]
async fn frames_follow_the_address() {
    let server = product().await;
    let visitor = server.visitor();
    let retail = visitor.get("/").await.text();
    for (row, part) in [
        ("R1-32", "valid till 19/03/2026 (registrations of brokers have had no end date since 5 February 2026)"),
        ("R2.2-16", ">Track &amp; Policy Download<"),
        ("R2.2-18", "<a class=\"site-call\" href=\"tel:+911800000000\">"),
        ("R2.2-19", "24/7 assistance"),
        ("R2.1-05", "<a href=\"https://irdai.gov.in/\" target=\"_blank\" rel=\"noopener\">"),
    ] {
        assert!(retail.contains(part), "{row}: {part} is not in {retail}");
    }
    let business = visitor.get("/sme").await.text();
    for part in [
        "<a class=\"wordmark\" href=\"/sme\">",
        "Call Us</span></summary>",
        "<a href=\"tel:+911800000001\">Sales <strong>1800 000 001</strong>",
        "<a href=\"tel:+911800000002\">Support <strong>1800 000 002</strong>",
        "press 3 for business insurance",
    ] {
        assert!(business.contains(part), "R2.2-20: {part} is not in {business}");
    }
    let [one, other] = [&retail, &business].map(|html| between(html, "<header", "</header>").to_owned());
    let [foot, other_foot] = [&retail, &business].map(|html| between(html, "<footer", "</footer>").to_owned());
    assert!(one != other && foot != other_foot && !one.contains("Call Us"));
    assert!(other_foot.contains("<h2>Business insurance</h2>") && !foot.contains("<h2>Business insurance</h2>"));
    server.stop().await;
}

/// R9-66, R2.6-20, R3-20.
#[tokio::test(flavor = "multi_thread")]
async fn products_follow_the_address() {
    let server = product().await;
    let visitor = server.visitor();
    for (path, product) in [
        ("/health-insurance", "health"),
        ("/life-insurance", "life"),
        ("/life-insurance/term-insurance", "term"),
        ("/term-insurance", "term"),
        ("/investment", "investment"),
        ("/car-insurance", "car"),
        ("/bike-insurance", "bike"),
        ("/", ""),
    ] {
        let page = visitor.get(path).await.text();
        let number = match product {
            "car" => " data-category=\"1\"",
            "bike" => " data-category=\"2\"",
            _ => ">",
        };
        assert!(page.contains(&format!("data-product=\"{product}\"{number}")), "R9-66, R3-20 {path}");
        let foot = between(&page, "<footer", "</footer>");
        let own = foot.matches("<h2>Good to know").count();
        assert_eq!(own, usize::from(!product.is_empty()), "R2.6-20 {path}: {foot}");
        let (away, opened) = (foot.matches("href=\"https://").count(), foot.matches("target=\"_blank\"").count());
        assert!(away == opened && away >= 2, "R2.6-20 {path}");
    }
    for product in ["life", "term", "investment"] {
        let lead = json!({"name": "Asha Rao", "mobile": "9812345678", "about": product});
        let begun = visitor.start("leads/callback", lead).await.ok(201);
        let filter =
            EffectFilter { journey: begun["journey"]["id"].as_str().map(Into::into), ..EffectFilter::default() };
        let told = server.product.runtime.store().effects(filter).await.expect("effects");
        let is_told = told.iter().any(|one| one.kind == "track" && one.payload["input"]["product"] == product);
        assert!(is_told, "R9-66 {product}: {told:?}");
    }
    server.stop().await;
}

/// What the first pages claim (R1-23 to R1-27, pages-O19) stands under one mark, which leads to what each figure counts; no search
/// engine is told it as a fact.
#[tokio::test(flavor = "multi_thread")]
async fn claims_say_what_they_count() {
    let server = product().await;
    let visitor = server.visitor();
    let claims = [
        ("R1-23", "Save up to 75 percent"),
        ("R1-24", "30+ insurers"),
        ("R1-25", "13 Mn+ customers"),
        ("R1-26", "Rated 4.7"),
        ("R1-27", "105,000+ claims"),
    ];
    let counted = visitor.get("/figures").await.text();
    for (row, claim) in claims {
        assert!(counted.contains(claim), "{row}: {claim} is not explained");
    }
    for path in ["/", "/car-insurance", "/bike-insurance"] {
        let page = visitor.get(path).await.text();
        let (head, body) = page.split_once("</head>").expect("a head");
        for (row, claim) in claims {
            assert!(body.contains(claim), "{row} {path}");
            assert!(!head.contains(claim), "{row} {path}: told as a fact");
        }
        assert_eq!(body.matches("href=\"/figures\"").count(), 1, "{path}");
    }
    assert!(visitor.get("/sme").await.text().contains("From 8 rupees a day"), "R1-28");
    server.stop().await;
}

/// Marks of insurers stand on white tiles, by day and by night: each colour has the contrast that words need there.
#[test]
fn marks_can_be_read() {
    let table = include_str!("../../workflows/motor/tables/insurers.yaml");
    let colours: Vec<u32> =
        table.split("\"#").skip(1).filter_map(|rest| u32::from_str_radix(rest.get(..6)?, 16).ok()).collect();
    assert!(colours.len() > 20);
    for colour in colours {
        let part = |shift: u32| {
            let share = f64::from((colour >> shift) & 0xff) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let contrast = 1.05 / (0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0) + 0.05);
        assert!(contrast >= 4.5, "#{colour:06x} has {contrast:.2}");
    }
}

/// A page from rows has its own words at each address; a long list has parts; one page has one canonical address.
#[tokio::test(flavor = "multi_thread")]
async fn pages_from_data() {
    let mut files = all_definitions();
    let path = "workflows/site/pages/motor/car-companies.yaml";
    let list = String::from_utf8(files.get(path).expect("a list").to_vec()).expect("text");
    files.insert(path, list.replace("page: 30", "page: 12").into_bytes());
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    let base = public(&server);
    let canonical = |page: &Reply| between(&page.text(), "<link rel=\"canonical\" href=\"", "\"").to_owned();
    let one = visitor.get("/car-insurance/companies/digit").await;
    assert!(
        one.text().contains("<title>Digit car insurance – Journey</title>") && one.text().contains("<h1>Digit car")
    );
    assert_eq!(canonical(&one), format!("{base}/car-insurance/companies/digit"));
    assert_eq!(visitor.get("/car-insurance/companies/nobody").await.status, 404);

    let first = visitor.get("/car-insurance/companies").await;
    assert!(first.text().contains("Page 1 of 2") && first.text().contains("href=\"/car-insurance/companies?page=2\""));
    let second = visitor.get("/car-insurance/companies?page=2").await;
    assert!(second.text().contains("Page 2 of 2") && second.text().contains("href=\"/car-insurance/companies\""));
    assert_eq!(canonical(&second), format!("{base}/car-insurance/companies?page=2"));
    for beyond in ["3", "0", "x"] {
        assert_eq!(visitor.get(&format!("/car-insurance/companies?page={beyond}")).await.status, 404, "{beyond}");
    }
    assert_eq!(visitor.get("/privacy-policy?page=2").await.status, 404);

    let further = visitor.get("/car-quotes?a=1").await;
    assert_eq!((further.status, canonical(&further)), (200, format!("{base}/car-insurance")));
    let listed = visitor.sitemap().await;
    let lists = |path: &str| listed.iter().any(|one| one == path);
    assert!(lists("/bike-insurance/third-party-insurance") && !lists("/car-quotes"));
    assert!(!lists("/health-insurance/plan"), "a page that is only for now is not listed");
    server.stop().await;
}

/// R2.1-24..28, R8-28, R8-30: readable, no-index, with a way on and without a code.
#[tokio::test(flavor = "multi_thread")]
async fn pages_instead_of_others() {
    let server = product().await;
    let visitor = server.visitor();
    let unknown = "0".repeat(32);
    for (path, status, said) in [
        ("/no-such-page".to_owned(), 404, "Oops! We can&#x27;t seem to find the page you&#x27;re looking for."),
        (format!("/car-insurance/quotes?request={unknown}"), 404, "We can't find this request"),
        ("/car-insurance/confirm?a=1".to_owned(), 200, "Nothing was changed or paid."),
        ("/car-insurance/payment-success".to_owned(), 200, "Nothing is open here"),
    ] {
        let page = visitor.get(&path).await;
        let html = page.text();
        assert_eq!(page.status, status, "{path}");
        for part in ["<meta name=\"robots\" content=\"noindex\">", said, "<ul class=\"links\">"] {
            assert!(html.contains(part), "{path}: {part} is not in {html}");
        }
        let main = between(&html, "<main", "</main>");
        assert!(!main.contains("404") && !main.contains("500"), "R8-30 {main}");
    }
    assert_eq!(visitor.get("/").await.status, 200, "R2.1-28");
    server.stop().await;
}

/// R2.1-27: a page that cannot be made says so, and is no page that search engines keep.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_fails_is_an_error_page() {
    let mut files = fixture("parcel");
    let page = "path: /odd\ntitle: Odd\nblocks:\n  - {block: facts, items: [{label: A, value: \"int(today.contains('2026-11') ? 'x' : '1')\"}]}\n";
    files.insert("workflows/site/pages/odd.yaml", page.as_bytes().to_vec());
    let server = TestServer::start(files).await;
    let odd = server.visitor().get("/odd").await;
    assert_eq!(odd.status, 500);
    assert!(odd.text().contains("Something Went Wrong") && odd.text().contains("content=\"noindex\""));
    server.stop().await;
}

/// Places and codes of what is wrong with the parcel's site and this file.
fn problems(path: &str, text: &str) -> Vec<String> {
    let mut files = fixture("parcel");
    files.insert(path, text.as_bytes().to_vec());
    let said =
        |p: &Problem| format!("{}:{} {}", p.span.file.rsplit('/').next().unwrap_or_default(), p.span.line, p.code);
    load(&files).problems.iter().filter(|p| p.is_error()).map(said).collect()
}

/// Checks that each of these texts is wrong in its own way: what it is, the text, what is said.
#[track_caller]
fn wrong(path: &str, cases: &[(&str, &str, &[&str])]) {
    for (what, text, expected) in cases {
        assert_eq!(problems(path, text), *expected, "{what}");
    }
}

#[test]
fn a_rule_that_leads_nowhere_is_found_before_it_is_published() {
    wrong(
        "workflows/site/more.yaml",
        &[
            (
                "a rule that no page fulfils",
                "layout:\n  - {parts: help, hide: footer}\n  - {parts: hel, hide: footer}\n",
                &["more.yaml:3 never-matches"],
            ),
            (
                "a step that is not there",
                "layout:\n  - {step: cover.none, hide: nav}\n",
                &["more.yaml:2 never-matches"],
            ),
            ("a part that is none", "layout:\n  - {parts: help, hide: heder}\n", &["more.yaml:2 unknown-name"]),
            ("a frame that is none", "layout:\n  - {parts: help, frame: hose}\n", &["more.yaml:2 unknown-name"]),
            (
                "an answer of no call",
                "keeps:\n  x: {call: /api/v1/none, take: a, of: visitor}\n",
                &["more.yaml:2 unknown-name"],
            ),
            (
                "an answer kept nowhere",
                "keeps:\n  x: {call: /api/v1/none, take: a}\n",
                &["more.yaml:2 shape", "more.yaml:2 unknown-name"],
            ),
            ("a product without pages", "products:\n  letters: {under: /letters}\n", &["more.yaml:2 never-matches"]),
            ("a key twice in two files", "legal: Twice\n", &["site.yaml:11 duplicate-key"]),
            ("a redirect to nowhere", "redirects: []\n", &["site.yaml:12 duplicate-key"]),
        ],
    );
    let menu = "menus:\n  house:\n    - {text: A, link: /a}\n    - {text: B, link: /help, sub: []}\nfooters: {house: []}\nframes: {house: {}}\nname: X\nredirects:\n  - {from: /help, to: /x}\n";
    assert_eq!(
        problems("workflows/site/site.yaml", menu),
        ["site.yaml:3 dead-link", "site.yaml:4 unknown-key", "site.yaml:9 duplicate-key", "site.yaml:9 dead-link"]
    );
}

#[test]
fn a_page_that_leads_nowhere_is_found_before_it_is_published() {
    wrong(
        "workflows/site/pages/x.yaml",
        &[
            (
                "a dead link of a page",
                "path: /x\ntitle: X\nblocks:\n  - block: links\n    items: [{label: A, href: /hepl}]\n",
                &["x.yaml:5 dead-link"],
            ),
            ("a page at a step", "path: /parcel-cover/sender\ntitle: X\nblocks: []\n", &["x.yaml:1 duplicate-key"]),
            ("a page twice", "path: /x\nalso: /help\ntitle: X\nblocks: []\n", &["x.yaml:1 duplicate-key"]),
            (
                "a text without its value",
                "path: /x\ntitle: {text: \"{{compny.x}}\"}\nblocks: []\n",
                &["x.yaml:2 evaluation"],
            ),
            ("a key that is none", "path: /x\ntitle: X\nhidden: footer\nblocks: []\n", &["x.yaml:3 unknown-key"]),
        ],
    );
}

#[test]
fn rows_that_make_no_pages_are_found_before_they_are_published() {
    wrong(
        "workflows/site/pages/x.yaml",
        &[
            (
                "rows without the column",
                "path: /x/{slug}\neach: \"[{'slug': 'a'}, {'name': 'b'}]\"\ntitle: X\nblocks: []\n",
                &["x.yaml:2 page-row"],
            ),
            (
                "a cell that is no address",
                "path: /x/{slug}\neach: \"[{'slug': 'A b'}]\"\ntitle: X\nblocks: []\n",
                &["x.yaml:2 page-row"],
            ),
            (
                "the same row twice",
                "path: /x/{slug}\neach: \"[{'slug': 'a'}, {'slug': 'a'}]\"\ntitle: X\nblocks: []\n",
                &["x.yaml:1 duplicate-key"],
            ),
        ],
    );
}

#[test]
fn journeys_that_a_page_cannot_hold_are_found_before_they_are_published() {
    wrong(
        "workflows/site/pages/x.yaml",
        &[
            (
                "two journeys in a page, of a workflow that is none",
                "path: /x\ntitle: X\nblocks:\n  - {block: journey, workflow: parcel/covr}\n  - {block: journey, workflow: parcel/cover}\n",
                &["x.yaml:4 unknown-name", "x.yaml:5 value"],
            ),
            (
                "a journey that opens by itself without a hash",
                "path: /x\ntitle: X\nblocks:\n  - {block: journey, workflow: parcel/cover, after_ms: 500}\n",
                &["x.yaml:4 value"],
            ),
        ],
    );
}

/// R9-65, pages-O29
#[tokio::test(flavor = "multi_thread")]
async fn each_subdomain_serves_what_the_site_says_of_it() {
    let server = product().await;
    let visitor = server.visitor();
    let on = async |subdomain: &str, path: &str| {
        visitor.send("GET", path, &[("host", &format!("{subdomain}.journey.example"))], None).await
    };
    for (subdomain, is_hidden) in [("www", false), ("dev1", true), ("dev2", true), ("staging", true), ("other", false)]
    {
        let page = on(subdomain, "/car-insurance").await;
        assert!(page.status == 200 && page.text().contains("<h1"), "{subdomain}");
        assert_eq!(page.header("x-robots-tag") == "noindex", is_hidden, "{subdomain}");
        let robots = on(subdomain, "/robots.txt").await.text();
        assert_eq!(robots.contains("Disallow: /\n"), is_hidden, "{subdomain}: {robots}");
    }
    assert_eq!(on("static", "/favicon.svg").await.header("content-type"), "image/svg+xml");
    for path in ["/", "/car-insurance", "/robots.txt"] {
        assert_eq!(on("static", path).await.status, 404, "{path}");
    }
    server.stop().await;
}

/// R2.4-40, R2.4-41, R2.3-14, R2.3-15: every make and model has a page, fixed names win, and old addresses of filters
/// lead on.
#[tokio::test(flavor = "multi_thread")]
async fn makes_and_models_have_pages() {
    let server = product().await;
    let visitor = server.visitor();
    let title = async |path: &str| {
        let page = visitor.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        page.text()
            .split("<title>")
            .nth(1)
            .and_then(|rest| rest.split("</title>").next())
            .unwrap_or_default()
            .to_owned()
    };
    for (car, bike) in
        [("/car-insurance/honda", "/bike-insurance/honda"), ("/car-insurance/companies", "/bike-insurance/companies")]
    {
        assert_ne!(title(car).await, title(bike).await, "{car}");
    }
    assert!(title("/car-insurance/maruti-suzuki/swift").await.contains("Maruti Suzuki Swift"));
    assert!(title("/bike-insurance/hero/splendor-plus").await.contains("Splendor"));
    assert!(!title("/car-insurance/calculator").await.contains("model by model"), "a fixed name wins over a make");
    for unknown in ["/car-insurance/no-make", "/car-insurance/honda/no-model", "/bike-insurance/maruti-suzuki/swift"] {
        assert_eq!(visitor.get(unknown).await.status, 404, "{unknown}");
    }
    for (old, new) in [
        ("/filter/health-insurance+family", "/health-insurance/filter/family"),
        ("/filter/health-insurance", "/health-insurance/filter/plans"),
    ] {
        let moved = visitor.get(old).await;
        assert_eq!((moved.status, moved.header("location")), (301, new), "{old}");
        assert_eq!(visitor.get(new).await.status, 200, "{new}");
    }
    server.stop().await;
}
