//! What everything that leaves the house bears: a short message begins with the site's name, an e-mail stands on a
//! paper that says who writes, by which licence, and where to complain. Messages have only their words; how an e-mail
//! looks is here alone, and its plain text is made of the same.

use crate::fields::unknown_keys;
use crate::policy::FLOOR;
use crate::prose::{self, Prose};
use crate::site::words;
use crate::source::Node;
use engine_statechart::Problem;
use serde_json::Value;

/// What the law wants beside the words of whoever sells insurance: values of the site's `company`, below every e-mail.
const BY_LAW: [&str; 5] = ["/name", "/licence/number", "/address", "/care/display", "/grievance/email"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Letterhead {
    /// The site's name.
    pub name: String,
    /// The site's `company`: every message may name it.
    pub(crate) company: Value,
    /// Small lines below the words.
    lines: Vec<String>,
    /// The way out below offers: the words, and the page on which they are ended.
    unsubscribe: Option<Way>,
}

/// What one presses, and where it leads.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    pub label: String,
    pub link: String,
}

/// What an e-mail says, filled in.
#[derive(Debug, Default)]
pub(crate) struct Letter {
    pub subject: String,
    pub text: String,
    pub facts: Vec<(String, String)>,
    pub action: Option<Way>,
    pub after: String,
    pub is_offer: bool,
}

impl Letterhead {
    /// `letterhead` of the site; `legal` is the first of its lines, `data` what its places read.
    pub(crate) fn read(
        node: &Node,
        (name, legal): (&str, &str),
        data: &Value,
        problems: &mut Vec<Problem>,
    ) -> Letterhead {
        unknown_keys(node, "a letterhead", &["lines", "unsubscribe"], problems);
        let said = words(node, data, problems);
        let text = |at: &str| said.pointer(at).and_then(Value::as_str).map(str::to_owned);
        let lines = said["lines"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
        let lines: Vec<String> =
            Some(legal.to_owned()).into_iter().chain(lines).filter(|line| !line.is_empty()).collect();
        let all = lines.join("\n");
        for at in BY_LAW {
            let value = data["company"].pointer(at).and_then(Value::as_str).filter(|value| !value.is_empty());
            if !value.is_some_and(|value| all.contains(value)) {
                let known = at.trim_start_matches('/').replace('/', ".");
                let message = format!("a letter names `company.{known}`: the law asks for it");
                let hint = format!("a line with {{{{company.{known}}}}}");
                problems.push(Problem::error(FLOOR, &node.span, message).hint(hint));
            }
        }
        let unsubscribe = text("/unsubscribe/label").zip(text("/unsubscribe/href"));
        let unsubscribe = unsubscribe.map(|(label, link)| Way { label, link });
        Letterhead { name: name.to_owned(), company: data["company"].clone(), lines, unsubscribe }
    }

    /// Whether it says how offers are ended.
    pub(crate) fn ends_offers(&self) -> bool {
        self.unsubscribe.is_some()
    }

    /// A short message: who writes comes first.
    pub(crate) fn short(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }

    fn way_out(&self, letter: &Letter) -> Option<&Way> {
        self.unsubscribe.as_ref().filter(|_| letter.is_offer)
    }

    /// The letter as plain text; `address`: ours, before pages of ours.
    pub(crate) fn plain(&self, letter: &Letter, address: &str) -> String {
        let way = |way: &Way| format!("{}: {}", way.label, absolute_address(&way.link, address));
        let facts: Vec<String> = letter.facts.iter().map(|(label, value)| format!("{label}: {value}")).collect();
        let mut parts = vec![prose::letters(&letter.text), facts.join("\n")];
        parts.extend(letter.action.as_ref().map(way));
        parts.push(prose::letters(&letter.after));
        if !self.lines.is_empty() {
            // By this mark programs know where the words end.
            let foot = ["-- ", self.name.as_str()].into_iter().chain(self.lines.iter().map(String::as_str));
            parts.push(foot.collect::<Vec<_>>().join("\n"));
        }
        parts.extend(self.way_out(letter).map(way));
        parts.retain(|part| !part.trim().is_empty());
        parts.join("\n\n")
    }

    /// The letter on the house's paper; the colours are those of the site.
    pub(crate) fn html(&self, letter: &Letter, (language, address): (&str, &str)) -> String {
        let link = |way: &Way, class: &str, style: &str| {
            let (href, label) = (escape(&absolute_address(&way.link, address)), escape(&way.label));
            format!("<a href=\"{href}\" class=\"{class}\" style=\"{style}\">{label}</a>")
        };
        let brand = match self.name.as_str() {
            "" => String::new(),
            name => format!("<p style=\"{HEAD}\"><span style=\"{PLATE}\">{}</span></p>", escape(name)),
        };
        let row = |(label, value): &(String, String)| {
            let label = format!("<th scope=\"row\" class=\"soft\" style=\"{LABEL}\">{}</th>", escape(label));
            format!("<tr>{label}<td class=\"ink\" style=\"{VALUE}\">{}</td></tr>", escape(value))
        };
        let facts: String = letter.facts.iter().map(row).collect();
        let facts = if facts.is_empty() { facts } else { format!("<table style=\"{FACTS}\">{facts}</table>") };
        let action = letter.action.as_ref().map(|way| format!("<p style=\"{TEXT}\">{}</p>", link(way, "way", BUTTON)));
        let small = |line: &String| format!("<p class=\"soft\" style=\"{SMALL}\">{}</p>", escape(line));
        let foot: String = self.lines.iter().map(small).collect();
        let out =
            self.way_out(letter).map(|way| format!("<p style=\"{SMALL}\">{}</p>", link(way, "soft", "color:#51605F")));
        let (subject, text, after) =
            (escape(&letter.subject), paragraphs(&letter.text, address), paragraphs(&letter.after, address));
        let (action, out) = (action.unwrap_or_default(), out.unwrap_or_default());
        format!(
            "<!doctype html><html lang=\"{language}\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"color-scheme\" content=\"light dark\">\
             <title>{subject}</title><style>{NIGHT}</style></head><body class=\"ground\" style=\"{GROUND}\">\
             <div style=\"{COLUMN}\">{brand}<div class=\"card\" style=\"{CARD}\">{text}{facts}{action}{after}</div>\
             {foot}{out}</div></body></html>"
        )
    }
}

const NIGHT: &str = "@media (prefers-color-scheme:dark){.ground{background:#0F1C1F!important}\
    .card{background:#17282C!important}.ink{color:#EEF3F1!important}.soft{color:#A9BAB8!important}\
    .way{background:#6CCBD2!important;color:#06282C!important}}";
const GROUND: &str = "margin:0;padding:16px;background:#FBF6EC;font-family:system-ui,'Segoe UI',Roboto,'Noto Sans',\
    'Noto Sans Devanagari',sans-serif";
const COLUMN: &str = "max-width:34em;margin:0 auto";
/// The name on a plate, over the road.
const HEAD: &str = "margin:0 0 16px;padding:0 0 12px;border-bottom:3px dashed #F4B93A";
const PLATE: &str = "display:inline-block;padding:4px 14px;border:2px solid #16272B;border-radius:4px;\
    background:#FFFFFF;color:#16272B;font-size:20px;font-weight:700;letter-spacing:1px";
const CARD: &str = "padding:20px 24px 8px;border-radius:12px;background:#FFFFFF";
const TEXT: &str = "margin:0 0 16px;color:#16272B;font-size:16px;line-height:1.5";
const LIST: &str = "margin:0 0 16px;padding:0 0 0 20px;color:#16272B;font-size:16px;line-height:1.5";
const CELL: &str = "padding:6px 12px 6px 0;text-align:left;vertical-align:top;font-size:16px;color:#16272B";
const FACTS: &str = "width:100%;margin:0 0 16px;border-collapse:collapse";
const LABEL: &str = "padding:6px 12px 6px 0;text-align:left;vertical-align:top;font-weight:400;font-size:16px;\
    color:#51605F";
const VALUE: &str = "padding:6px 0;text-align:right;vertical-align:top;font-weight:700;font-size:16px;color:#16272B";
const BUTTON: &str = "display:inline-block;padding:12px 24px;border-radius:6px;background:#0A5560;color:#FFFFFF;\
    font-weight:700;text-decoration:none";
const SMALL: &str = "margin:12px 0 0;color:#51605F;font-size:14px;line-height:1.5";

/// Markdown on paper; without marks an empty line parts paragraphs.
fn paragraphs(text: &str, address: &str) -> String {
    if let Ok(Some(all)) = prose::parse(text) {
        return all.iter().map(|one| marked(one, address)).collect();
    }
    let all = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    all.map(|part| format!("<p class=\"ink\" style=\"{TEXT}\">{}</p>", lines(part))).collect()
}

/// A part of Markdown as programs that read mail draw it: they know styles of elements alone.
fn marked(part: &Prose, address: &str) -> String {
    let Prose::Element { name, href, of } = part else {
        return if let Prose::Words(words) = part { lines(words) } else { String::new() };
    };
    let inner: String = of.iter().map(|one| marked(one, address)).collect();
    let attributes = match *name {
        "p" | "h3" => format!(" class=\"ink\" style=\"{TEXT}\""),
        "ul" | "ol" => format!(" class=\"ink\" style=\"{LIST}\""),
        "table" => format!(" class=\"ink\" style=\"{FACTS}\""),
        "th" | "td" => format!(" class=\"ink\" style=\"{CELL}\""),
        "a" => {
            let href = absolute_address(href.as_deref().unwrap_or_default(), address);
            format!(" href=\"{}\" class=\"ink\"", escape(&href))
        }
        _ => String::new(),
    };
    format!("<{name}{attributes}>{inner}</{name}>")
}

fn lines(text: &str) -> String {
    escape(text).replace('\n', "<br>")
}

/// The whole address of a page of ours.
fn absolute_address(link: &str, address: &str) -> String {
    if link.starts_with('/') { format!("{address}{link}") } else { link.to_owned() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{Letter, Letterhead, Way};

    #[test]
    fn a_letter_is_the_same_in_words_and_on_paper() {
        let way = |label: &str, link: &str| Some(Way { label: label.into(), link: link.into() });
        let house = Letterhead {
            name: "Parcels".into(),
            lines: vec!["Parcels Limited, licence 7".into()],
            unsubscribe: way("No more offers", "/your-data"),
            ..Letterhead::default()
        };
        let letter = Letter {
            subject: "Hello".into(),
            text: "Dear <Asha>,\n\nIt is here.\nToday.".into(),
            facts: vec![("Number".into(), "7 & 8".into())],
            action: way("Look", "https://parcels.example/r/x"),
            ..Letter::default()
        };
        let address = "https://parcels.example";
        assert_eq!(
            house.plain(&letter, address),
            "Dear <Asha>,\n\nIt is here.\nToday.\n\nNumber: 7 & 8\n\nLook: https://parcels.example/r/x\n\n\
             -- \nParcels\nParcels Limited, licence 7"
        );
        let html = house.html(&letter, ("hi", address));
        for part in ["lang=\"hi\"", "Dear &lt;Asha&gt;,</p>", "It is here.<br>Today.", "7 &amp; 8", "licence 7"] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains("href=\"https://parcels.example/r/x\"") && !html.contains("No more offers"), "{html}");

        let marked = Letter {
            text: format!("**Today**, {}:\n\n- [look](/here)\n- or call", crate::prose::quote("*Asha* [x](//y)")),
            ..Letter::default()
        };
        let plain = house.plain(&marked, address);
        assert!(plain.starts_with("Today, *Asha* [x](//y):\n\n• look\n• or call"), "{plain}");
        let html = house.html(&marked, ("en", address));
        for part in
            ["<strong>Today</strong>, *Asha* [x](//y):</p>", "href=\"https://parcels.example/here\"", ">or call</li>"]
        {
            assert!(html.contains(part), "{part}: {html}");
        }

        let offer = Letter { is_offer: true, ..letter };
        assert!(house.plain(&offer, address).ends_with("No more offers: https://parcels.example/your-data"));
        assert!(house.html(&offer, ("en", address)).contains("href=\"https://parcels.example/your-data\""));
        assert_eq!(house.short("7 is your code."), "Parcels: 7 is your code.");
    }
}
