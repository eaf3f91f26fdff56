//! Addresses that definitions write. A page, a menu, a redirect or a message leads to our own pages, to a telephone or a
//! mailbox, or by https to a host that the site names in `leads_to`; pictures are our own.

use crate::layout::{FileKind, kind_of};
use crate::policy::FLOOR;
use crate::prose;
use crate::source::{Node, Nodes, Value};
use engine_statechart::Problem;
use std::collections::BTreeSet;

/// Key of the site: hosts of others that pages and messages may lead to.
pub(crate) const LEADS_TO: &str = "leads_to";
/// Keys of pages, views and forms, and of the site, that lead somewhere.
const LEADS: [&str; 1] = ["href"];
const LEADS_OF_SITE: [&str; 5] = ["href", "link", "domain", "to", "home"];
/// Keys of what is shown.
const PICTURES: [&str; 7] = ["img_path", "logoImage", "logo", "image", "picture", "icon", "poster"];
/// The hosts of others that may be led to.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    hosts: BTreeSet<String>,
}

/// Why an address is refused, and what to do.
type Why = (String, &'static str);

impl Outside {
    pub fn read(nodes: &Nodes) -> Outside {
        let files = nodes.iter().filter(|(path, _)| kind_of(path) == Some(FileKind::Site));
        let hosts = files.filter_map(|(_, node)| node.get(LEADS_TO)).flat_map(Node::items).filter_map(Node::as_str);
        Outside { hosts: hosts.map(str::to_ascii_lowercase).collect() }
    }

    /// Every address that stands in a file.
    pub fn check(&self, nodes: &Nodes, problems: &mut Vec<Problem>) {
        for (path, node) in nodes {
            match kind_of(path) {
                Some(FileKind::Site) => self.walk(node, &LEADS_OF_SITE, problems),
                Some(FileKind::Page | FileKind::View(_) | FileKind::Form(_)) => self.walk(node, &LEADS, problems),
                Some(FileKind::Flow(_) | FileKind::Part(_)) => self.redirects(node, problems),
                Some(FileKind::Row(_) | FileKind::Table(_)) => self.words(node, problems),
                _ => {}
            }
        }
    }

    fn walk(&self, node: &Node, leads: &[&str], problems: &mut Vec<Problem>) {
        let passes = node.get("passes").is_some();
        for (key, value) in node.map() {
            let found = match value.as_str() {
                // With the session it goes to a host that the settings name.
                Some(_) if passes && key.name == "to" => None,
                Some(text) if leads.contains(&key.name.as_str()) => self.refusal(text),
                Some(text) if key.name == "text" => self.refusal_in(text),
                Some(text) if PICTURES.contains(&key.name.as_str()) => foreign_picture(text),
                _ => None,
            };
            if let Some((message, hint)) = found {
                problems.push(Problem::error(FLOOR, &value.span, message).hint(hint));
            }
            self.walk(value, leads, problems);
        }
        node.list().iter().for_each(|item| self.walk(item, leads, problems));
    }

    /// Links in Markdown of a table.
    fn words(&self, node: &Node, problems: &mut Vec<Problem>) {
        if let Some((message, hint)) = node.as_str().and_then(|text| self.refusal_in(text)) {
            problems.push(Problem::error(FLOOR, &node.span, message).hint(hint));
        }
        node.list().iter().chain(node.map().iter().map(|(_, cell)| cell)).for_each(|part| self.words(part, problems));
    }

    /// Why a link in Markdown leads where definitions may not.
    fn refusal_in(&self, text: &str) -> Option<Why> {
        prose::links(text).iter().find_map(|address| self.refusal(address))
    }

    /// `redirect: {url: "'…'"}` of a step, where it is a literal.
    fn redirects(&self, node: &Node, problems: &mut Vec<Problem>) {
        for (key, value) in node.map() {
            let url = value.get("url").filter(|_| key.name == "redirect");
            let literal = url.and_then(|url| Some((url, url.as_str()?.trim().strip_prefix(['\'', '"'])?)));
            if let Some((url, text)) = literal
                && let Some((message, hint)) = self.refusal(text.trim_end_matches(['\'', '"']))
            {
                problems.push(Problem::error(FLOOR, &url.span, message).hint(hint));
            }
            self.redirects(value, problems);
        }
        node.list().iter().for_each(|item| self.redirects(item, problems));
    }

    /// Why this address leads where definitions may not.
    fn refusal(&self, address: &str) -> Option<Why> {
        // Browsers leave out what is not seen.
        let plain: String = address.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
        let plain = plain.replace('\\', "/");
        if plain.starts_with("//") {
            return Some((format!("`{address}` leads to another host"), "https://… of a host in `leads_to`"));
        }
        let scheme =
            plain.split(['/', '?', '#']).next().and_then(|first| first.split_once(':')).map(|(scheme, _)| scheme);
        match scheme.map(str::to_ascii_lowercase).as_deref() {
            None | Some("tel" | "mailto") => None,
            Some("https") => {
                let host = plain[6..].trim_start_matches('/').split(['/', '?', '#']).next().unwrap_or_default();
                let is_known = self.hosts.contains(&host.to_ascii_lowercase());
                let message = format!("`{host}` is no host that our pages and messages lead to");
                (!is_known).then_some((message, "`leads_to` of the site names those of others"))
            }
            Some(scheme) => {
                Some((format!("`{scheme}:` is no way to lead anybody"), "https, tel, mailto or a page of ours"))
            }
        }
    }

    /// What the words of a message must not have.
    pub fn refused_in(&self, text: &str) -> Option<Why> {
        text.split_whitespace().find_map(|word| self.refused_word(word))
    }

    /// An address in plain words.
    fn refused_word(&self, word: &str) -> Option<Why> {
        let at = word.to_ascii_lowercase().find("http")?;
        let address = word.get(at..)?.trim_end_matches(['.', ',', ')', '!', '?']);
        if !address.contains("://") {
            return None;
        }
        self.refused_link(address)
    }

    /// A link is a place alone, which the product fills, or an address without one.
    pub fn refused_link(&self, address: &str) -> Option<Why> {
        let is_place =
            address.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).is_some_and(|name| !name.contains('{'));
        if is_place {
            return None;
        }
        if address.contains("{{") {
            let message = "a place within an address tells its host what stands there".to_owned();
            return Some((message, "the whole address is one place: {{link}}"));
        }
        self.refusal(address)
    }
}

fn foreign_picture(text: &str) -> Option<Why> {
    let plain = text.trim().to_ascii_lowercase();
    let is_foreign = plain.starts_with("//") || plain.contains("://") || plain.starts_with("data:");
    is_foreign
        .then(|| (format!("`{text}` is a picture of others: whoever shows it tells them"), "a file of `web/public`"))
}

/// `leads_to` has names of hosts.
pub(crate) fn are_hosts(node: &Node, problems: &mut Vec<Problem>) {
    for item in node.items() {
        let is_host = |host: &str| {
            host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || ['.', '-', ':'].contains(&c))
        };
        if !matches!(&item.value, Value::String(host) if is_host(host)) {
            let problem = Problem::error("value", &item.span, "`leads_to` has the names of hosts");
            problems.push(problem.hint("leads_to: [law.example]"));
        }
    }
}
