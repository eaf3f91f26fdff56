//! Menus of the header and groups of the footer.

use crate::fields::MapReader;
use crate::policy::Roles;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde::Serialize;

/// The keys of an item, as calls answer them.
pub const MENU_KEYS: [&str; 11] = [
    "link",
    "text",
    "title",
    "img_path",
    "subMenus",
    "desktop_only",
    "mobile_only",
    "domain",
    "selfTarget",
    "upper_text",
    "logoImage",
];
/// What an item says beside them: for whom alone it is there, which is nobody else's business.
pub(crate) const ROLES: &str = "roles";

/// One item; all keys are always there.
#[derive(Clone, Debug, Serialize)]
pub struct MenuItem {
    /// An address, `tel:…`, or `#`: only a heading.
    pub link: String,
    pub text: String,
    /// Text said by a pointer that rests on the item.
    pub title: String,
    /// A small drawing before the words.
    pub img_path: String,
    #[serde(rename = "subMenus")]
    pub sub_menus: Vec<MenuItem>,
    pub desktop_only: bool,
    pub mobile_only: bool,
    /// Host of `link`, when it is elsewhere: `https://news.example`.
    pub domain: String,
    /// Whether it opens in this window though it is elsewhere.
    #[serde(rename = "selfTarget")]
    pub self_target: bool,
    /// A few words above the text: `New`.
    pub upper_text: String,
    /// A logo instead of the words, which are its alternative.
    #[serde(rename = "logoImage")]
    pub logo_image: String,
    /// Roles that alone see the item; none named: everybody sees it.
    #[serde(skip)]
    pub(super) roles: Roles,
    #[serde(skip)]
    pub(super) span: Span,
}

impl MenuItem {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<MenuItem> {
        let keys = [&MENU_KEYS[..], &[ROLES]].concat();
        let mut fields = MapReader::open(node, "an item of a menu", &keys, problems)?;
        let mut text = |key: &str| fields.text(key).unwrap_or_default();
        let (title, img_path, domain) = (text("title"), text("img_path"), text("domain"));
        let (upper_text, logo_image, link) = (text("upper_text"), text("logoImage"), text("link"));
        let roles = Roles::read(node, fields.problems);
        let item = MenuItem {
            roles,
            text: fields.need_text("text"),
            link: if link.is_empty() { "#".into() } else { link },
            desktop_only: fields.bool("desktop_only"),
            mobile_only: fields.bool("mobile_only"),
            self_target: fields.bool("selfTarget"),
            sub_menus: fields.get("subMenus").map(|list| items(list, fields.problems)).unwrap_or_default(),
            span: node.span.clone(),
            title,
            img_path,
            domain,
            upper_text,
            logo_image,
        };
        if item.desktop_only && item.mobile_only {
            let message = "`desktop_only` and `mobile_only` together show it nowhere";
            problems.push(Problem::error("value", &node.span, message));
        }
        if !item.domain.is_empty() && !item.domain.starts_with("https://") {
            problems.push(Problem::error("value", &node.span, "`domain` begins with https://"));
        }
        Some(item)
    }

    /// Words that lead to an address; `#`: only words.
    pub fn leading(text: String, address: &str) -> MenuItem {
        let host = address.find("://").map(|at| at + 3);
        let at = host.map_or(0, |host| address[host..].find('/').map_or(address.len(), |path| host + path));
        let (domain, link) = address.split_at(at);
        MenuItem {
            link: if link.is_empty() { "/".into() } else { link.to_owned() },
            text,
            title: String::new(),
            img_path: String::new(),
            sub_menus: Vec::new(),
            desktop_only: false,
            mobile_only: false,
            domain: domain.to_owned(),
            self_target: false,
            upper_text: String::new(),
            logo_image: String::new(),
            roles: Roles::default(),
            span: Span { file: "".into(), line: 0, column: 0 },
        }
    }

    /// The address that it leads to.
    pub fn address(&self) -> String {
        format!("{}{}", self.domain, self.link)
    }

    /// The item as somebody with these roles sees it.
    fn seen_by(&self, roles: &[String]) -> Option<MenuItem> {
        let item = self.roles.include(roles.iter().map(String::as_str)).then(|| self.clone())?;
        Some(MenuItem { sub_menus: seen_by(&self.sub_menus, roles), ..item })
    }

    /// Collects the item and all below it.
    pub(super) fn all<'a>(&'a self, out: &mut Vec<&'a MenuItem>) {
        out.push(self);
        self.sub_menus.iter().for_each(|item| item.all(out));
    }
}

pub(super) fn items(node: &Node, problems: &mut Vec<Problem>) -> Vec<MenuItem> {
    if !node.is_list() {
        problems.push(Problem::error("shape", &node.span, format!("a menu is a list, not {}", node.kind())));
    }
    node.list().iter().filter_map(|item| MenuItem::read(item, problems)).collect()
}

/// The items that somebody with these roles sees.
pub(super) fn seen_by(items: &[MenuItem], roles: &[String]) -> Vec<MenuItem> {
    items.iter().filter_map(|item| item.seen_by(roles)).collect()
}

/// Links of the footer under a heading.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    pub title: String,
    pub links: Vec<MenuItem>,
    /// Products on whose pages alone the group is; none: on all.
    #[serde(skip)]
    pub(super) products: Vec<String>,
    #[serde(skip)]
    pub(super) span: Span,
}

impl Group {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Group> {
        let mut fields = MapReader::open(node, "a group of the footer", &["title", "links", "products"], problems)?;
        let (title, products) = (fields.need_text("title"), fields.texts("products"));
        let links = fields.need("links").map(|list| items(list, fields.problems)).unwrap_or_default();
        Some(Group { title, links, products, span: node.span.clone() })
    }

    /// Links without a heading.
    pub fn of(links: Vec<MenuItem>) -> Group {
        let span = Span { file: "".into(), line: 0, column: 0 };
        Group { title: String::new(), links, products: Vec::new(), span }
    }

    /// The group as somebody with these roles sees it.
    pub(super) fn seen_by(&self, roles: &[String]) -> Group {
        Group { links: seen_by(&self.links, roles), ..self.clone() }
    }

    pub(super) fn is_for(&self, product: Option<&str>) -> bool {
        self.products.is_empty() || product.is_some_and(|product| self.products.iter().any(|one| one == product))
    }
}
