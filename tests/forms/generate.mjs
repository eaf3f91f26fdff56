// Random forms as authors may write them, and random answers to them, good and bad.
import { random } from '../differential/random.mjs'

const TEXTS = [
  ...['', ' ', 'a', 'b', 'ab', 'Asha', ' Asha  Rao ', 'abc123', '12', '007', '-4', '1.5', '1,234', '5.', '+919876543210', '09876543210'],
  ...['<script>x</script>', 'onload=x', 'a < b', 'Flat 3/4, St. Mary’s', 'नमस्ते', '😀', 'ß', 'É', '\u00a0x\u2003', '\ufeff', '\u0085y', 'A%B&C'],
  ...['2026-11-21', '2026-02-30', '2024-02-29', '2030-01-01', '2026-1-5', 'a@b.co', 'a@b', 'A@EXAMPLE.com', 'yes', 'no', 'on', 'true', 'false'],
  ...['dl3cab1234', 'MH-12-AB-1234', 'x'.repeat(30), 'href = x', 'javascript:', 'null', '0', '[]', 'ſ', 'K'],
  ...['José', 'Jose\u0301', 'Łukasz', 'ﬁona', '१२३', '१.५', '१९९०-०२-०३', '１２', 'Ａｓｈａ', '12½', '№ 5', 'ab१', 'आशा राव', '---', '\u200b', '00000', 'MH आ 12', '😀\ufe0f'],
]
const PATTERNS = ['^[a-z]+$', '^[A-Z]{1,2}-[0-9]{1,3}$', '^(a|b|c)$', '[0-9]', '^[^<>]*$', '^[6-9][0-9]{9}$', '^\\$?[0-9]+$', '^[-A-Za-z0-9 ]{2,8}$']
const STEPS = [
  ...['latin', 'latin', 'digits', 'digits', 'trim', 'upper', 'lower', 'collapse', 'sanitise', { keep: '[0-9]' }, { keep: '[A-Za-z ]' }, { strip: '[^A-Z0-9]' }, { strip: '[-/]' }],
  ...[{ space: "[^-A-Za-z0-9 /,.&']" }, { space: '[-_]' }, { unprefix: ['+91', '0'] }, { unprefix: ['a', 'ab'] }],
  { group: ['^([A-Z]{1,2})([0-9]{1,2})([A-Z]{1,3})([0-9]{1,4})$', '^([0-9]+)(?:/([0-9]+))?$'], join: '-' },
]
const REFUSALS = [
  [{ pattern: '^0+$', text: 'Not {label}' }, { pattern: '[IOQ]', length: 3, text: 'Not that' }],
  [{ pattern: '^[a-z]', text: 'In capitals' }],
]
const CHOICES = ['a', 'b', 'c', 'd', 'e', 'f']
const DAYS = ['today', '-1y', '+1m', '+30d', '-2w', '2020-01-01', '2026-11-25']

/** A form with several answers; the same seed gives the same. */
export function generate(seed, answers) {
  const r = random(seed)
  const maybe = (p, value) => (r.chance(p) ? value() : {})
  const names = (n, prefix) => Array.from({ length: n }, (_, i) => `${prefix}${i}`)

  const leaf = (depth) => {
    const kind = r.pick(['text', 'text', 'text', 'integer', 'number', 'boolean', 'choice', 'choice', 'boxes', 'date', 'email', 'list'])
    const title = maybe(0.8, () => ({ title: r.pick(['Name', 'What?', 'Plot number']) }))
    const min = r.int(0, 4)
    switch (kind) {
      case 'text':
        return {
          ...title, type: 'string', maxLength: r.int(4, 12), ...maybe(0.4, () => ({ minLength: r.int(0, 4) })),
          ...maybe(0.3, () => ({ pattern: r.pick(PATTERNS) })), ...maybe(0.5, () => ({ 'x-normalise': r.times(1, 3, () => r.pick(STEPS)) })),
          ...maybe(0.2, () => ({ 'x-refuse': r.pick(REFUSALS) })),
          ...maybe(0.1, () => ({ 'x-messages': { required: 'Give {label}', 'length.between': '{min} to {max}', pattern: 'Not so' } })),
        }
      case 'integer':
        return { ...title, type: 'integer', ...maybe(0.5, () => ({ minimum: min })), ...maybe(0.5, () => ({ maximum: min + r.int(0, 20) })), ...maybe(0.2, () => ({ multipleOf: r.int(1, 5) })), ...maybe(0.1, () => ({ 'x-ui': { widget: r.pick(['money', 'range']) } })) }
      case 'number':
        return { ...title, type: 'number', ...maybe(0.5, () => ({ minimum: min })), ...maybe(0.5, () => ({ maximum: min + 3 })), ...maybe(0.2, () => ({ multipleOf: r.int(1, 3) })) }
      case 'boolean':
        return { ...title, type: 'boolean', ...maybe(0.2, () => ({ const: true })) }
      case 'choice': {
        const list = CHOICES.slice(0, r.int(1, 6))
        return r.chance(0.5)
          ? { ...title, type: 'string', enum: list }
          : r.chance(0.5)
            ? { ...title, type: 'string', oneOf: list.map((value) => ({ const: value, title: value.toUpperCase() })) }
            : { ...title, type: 'integer', oneOf: list.map((value, i) => ({ const: i, title: value })) }
      }
      case 'boxes':
        return { ...title, type: 'array', maxItems: r.int(2, 4), ...maybe(0.5, () => ({ uniqueItems: true })), ...maybe(0.3, () => ({ minItems: r.int(1, 2) })), items: { type: 'string', enum: CHOICES.slice(0, r.int(1, 4)) } }
      case 'list':
        return { ...title, type: 'array', maxItems: 3, items: r.chance(0.5) ? { type: 'integer', minimum: 1 } : { type: 'string', maxLength: 5, pattern: r.pick(PATTERNS), 'x-normalise': ['trim', r.pick(['upper', 'lower'])] } }
      case 'date':
        return { ...title, type: 'string', format: 'date', maxLength: 10, ...maybe(0.7, () => ({ 'x-date': { ...maybe(0.6, () => ({ min: r.pick(DAYS) })), ...maybe(0.6, () => ({ max: r.pick(DAYS) })) } })) }
      default:
        return { ...title, type: 'string', format: 'email', maxLength: 30, ...maybe(0.5, () => ({ 'x-normalise': ['trim', 'lower'] })) }
    }
  }

  /** Values of a field's own kind: a condition that can never hold is a mistake. */
  const possible = (rule) =>
    rule.enum ?? rule.oneOf?.map((one) => one.const) ?? { boolean: [true, false], integer: [0, 1, 12], number: [0, 1.5, 12] }[rule.type] ?? ['a', '12', 'Asha']

  /** What another field may be, for conditions on it. */
  const wanted = (rule) => {
    if (rule.items?.properties) return r.chance(0.5) ? { contains: { [Object.keys(rule.items.properties)[0]]: r.pick([true, 'a', 1, 'x']) } } : { contains: { key: r.pick(['r1', 'self']) } }
    if (rule.type === 'array') return { contains: r.pick(possible(rule.items)) }
    const values = possible(rule)
    const shape = r.int(0, 3)
    if (shape === 0) return [r.pick(values), r.pick(values)]
    if (shape === 1) return { not: r.pick(values) }
    if (shape === 2) return { not: [r.pick(values), r.pick(values)] }
    return r.pick(values)
  }
  const condition = (rules, root) =>
    Object.fromEntries(
      r.times(1, 2, () => {
        const outside = root && Object.keys(root).length > 0 && r.chance(0.3)
        const from = outside ? root : rules
        const plain = Object.keys(from).filter((name) => !from[name].properties)
        if (plain.length === 0) return ['', null]
        const name = r.pick(plain)
        return [outside ? `/${name}` : name, wanted(from[name])]
      }).filter(([name]) => name),
    )
  const cel = () => ({ $cel: r.pick(['true', 'false', 'context.on', 'context.off']) })

  const level = (depth, root, hasItem) => {
    const properties = {}
    for (const name of names(r.int(1, 5), 'abcd'[depth])) {
      const kind = r.int(0, 9)
      if (kind === 8 && depth < 2) properties[name] = { type: 'object', ...maybe(0.5, () => ({ title: 'Object' })), ...level(depth + 1, root ?? properties, hasItem) }
      else if (kind === 9 && depth === 0)
        properties[name] = r.chance(0.5)
          ? { type: 'array', 'x-each': { $cel: 'context.people' }, 'x-title': { $cel: 'item.title' }, items: level(1, properties, true) }
          : { type: 'array', maxItems: r.int(1, 3), ...maybe(0.3, () => ({ minItems: 1 })), 'x-title': { text: 'Row {{number}}' }, items: level(1, properties, false) }
      else properties[name] = leaf(depth)
    }
    const all = Object.keys(properties)
    const groups = r.chance(0.3) ? { g: { ...maybe(0.7, () => ({ show: condition(properties, root) })) }, h: { in: 'g', ...maybe(0.5, () => ({ show: r.chance(0.2) ? cel() : condition(properties, root) })) } } : undefined
    for (const name of all) {
      const ui = {
        ...maybe(0.3, () => ({ show: r.chance(0.15) ? { ...cel(), ...maybe(0.5, () => condition(properties, root)) } : condition(properties, root) })),
        ...(groups ? maybe(0.5, () => ({ group: r.pick(['g', 'h']) })) : {}),
        ...(hasItem ? maybe(0.1, () => ({ show: { $cel: 'item.age >= 18' } })) : {}),
      }
      if (Object.keys(ui).length > 0) properties[name] = { ...properties[name], 'x-ui': { ...properties[name]['x-ui'], ...ui } }
      if (r.chance(0.15)) properties[name]['x-required'] = r.chance(0.3) ? cel() : condition(properties, root)
    }
    return { ...(groups && { groups }), required: all.filter(() => r.chance(0.5)), properties }
  }

  const junk = () => r.pick([null, true, false, 0, 1, -1, 1.5, 12, [], ['a'], {}, { a: 1 }, r.pick(TEXTS), r.pick(TEXTS), r.pick(TEXTS)])
  const value = (rule) => {
    if (r.chance(0.08)) return junk()
    if (rule.properties) return data(rule)
    if (rule.items?.properties) {
      const keys = r.pick([[], ['self'], ['self', 'spouse'], ['spouse', 'self', 'son'], ['r1'], ['r2', 'r2', 'r7'], [undefined, undefined], ['r01']])
      return keys.map((key) => (r.chance(0.05) ? junk() : { ...(key && { key }), ...data(rule.items) }))
    }
    if (rule.type === 'array') return r.times(0, 3, () => (r.chance(0.1) ? junk() : r.pick(rule.items.enum ?? ['a', 'B', 1, 5, '3'])))
    if (rule.const !== undefined && r.chance(0.7)) return rule.const
    if (rule.enum || rule.oneOf) return r.chance(0.9) ? r.pick(rule.enum ?? rule.oneOf.map((one) => one.const)) : r.pick(TEXTS)
    if (rule.type === 'boolean') return r.pick([true, false, 'yes', 'no', 'on'])
    if (rule.type === 'integer' || rule.type === 'number') return r.pick([r.int(-2, 25), r.int(0, 5), String(r.int(0, 30)), r.int(0, 40) / 4, r.pick(TEXTS)])
    return r.pick(TEXTS)
  }
  const data = (schema) => {
    const out = {}
    for (const [name, rule] of Object.entries(schema.properties)) if (r.chance(0.75)) out[name] = value(rule)
    if (r.chance(0.04)) out[r.pick(['zz', 'b9', 'x/y'])] = junk()
    return out
  }

  const form = { title: 'T', ...level(0) }
  const people = r.times(0, 3, (i) => ({ key: ['self', 'spouse', 'son', 'father'][i], title: `Person ${i}`, age: r.int(5, 60) }))
  return {
    what: `seed ${seed}`,
    form,
    today: r.pick(['2026-11-21', '2024-02-29', '2027-01-31']),
    context: { on: true, off: false, people },
    cases: r.times(answers, answers, () => ({ data: data(form) })),
  }
}
