//! What visitors of a partner are offered: menus, footers and pages without what is not for them (R3-09, R6-06).

use super::{Frame, Group, MenuItem, Site};
use crate::channels::Partner;
use std::borrow::Cow;

impl Site {
    /// The items of a frame's menu, for who came by this partner.
    pub fn menu(&self, frame: &Frame, partner: Option<&Partner>) -> Cow<'_, [MenuItem]> {
        let all = self.open_menus.get(&frame.menu).map_or(&[][..], Vec::as_slice);
        partner.map_or(Cow::Borrowed(all), |partner| Cow::Owned(self.items(partner, all)))
    }

    /// The groups of a frame's footer on pages of this product, for who came by this partner.
    pub fn footer(&self, frame: &Frame, product: Option<&str>, partner: Option<&Partner>) -> Vec<Cow<'_, Group>> {
        let all = self.open_footers.get(&frame.footer).map_or(&[][..], Vec::as_slice);
        let here = all.iter().filter(|group| group.is_for(product));
        let Some(partner) = partner else { return here.map(Cow::Borrowed).collect() };
        let own = here.map(|group| Group { links: self.items(partner, &group.links), ..group.clone() });
        own.filter(|group| !group.links.is_empty()).map(Cow::Owned).collect()
    }

    /// Address of a link for who came by this partner; `None`: it is not for them.
    pub fn offered_link(&self, partner: &Partner, link: &str) -> Option<String> {
        let end = link.find(['?', '#']).unwrap_or(link.len());
        let (path, rest) = link.split_at(end);
        if !path.starts_with('/') {
            return Some(link.to_owned());
        }
        if !partner.offers(self.product(path).map(|product| product.id.as_str())) {
            return None;
        }
        let own = partner.links.as_ref().map(|part| format!("{}/{part}", path.trim_end_matches('/')));
        let own = own.filter(|own| self.steps.contains(own) || self.addresses.contains_key(own));
        Some(format!("{}{rest}", own.as_deref().unwrap_or(path)))
    }

    /// The page that a partner's visitor finds in place of what is not offered.
    pub fn start_of(&self, partner: &Partner) -> String {
        let product = partner.lob.first().and_then(|id| self.layout.products.iter().find(|one| one.id == *id));
        let first = product.and_then(|product| product.under.first());
        first.and_then(|path| self.offered_link(partner, path)).unwrap_or_else(|| "/".into())
    }

    /// What its visitors find at the home page's address; `None`: the home page.
    pub fn home_of(&self, partner: &Partner) -> Option<String> {
        partner.home.as_ref().map(|home| self.offered_link(partner, home).unwrap_or_else(|| home.clone()))
    }

    fn items(&self, partner: &Partner, all: &[MenuItem]) -> Vec<MenuItem> {
        let own = |item: &MenuItem| {
            let link = if item.domain.is_empty() { self.offered_link(partner, &item.link)? } else { item.link.clone() };
            let sub_menus = self.items(partner, &item.sub_menus);
            let is_empty = link == "#" && sub_menus.is_empty() && !item.sub_menus.is_empty();
            (!is_empty).then(|| MenuItem { link, sub_menus, ..item.clone() })
        };
        all.iter().filter_map(own).collect()
    }
}
