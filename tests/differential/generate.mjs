// Random machines and scripts in the dialect. What the dialect leaves unspecified is not generated;
// see README.md.
import { random } from './random.mjs'

const EVENTS = ['A', 'B', 'C', 'x', 'x.p', 'x.q', 'x.q.r', 'R', 'S']
const DESCRIPTORS = [...EVENTS, ...EVENTS, 'A', 'B', 'C', '*', 'x.*', 'x.q.*', 'xstate.done.*']
const DURATIONS = ['5', '10', '20ms', '25ms', '100', '1s', '2m']
const ADVANCES = [0, 5, 5, 10, 20, 100, 100, 1000, 5000, 200000]

/** `{name, machine, script}` for a seed. */
export function generate(seed) {
  const r = random(seed)
  const g = new Generator(r)
  return { name: `seed/${seed}`, machine: g.machine(), script: g.script() }
}

const below = (outer, inner) => outer.path.every((k, i) => inner.path[i] === k)

class Generator {
  constructor(r) {
    this.r = r
    this.nodes = []
    this.invokes = []
    this.raises = 0
    this.budget = r.int(2, r.chance(0.2) ? 26 : 14)
    this.logs = r.chance(0.5)
    this.transitionsLogged = 0
    this.mistakes = r.chance(0.1)
  }

  machine() {
    const { r } = this
    const root = this.tree(null, 'm', 0, r.chance(0.25) ? 'parallel' : 'compound')
    const context = { a: r.int(0, 2), b: r.int(0, 2) }
    if (this.logs) context.log = ''
    const machine = { id: 'm', context, ...this.body(root) }
    if (r.chance(0.3)) machine.output = r.pick(['context.a', '{"a": context.a, "from": has(event.output) ? event.output : 0}'])
    return machine
  }

  // The shape first, so that transitions can name any node.
  tree(parent, key, depth, kind) {
    const { r } = this
    const node = { key, parent, kind, children: [], depth, id: parent ? undefined : 'm' }
    this.nodes.push(node)
    node.path = parent ? [...parent.path, key] : []
    node.fullId = parent ? ['m', ...node.path].join('.') : 'm'
    if (parent && r.chance(0.25)) node.id = node.fullId = `i${key}`
    if (kind === 'history') node.defaults = r.chance(0.4)
    if (kind !== 'compound' && kind !== 'parallel') return node
    const wanted = r.int(kind === 'parallel' ? 2 : 1, kind === 'parallel' ? 3 : 4)
    for (let i = 0; i < wanted; i++) {
      this.budget--
      node.children.push(this.tree(node, `s${this.nodes.length}`, depth + 1, this.childKind(node, i, depth + 1)))
    }
    const real = node.children.filter((c) => c.kind !== 'history')
    node.initial = kind === 'compound' ? r.pick(real) : undefined
    if (kind === 'compound' && depth > 0 && r.chance(0.25)) {
      const history = this.tree(node, `s${this.nodes.length}`, depth + 1, 'history')
      node.children.push(history)
      if (r.chance(0.15)) {
        history.defaults = true
        node.initial = history
      }
    }
    if (kind === 'parallel' && r.chance(0.15)) node.children.push(this.tree(node, `s${this.nodes.length}`, depth + 1, 'history'))
    return node
  }

  childKind(parent, index, depth) {
    const { r } = this
    if (depth < 4 && this.budget > 2 && r.chance(parent.kind === 'parallel' ? 0.65 : 0.4)) return r.chance(0.28) ? 'parallel' : 'compound'
    if (index > 0 && r.chance(0.2)) return 'final'
    return 'atomic'
  }

  body(node) {
    const { r } = this
    const out = {}
    if (node.parent && node.id) out.id = node.id
    if (node.kind === 'history') return this.history(node, out)
    if (node.kind === 'parallel' || node.kind === 'final') out.type = node.kind
    if (node.kind === 'compound') {
      out.initial = node.initial.key
      if (r.chance(0.15)) out.initial = { target: node.initial.key, actions: this.actions(node, `i${node.key}`) }
    }
    if (this.logs) {
      out.entry = this.wrap([this.log(`+${node.key}`), ...(r.chance(0.07) ? this.actions(node) : [])])
      out.exit = this.wrap([this.log(`-${node.key}`), ...(r.chance(0.07) ? this.actions(node) : [])])
    } else {
      if (r.chance(0.1)) out.entry = this.wrap(this.actions(node))
      if (r.chance(0.1)) out.exit = this.wrap(this.actions(node))
    }
    if (node.kind === 'final') {
      if (node.parent.kind === 'compound' && r.chance(0.5)) out.output = r.pick(['context.a', '{"sum": context.a + context.b}', { n: 'context.b', k: 7 }, 3])
    } else {
      this.reactions(node, out)
    }
    if (node.children.length) out.states = Object.fromEntries(node.children.map((c) => [c.key, this.body(c)]))
    return out
  }

  history(node, out) {
    const { r } = this
    out.type = 'history'
    if (r.chance(0.6)) out.history = r.pick(['shallow', 'deep'])
    const siblings = node.parent.children.filter((c) => c.kind !== 'history')
    if (node.defaults) {
      let target = r.pick(siblings)
      // A default in one region of a parallel parent is a target like any other.
      while (target.children.length && r.chance(0.4)) target = r.pick(target.children.filter((c) => c.kind !== 'history'))
      out.target = r.chance(0.5) ? `#${target.fullId}` : target.path.slice(node.parent.path.length).join('.')
    }
    return out
  }

  reactions(node, out) {
    const { r } = this
    const on = {}
    for (const event of new Set(r.times(0, node.children.length ? 2 : 3, () => r.pick(DESCRIPTORS)))) {
      // A raised event that raises again would seldom come to rest.
      this.quiet = !['A', 'B', 'C', 'x', 'x.p'].includes(event) && r.chance(0.9)
      on[event] = this.transitions(node)
    }
    this.quiet = r.chance(0.9)
    if (Object.keys(on).length) out.on = on
    if (r.chance(0.1)) out.always = this.transitions(node, true)
    if (r.chance(0.15)) {
      const after = {}
      const seen = new Set()
      for (const d of r.times(1, 2, () => r.pick(DURATIONS))) if (!seen.has(parseInt(d, 10) + d.replace(/\d|ms/g, ''))) {
        seen.add(parseInt(d, 10) + d.replace(/\d|ms/g, ''))
        after[d] = this.transitions(node)
      }
      out.after = after
    }
    if (node.children.length && r.chance(0.4)) out.onDone = this.transitions(node)
    this.quiet = false
    if (node.parent && r.chance(0.08)) {
      const id = `inv${this.invokes.length}`
      this.invokes.push(id)
      const invoke = { src: 'svc', id }
      if (r.chance(0.2)) {
        delete invoke.id
        this.invokes[this.invokes.length - 1] = `0.${node.fullId}`
      }
      if (r.chance(0.8)) invoke.onDone = this.transitions(node)
      if (r.chance(0.5)) invoke.onError = this.transitions(node)
      out.invoke = invoke
    }
  }

  transitions(node, guarded = false) {
    const { r } = this
    if (!guarded && r.chance(0.06)) return {}
    if (!guarded && r.chance(0.12)) {
      const target = this.target(node)
      if (typeof target === 'string') return target
    }
    const list = r.times(1, r.chance(0.4) ? 3 : 1, (i) => this.transition(node, guarded || (i === 0 && r.chance(0.5))))
    return list.length === 1 && r.chance(0.5) ? list[0] : list
  }

  transition(node, guarded) {
    const { r } = this
    const t = {}
    if (r.chance(0.85)) t.target = this.target(node)
    if (guarded || r.chance(0.3)) t.guard = this.guard(0)
    if (r.chance(0.45) || !t.target) t.actions = this.wrap(this.actions(node))
    if (this.logs && r.chance(0.8)) t.actions = this.wrap([this.log(`t${this.transitionsLogged++}`), ...[t.actions ?? []].flat()])
    if (t.target && r.chance(0.2)) t.reenter = true
    return t
  }

  target(node) {
    const { r } = this
    if (r.chance(0.08)) {
      const parallels = this.nodes.filter((n) => n.kind === 'parallel')
      if (parallels.length) return this.several(r.pick(parallels))
    }
    // Left open by the dialect: from inside a parallel state to its own history without a default.
    const open = (n) => n.kind === 'history' && !n.defaults && n.parent.kind === 'parallel' && below(n.parent, node)
    const near = r.chance(0.5) && node.parent ? node.parent.children : this.nodes
    const target = r.pick(near.filter((n) => (n.parent || (r.chance(0.3) && !node.parent)) && !open(n))) ?? node
    return this.address(node, target)
  }

  several(parallel) {
    const { r } = this
    const regions = parallel.children.filter((c) => c.kind !== 'history')
    const deepen = (n) => {
      const inner = n.children.filter((c) => c.kind !== 'history')
      return inner.length && r.chance(0.6) ? deepen(r.pick(inner)) : n
    }
    const chosen = regions.filter(() => r.chance(0.75))
    return (chosen.length > 1 ? chosen : regions).map((c) => `#${deepen(c).fullId}`)
  }

  /** One of the ways to write a target. */
  address(owner, target) {
    const { r } = this
    const forms = [`#${target.fullId}`]
    if (target !== owner && below(owner, target)) forms.push(`.${target.path.slice(owner.path.length).join('.')}`)
    if (owner.parent && target !== owner.parent && below(owner.parent, target)) {
      const text = target.path.slice(owner.parent.path.length).join('.')
      forms.push(text, text)
    }
    if (target.parent?.parent && r.chance(0.2)) forms.push(`#${target.parent.fullId}.${target.key}`)
    return r.pick(forms)
  }

  guard(depth) {
    const { r } = this
    if (depth < 2 && r.chance(0.2)) {
      const kind = r.pick(['and', 'or', 'not'])
      return kind === 'not' ? { not: this.guard(depth + 1) } : { [kind]: r.times(r.chance(0.1) ? 0 : 1, 3, () => this.guard(depth + 1)) }
    }
    if (this.mistakes && r.chance(0.08)) return r.pick(['event.v > 1', 'context.missing == 1', 'context.a'])
    const k = r.int(0, 4)
    const some = r.pick(this.nodes)
    const where = some.parent && r.chance(0.5) ? some.path.join('.') : `#${some.fullId}`
    return r.pick([
      `context.a > ${k}`,
      `context.a % 2 == ${k % 2}`,
      `context.b % 2 == ${k % 2}`,
      `context.a + context.b < ${k + 4}`,
      'context.a != context.b',
      `context.a == ${k} || context.b == ${r.int(0, 3)}`,
      `has(event.v) && event.v > ${k}`,
      `event.type == '${r.pick(EVENTS)}'`,
      `event.type in ['A', '${r.pick(EVENTS)}']`,
      `[context.a, context.b].exists(n, n == ${k})`,
      some.kind === 'history' ? 'context.b >= 0' : `inState('${where}')`,
      some.kind === 'history' ? 'context.b < 0' : `!inState('${where}')`,
    ])
  }

  actions(node, label) {
    const { r } = this
    const list = r.times(1, 2, () => this.action())
    if (label && this.logs) list.unshift(this.log(label))
    return list.flat()
  }

  action() {
    const { r } = this
    if (this.quiet || r.chance(0.65)) {
      if (this.mistakes && r.chance(0.1)) return { assign: { a: 'context.a + 1', b: 'event.v + 1' } }
      return {
        assign: r.pick([
          { a: 'context.a + 1' },
          { b: 'context.b + 1' },
          { a: 0 },
          { a: '(context.a * 2 + 1) % 7' },
          { b: '(context.a + context.b) % 5' },
          { a: 'context.b', b: 'context.a' },
          { b: 'has(event.v) ? event.v : 0' },
        ]),
      }
    }
    if (r.chance(0.1)) return r.pick(['effect', { type: 'effect', n: 1 }])
    const raise = { type: r.pick(['R', 'S', 'x.q']) }
    if (r.chance(0.4)) raise.params = { v: r.pick(['context.a', 2, 'context.b + 1']) }
    if (!r.chance(0.4)) return { raise }
    raise.delay = r.pick([0, 5, '20ms', '1s', 100])
    if (!r.chance(0.5)) return { raise }
    // The id of a pending raise must not be reused, so it is cancelled first.
    raise.id = `d${this.raises++}`
    const cancel = { cancel: `d${r.int(0, this.raises)}` }
    return r.chance(0.3) ? [{ cancel: raise.id }, { raise }, cancel] : [{ cancel: raise.id }, { raise }]
  }

  log(label) {
    return { assign: { log: `context.log + '${label} '` } }
  }

  wrap(actions) {
    return actions.length === 1 && this.r.chance(0.5) ? actions[0] : actions
  }

  script() {
    const { r } = this
    return r.times(4, 12, () => {
      if (r.chance(0.2)) return { advance_ms: r.pick(ADVANCES) }
      if (this.invokes.length && r.chance(0.15)) {
        const id = r.pick(this.invokes)
        return { event: r.chance(0.7) ? { type: `xstate.done.actor.${id}`, output: { n: r.int(0, 3) } } : { type: `xstate.error.actor.${id}`, error: 'no' } }
      }
      const event = { type: r.pick(EVENTS) }
      if (r.chance(0.4)) event.v = r.int(0, 4)
      return { event }
    })
  }
}
