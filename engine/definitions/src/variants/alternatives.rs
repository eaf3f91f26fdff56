//! What a view or a step is for each audience: one thing for each set of variants that somebody may get, made when the
//! definitions are read, so that a page only picks.

use super::{Audience, Variant, Whom, refuse_lost_changes};
use crate::extends::apply;
use crate::fields::{unknown, unknown_keys};
use crate::source::{Key, Node, Value as Source};
use engine_statechart::Problem;

/// Most variants of a view or a step: each set of them is made beforehand.
const SETS_OF: usize = 6;

/// Patches on one part of a file, in the order in which they apply.
#[derive(Debug, Default)]
pub(crate) struct Patches(Vec<Variant>);

impl Patches {
    /// `items`: what the list `variants` has, whose `merge` may name these keys of the base, called `what`.
    pub fn read<'n>(
        items: impl IntoIterator<Item = &'n Node>,
        base: &Node,
        (what, keys): (&'static str, &[&str]),
        problems: &mut Vec<Problem>,
    ) -> Patches {
        let mut read = Vec::new();
        for item in items {
            if read.len() == SETS_OF {
                let message = format!("a {what} has at most {SETS_OF} variants");
                problems.push(Problem::error("size", &item.span, message));
                break;
            }
            let Some(variant) = Variant::read(item, &[], problems) else { continue };
            if item.get("merge").is_none() {
                problems.push(Problem::error("missing", &item.span, "a variant needs `merge`"));
            }
            unknown_keys(&variant.patch, &format!("`merge` of a {what}'s variant"), keys, problems);
            refuse_lost_changes(item, base, what, problems);
            read.push(variant);
        }
        Patches(Variant::in_order(read, problems))
    }

    /// One of each set of variants that somebody may get, beside the base without any.
    pub fn alternatives<T>(self, base: &Node, mut make: impl FnMut(&Node) -> Option<T>) -> Alternatives<T> {
        let whom: Vec<&Whom> = self.0.iter().map(|variant| &variant.whom).collect();
        let has = |set: u64, at: usize| set & (1 << at) != 0;
        let is_possible = |set: &u64| {
            let of: Vec<&Whom> = (0..whom.len()).filter(|at| has(*set, *at)).map(|at| whom[at]).collect();
            of.iter().enumerate().all(|(at, one)| of[..at].iter().all(|other| one.meets(other)))
        };
        let mut made = Vec::new();
        for set in (1..1u64 << whom.len()).filter(is_possible) {
            let mut tree = base.clone();
            (0..whom.len()).filter(|at| has(set, *at)).for_each(|at| apply(&mut tree, &self.0[at].patch));
            made.extend(make(&tree).map(|one| (set, one)));
        }
        Alternatives { variants: self.0, made }
    }
}

/// What stands in the place of a base for those whom variants are for.
#[derive(Debug)]
pub struct Alternatives<T> {
    variants: Vec<Variant>,
    /// By the set of variants that they have: a bit for each.
    made: Vec<(u64, T)>,
}

impl<T> Default for Alternatives<T> {
    fn default() -> Self {
        Alternatives { variants: Vec::new(), made: Vec::new() }
    }
}

impl<T> Alternatives<T> {
    /// What this audience gets instead; none: the base.
    pub fn find(&self, audience: &Audience) -> Option<&T> {
        let set = Variant::set_for(&self.variants, audience);
        self.made.iter().find(|(of, _)| *of == set).map(|(_, one)| one)
    }

    pub fn all(&self) -> impl Iterator<Item = &T> {
        self.made.iter().map(|(_, one)| one)
    }

    pub(crate) fn variants(&self) -> &[Variant] {
        &self.variants
    }
}

/// A view whose blocks are a map by their `id`, which patches name; one without has its position.
pub(crate) fn keyed_blocks(view: &Node) -> Node {
    let mut view = view.clone();
    let Some(blocks) = blocks_of(&mut view).filter(|blocks| blocks.is_list()) else { return view };
    let key = |at: usize, block: &Node| Key {
        name: block.get("id").and_then(Node::as_str).map_or_else(|| at.to_string(), str::to_owned),
        span: block.span.clone(),
    };
    let keyed = blocks.list().iter().enumerate().map(|(at, block)| (key(at, block), block.clone())).collect();
    blocks.value = Source::Map(keyed);
    view
}

/// The view with a list of blocks again. A block that a variant brings says after which one it stands, else it is the
/// last.
pub(crate) fn unkeyed_blocks(view: &Node, problems: &mut Vec<Problem>) -> Node {
    let mut view = view.clone();
    let Some(blocks) = blocks_of(&mut view).filter(|blocks| blocks.is_map()) else { return view };
    let mut order: Vec<(String, Node)> = Vec::new();
    for (key, block) in blocks.map() {
        let mut block = block.clone();
        let Some(after) = take(&mut block, AFTER) else {
            order.push((key.name.clone(), block));
            continue;
        };
        let name = after.as_str().unwrap_or_default();
        match order.iter().position(|(known, _)| known == name) {
            Some(at) => order.insert(at + 1, (key.name.clone(), block)),
            None => {
                problems.push(unknown("block", &after, name, order.iter().map(|(known, _)| known.as_str())));
            }
        }
    }
    blocks.value = Source::List(order.into_iter().map(|(_, block)| block).collect());
    view
}

/// Key of a block in a variant: the block after which it stands.
const AFTER: &str = "after";

fn blocks_of(view: &mut Node) -> Option<&mut Node> {
    view.map_mut()?.iter_mut().find(|(key, _)| key.name == "blocks").map(|(_, blocks)| blocks)
}

fn take(node: &mut Node, key: &str) -> Option<Node> {
    let map = node.map_mut()?;
    let at = map.iter().position(|(known, _)| known.name == key)?;
    Some(map.remove(at).1)
}
