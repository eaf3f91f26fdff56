// As much XML as the test files need: elements, attributes, text, CDATA, the five entities.
// Namespace prefixes are dropped; comments, declarations and processing instructions too.

const TOKEN = /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<[?!][^>]*>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g
const ENTITIES = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** `{ name, attributes, children, text }` of the document's element. */
export function parse(source) {
  const root = element('', {})
  const open = [root]
  for (const [, cdata, closed, name, attributes, empty, text] of source.replace(/^\uFEFF/, '').matchAll(TOKEN)) {
    const top = open.at(-1)
    if (closed) {
      if (bare(closed) !== top.name) throw new Error(`</${closed}> closes <${top.name}>`)
      open.pop()
    } else if (name) {
      const child = element(bare(name), Object.fromEntries(pairs(attributes)))
      top.children.push(child)
      if (!empty) open.push(child)
    } else {
      top.text += cdata ?? (text ? decoded(text) : '')
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('not one closed element')
  return root.children[0]
}

function element(name, attributes) {
  return { name, attributes, children: [], text: '' }
}

function* pairs(text) {
  for (const [, name, double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) yield [name, decoded(double ?? single)]
}

const bare = (name) => name.replace(/^.*:/, '')
const decoded = (text) => text.replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
