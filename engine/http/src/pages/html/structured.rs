//! What programs read of a page: the data that search engines take (schema.org in JSON-LD) and the card that a shared
//! link gets (Open Graph). All of it is made from what stands on the page; nothing that is marked a sample is in it.

use super::writer::Html;
use super::{Page, Surroundings};
use serde_json::{Value, json};

/// Pages above this one, from the start page on: title and full address.
pub type Trail = Vec<(String, String)>;

/// Questions of a page that are told to programs.
const QUESTIONS_MAX: usize = 30;

/// Writes both for a page that search engines may keep.
pub fn write(html: &mut Html, site: &Surroundings, page: &Page, blocks: &[Value]) {
    let Some(url) = page.canonical.as_deref().filter(|_| !page.noindex) else { return };
    let card = [("og:title", page.title.as_str()), ("og:description", page.description.as_str()), ("og:url", url)];
    for (property, content) in card.into_iter().filter(|(_, content)| !content.is_empty()) {
        html.open("meta", &[("property", property), ("content", content)]);
    }
    html.raw("<script type=\"application/ld+json\">").json(&graph(site, page, url, blocks)).raw("</script>");
}

fn graph(site: &Surroundings, page: &Page, url: &str, blocks: &[Value]) -> Value {
    let home = page.trail.first().map_or(url, |(_, home)| home);
    let site_id = format!("{home}#site");
    let mut about = json!({
        "@type": "WebPage", "@id": url, "url": url, "name": page.title, "inLanguage": site.language,
        "isPartOf": {"@id": site_id},
    });
    if !page.description.is_empty() {
        about["description"] = page.description.as_str().into();
    }
    let questions = questions(blocks);
    if !questions.is_empty() {
        about["@type"] = json!(["WebPage", "FAQPage"]);
        about["mainEntity"] = questions.into();
    }
    let mut graph = vec![about];
    if page.trail.is_empty() {
        graph.push(json!({"@type": "WebSite", "@id": site_id, "name": site.name, "url": home}));
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
    json!({"@context": "https://schema.org", "@graph": graph})
}

/// Questions and answers as they stand on the page; of a block with samples none.
fn questions(blocks: &[Value]) -> Vec<Value> {
    let asked = blocks.iter().filter(|block| block["block"] == "faq" && block["sample"] != true);
    let items = asked.flat_map(|block| block["items"].as_array().into_iter().flatten());
    let told = items.filter_map(|item| {
        let (question, answer) = (item["question"].as_str()?, item["answer"].as_str()?);
        let answer = json!({"@type": "Answer", "text": answer});
        Some(json!({"@type": "Question", "name": question, "acceptedAnswer": answer}))
    });
    told.take(QUESTIONS_MAX).collect()
}
