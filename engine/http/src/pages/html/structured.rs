//! What programs read of a page: the data that search engines take (schema.org in JSON-LD) and the card that a shared
//! link gets (Open Graph). All of it is made from what stands on the page; nothing that is marked a sample is in it.

use super::writer::Html;
use super::{Page, Surroundings};
use serde_json::{Value, json};

/// Pages above this one, from the start page on: title and full address.
pub type Trail = Vec<(String, String)>;

/// What programs are told of a page beside its words.
#[derive(Debug, Clone, Default)]
pub struct Described {
    /// Kind of page.
    pub kind: &'static str,
    /// Languages of the page, each with its full address.
    pub alternates: Vec<(String, String)>,
    /// Days on which it last changed, and was first there.
    pub changed: String,
    pub published: String,
    /// Full address of its picture.
    pub card: String,
    /// The thing or place that it is about: `{type, name, brand?}`.
    pub about: Value,
}

/// Width and height of the picture that a shared link gets.
pub const CARD: (usize, usize) = (1200, 630);
/// Questions of a page that are told to programs, and entries of a list.
const QUESTIONS_MAX: usize = 30;
const ENTRIES_MAX: usize = 50;
/// Longest headline of an article.
const HEADLINE_MAX: usize = 110;

/// Writes both for a page that search engines may keep.
pub fn write(html: &mut Html, site: &Surroundings, page: &Page, blocks: &[Value]) {
    let Some(url) = page.canonical.as_deref().filter(|_| !page.noindex) else { return };
    let (width, height) = (CARD.0.to_string(), CARD.1.to_string());
    let Described { kind, published, card, .. } = &page.described;
    let locale = format!("{}_{COUNTRY}", site.language);
    let mut all = vec![
        ("og:title", page.title.as_str()),
        ("og:description", page.description.as_str()),
        ("og:url", url),
        ("og:type", if *kind == ARTICLE { "article" } else { "website" }),
        ("og:locale", locale.as_str()),
        ("og:image", card.as_str()),
    ];
    if !card.is_empty() {
        all.extend([("og:image:width", &*width), ("og:image:height", &*height), ("og:image:alt", &page.title)]);
    }
    if *kind == ARTICLE {
        all.push(("article:published_time", published));
    }
    for (property, content) in all.into_iter().filter(|(_, content)| !content.is_empty()) {
        html.open("meta", &[("property", property), ("content", content)]);
    }
    if !card.is_empty() {
        html.raw("<meta name=\"twitter:card\" content=\"summary_large_image\">");
    }
    html.raw("<script type=\"application/ld+json\">").json(&graph(site, page, url, blocks)).raw("</script>");
}

const ARTICLE: &str = "article";
const LIST: &str = "list";
/// The country whose visitors the site speaks to.
pub const COUNTRY: &str = "IN";

fn graph(site: &Surroundings, page: &Page, url: &str, blocks: &[Value]) -> Value {
    let home = &home_of(url);
    let (site_id, publisher) = (format!("{home}#site"), json!({"@id": format!("{home}#publisher")}));
    let mut about = json!({
        "@type": "WebPage", "@id": url, "url": url, "name": page.title, "inLanguage": site.language,
        "isPartOf": {"@id": site_id}, "publisher": publisher,
    });
    if !page.description.is_empty() {
        about["description"] = page.description.as_str().into();
    }
    if let Some(moment) = moment(&page.described.changed) {
        about["dateModified"] = moment.into();
    }
    let questions = questions(blocks);
    let more = [(page.described.kind == LIST, "CollectionPage"), (!questions.is_empty(), "FAQPage")];
    let more: Vec<&str> = more.into_iter().filter_map(|(is_one, name)| is_one.then_some(name)).collect();
    if !more.is_empty() {
        about["@type"] = json!([&["WebPage"], &more[..]].concat());
    }
    if !questions.is_empty() {
        about["mainEntity"] = questions.into();
    }
    if let (Some(kind), Some(name)) = (page.described.about["type"].as_str(), page.described.about["name"].as_str()) {
        about["about"] = json!({"@type": kind, "name": name});
        if let Some(brand) = page.described.about["brand"].as_str() {
            about["about"]["brand"] = json!({"@type": "Brand", "name": brand});
        }
    }
    let mut graph = vec![about];
    if page.trail.is_empty() {
        graph.push(json!({"@type": "WebSite", "@id": site_id, "name": site.name, "url": home}));
        graph.push(json!({"@type": "Organization", "@id": publisher["@id"], "name": site.name, "url": home}));
    } else {
        let above = page.trail.iter().map(|(title, address)| json!({"name": title, "item": address}));
        let all = above.chain([json!({"name": page.title})]).enumerate().map(|(n, mut item)| {
            item["@type"] = "ListItem".into();
            item["position"] = json!(n + 1);
            item
        });
        graph.push(json!({"@type": "BreadcrumbList", "itemListElement": all.collect::<Vec<_>>()}));
    }
    if blocks.iter().any(|block| block["block"] == crate::pages::site::CALCULATOR) {
        graph.push(json!({
            "@type": "WebApplication", "name": page.title, "url": url, "applicationCategory": "FinanceApplication",
            "operatingSystem": "Any", "offers": {"@type": "Offer", "price": 0, "priceCurrency": "INR"},
        }));
    }
    match page.described.kind {
        ARTICLE => graph.extend(article(site, page, url, home)),
        "service" => graph.push(json!({
            "@type": "Service", "name": page.title, "serviceType": page.title, "url": url, "areaServed": COUNTRY,
            "provider": publisher,
        })),
        LIST => graph.extend(list(blocks, home)),
        _ => {}
    }
    json!({"@context": "https://schema.org", "@graph": graph})
}

/// The start page of a full address: `https://host/`.
fn home_of(url: &str) -> String {
    let host: Vec<&str> = url.splitn(4, '/').take(3).collect();
    format!("{}/", host.join("/"))
}

/// A day as the moment at which it begins in India.
fn moment(day: &str) -> Option<String> {
    (!day.is_empty()).then(|| format!("{day}T00:00:00+05:30"))
}

/// The article of a page that says since when it is there.
fn article(site: &Surroundings, page: &Page, url: &str, home: &str) -> Option<Value> {
    let Described { changed, published, card, .. } = &page.described;
    let mut article = json!({
        "@type": "Article", "headline": page.title.chars().take(HEADLINE_MAX).collect::<String>(),
        "datePublished": moment(published)?, "dateModified": moment(changed).or_else(|| moment(published)),
        "author": {"@type": "Organization", "name": site.name, "url": home}, "mainEntityOfPage": {"@id": url},
    });
    if !card.is_empty() {
        article["image"] = card.as_str().into();
    }
    Some(article)
}

/// Pages to which the cards or links of a list of pages lead: the longest of its blocks is the list, the others lead
/// elsewhere. Of blocks with samples none.
fn list(blocks: &[Value], home: &str) -> Option<Value> {
    let listed = |block: &&Value| matches!(block["block"].as_str(), Some("cards" | "links")) && block["sample"] != true;
    let lists = blocks.iter().filter(listed).map(|block| {
        let items = block["items"].as_array().into_iter().flatten();
        items.filter_map(|item| item["href"].as_str()?.strip_prefix('/')).take(ENTRIES_MAX).collect::<Vec<_>>()
    });
    let pages = lists.rev().max_by_key(Vec::len)?.into_iter();
    let entries: Vec<Value> = pages
        .enumerate()
        .map(|(n, path)| json!({"@type": "ListItem", "position": n + 1, "url": format!("{home}{path}")}))
        .collect();
    let list = || json!({"@type": "ItemList", "numberOfItems": entries.len(), "itemListElement": entries});
    (!entries.is_empty()).then(list)
}

/// Questions and answers as they stand on the page, without those whose answers count with samples.
fn questions(blocks: &[Value]) -> Vec<Value> {
    let asked = blocks.iter().filter(|block| block["block"] == "faq");
    let items = asked.flat_map(|block| block["items"].as_array().into_iter().flatten());
    let items = items.filter(|item| item["from_samples"] != true);
    let told = items.filter_map(|item| {
        let (question, answer) = (item["question"].as_str()?, item["answer"].as_str()?);
        let answer = json!({"@type": "Answer", "text": answer});
        Some(json!({"@type": "Question", "name": question, "acceptedAnswer": answer}))
    });
    told.take(QUESTIONS_MAX).collect()
}
