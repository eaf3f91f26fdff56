/**
 * Translators, extensions and reader modes put elements of theirs in the place of texts. The app would go on changing the text
 * that it made, which nobody sees any more: so that text comes back to its place when it says something else.
 */
export function keepTrue(root: Node): () => void {
  /** what stands in the place of a text */
  const stands = new WeakMap<Node, ChildNode>();
  const texts = new WeakMap<Node, Text[]>();

  const comeBack = (text: Text) => {
    const stand = stands.get(text);
    if (!stand?.parentNode || text.isConnected) return;
    stand.replaceWith(...(texts.get(stand) ?? [text]));
  };
  const changes = new MutationObserver((records) => {
    for (const { target } of records) comeBack(target as Text);
  });
  const replace = (text: Text, stand: ChildNode, parent: Node) => {
    stands.set(text, stand);
    texts.set(stand, [...(texts.get(stand) ?? []), text]);
    changes.observe(text, { characterData: true });
    yields(parent, stands);
  };
  const page = new MutationObserver((records) => {
    const fresh = new Set(records.flatMap(({ addedNodes }) => [...addedNodes]));
    for (const { target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
      const beside = [...addedNodes, previousSibling, nextSibling];
      const stand = beside.find((one) => one && fresh.has(one) && one.parentNode === target) as ChildNode | undefined;
      if (!stand) continue;
      for (const gone of removedNodes) {
        if (gone === stand || gone.parentNode === target) continue;
        if (gone instanceof Text) replace(gone, stand, target);
        else for (const text of texts.get(gone) ?? []) replace(text, stand, target);
      }
    }
  });
  page.observe(root, { childList: true, subtree: true, characterData: false });
  return () => {
    page.disconnect();
    changes.disconnect();
  };
}

const changed = new WeakSet<Node>();

/** In this element what stands for a text is taken away, and put something before, where the text is meant. */
function yields(parent: Node, stands: WeakMap<Node, ChildNode>): void {
  if (changed.has(parent)) return;
  changed.add(parent);
  const placeOf = (node: Node): Node => {
    let at: Node | null = node;
    while (at && at.parentNode !== parent) at = at.parentNode;
    const stand = stands.get(node);
    return at ?? (stand?.parentNode === parent ? stand : node);
  };
  const { removeChild, insertBefore } = parent;
  parent.removeChild = <One extends Node>(child: One): One => {
    removeChild.call(parent, placeOf(child));
    return child;
  };
  parent.insertBefore = <One extends Node>(node: One, before: Node | null): One => {
    insertBefore.call(parent, node, before && placeOf(before));
    return node;
  };
}
