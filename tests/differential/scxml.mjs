// SCXML with the ECMAScript data model → a machine of the dialect, or `Skip` with the reason.
// Ids become keys; every state keeps its id, so that every target is `#id`.
import { expression, literal } from './ecmascript.mjs'
import { Skip } from './skip.mjs'

const STATES = ['state', 'parallel', 'final', 'history']
const SCXML_PROCESSOR = ['scxml', 'http://www.w3.org/TR/scxml', 'http://www.w3.org/TR/scxml/', 'http://www.w3.org/TR/scxml/#SCXMLEventProcessor']

/** `{ machine, id(key) }` */
export function translate(root) {
  return new Translation(root).result()
}

class Translation {
  constructor(root) {
    this.root = root
    this.entry = []
    this.states = new Map()
    this.declared = new Set()
    this.number(root)
  }

  /** States by id; those without one get one that nothing else names. */
  number(element) {
    for (const child of element.children.filter((c) => STATES.includes(c.name))) {
      child.id = child.attributes.id ?? `unnamed ${this.states.size}`
      child.key = child.id.replace(/\W/g, '_')
      child.parent = element
      this.states.set(child.id, child)
      this.number(child)
    }
  }

  result() {
    const { datamodel, binding } = this.root.attributes
    if (!['ecmascript', undefined, 'null'].includes(datamodel)) throw new Skip(`data model ${datamodel}`)
    if (binding === 'late') throw new Skip('late binding of data')
    const context = {}
    this.data(this.root, context)
    const machine = { id: '_root_', context, ...this.body(this.root) }
    for (const child of this.root.children) if (child.name === 'script') this.entry.push(...this.script(child, false))
    if (this.entry.length) machine.entry = this.entry
    return { machine, id: (key) => [...this.states.values()].find((s) => s.key === key)?.id ?? key }
  }

  data(element, context) {
    for (const child of element.children) {
      if (STATES.includes(child.name)) this.data(child, context)
      for (const { attributes, text } of child.name === 'datamodel' ? child.children : []) {
        this.declared.add(attributes.id)
        if (attributes.src) throw new Skip('data from a file')
        const source = (attributes.expr ?? text).trim()
        if (source === '') continue
        const value = literal(source)
        if (value !== undefined) context[attributes.id] = value
        else this.entry.push({ assign: { [attributes.id]: this.value(source) } })
      }
    }
  }

  value(source, done = false) {
    return expression(source, { done, state: (id) => this.states.get(id)?.key, declared: this.declared })
  }

  /** What a state and the document have in common. */
  body(element) {
    const out = {}
    const children = element.children.filter((c) => STATES.includes(c.name))
    const real = children.filter((c) => c.name !== 'history')
    if (real.length) out.states = Object.fromEntries(children.map((c) => [c.key, this.state(c)]))
    if (real.length && element.name !== 'parallel') this.initial(element, real[0], out)
    const actions = (name) => element.children.filter((c) => c.name === name).flatMap((c) => this.actions(c))
    for (const [tag, key] of [['onentry', 'entry'], ['onexit', 'exit']]) {
      const list = actions(tag)
      if (list.length) out[key] = list
    }
    this.transitions(element, out)
    for (const { name } of element.children) {
      if (name === 'invoke') throw new Skip('invoke')
    }
    return out
  }

  /** `initial` of the dialect names a child. Anything deeper, or several: a first child that leads there. */
  initial(element, first, out) {
    const inner = element.children.find((c) => c.name === 'initial')?.children.find((c) => c.name === 'transition')
    const ids = (inner?.attributes.target ?? element.attributes.initial ?? first.id).trim().split(/\s+/)
    const actions = inner ? this.actions(inner) : []
    const [only] = ids.map((id) => this.known(id))
    if (ids.length === 1 && only.parent === element) {
      out.initial = actions.length ? { target: only.key, actions } : only.key
      return
    }
    const key = `${element.key ?? ''}__start`
    out.states = { [key]: { always: { target: this.targets(ids), actions } }, ...out.states }
    out.initial = key
  }

  known(id) {
    const state = this.states.get(id)
    if (!state) throw new Skip('a target that does not exist')
    return state
  }

  targets(ids) {
    return ids.map((id) => `#${this.known(id).key}`)
  }

  state(element) {
    const { name, key, attributes } = element
    if (name === 'history') {
      const [transition] = element.children
      if (transition?.children.length) throw new Skip('actions of a history default')
      const targets = transition?.attributes.target?.trim().split(/\s+/)
      return { id: key, type: 'history', history: attributes.type ?? 'shallow', ...(targets && { target: this.targets(targets) }) }
    }
    const out = { id: key, ...this.body(element) }
    if (name === 'parallel') out.type = out.states ? 'parallel' : 'atomic'
    if (name === 'final') {
      out.type = 'final'
      const donedata = element.children.find((c) => c.name === 'donedata')
      if (donedata) out.output = this.payload(donedata, {})
    }
    return out
  }

  transitions(element, out) {
    const list = element.children.filter((c) => c.name === 'transition')
    const eventless = list.filter((t) => t.attributes.event === undefined)
    if (eventless.length) out.always = eventless.map((t) => this.transition(t, element))
    const entries = list.filter((t) => t.attributes.event !== undefined).flatMap((t) => descriptors(t).map((d) => [d, t]))
    if (!entries.length) return
    out.on = {}
    if (ordered(entries.map(([d]) => d))) {
      for (const [d, t] of entries) (out.on[d] ??= []).push(this.transition(t, element, d))
      return
    }
    // Descriptors that overlap stand in document order only behind one wildcard.
    out.on['*'] = entries.map(([d, t]) => {
      const transition = this.transition(t, element, d)
      const own = d === '*' ? [] : [`event.type == '${d.slice(0, -2)}' || event.type.startsWith('${d.slice(0, -1)}')`]
      const guards = [...own, ...(transition.guard ? [transition.guard] : [])]
      return guards.length ? { ...transition, guard: { and: guards } } : transition
    })
  }

  transition(element, source, descriptor = '') {
    const { target, cond, type } = element.attributes
    const out = {}
    const done = descriptor.startsWith('xstate.done')
    if (cond !== undefined) out.guard = this.condition(cond, done)
    const actions = this.actions(element, done)
    if (actions.length) out.actions = actions
    if (target === undefined) return out
    const ids = target.trim().split(/\s+/)
    if (descriptor.startsWith('error') && ids[0] !== 'fail') throw new Skip('an error that the machine outlives')
    out.target = this.targets(ids)
    const inside = (id) => {
      for (let s = this.states.get(id).parent; s; s = s.parent) if (s === source) return true
      return false
    }
    if (!(type === 'internal' && source.name === 'state' && ids.every(inside))) out.reenter = true
    return out
  }

  condition(source, done) {
    const cel = this.value(source, done)
    if (!/^(true|false)$|[=<>!]|inState|has\(/.test(cel)) throw new Skip('a condition that is no boolean')
    return cel
  }

  actions(element, done = false) {
    return element.children.flatMap((child) => this.action(child, done))
  }

  action(element, done) {
    const { name, attributes } = element
    switch (name) {
      case 'log':
        return ['log']
      case 'raise':
        return [{ raise: { type: event(attributes.event) } }]
      case 'send':
        return [this.send(element, done)]
      case 'cancel':
        if (!attributes.sendid) throw new Skip('an id known only at run time')
        return [{ cancel: attributes.sendid }]
      case 'assign':
        return [{ assign: this.assignment(element, done) }]
      case 'script':
        return this.script(element, done)
      case 'if':
        return this.conditional(element, done)
      default:
        throw new Skip(name)
    }
  }

  assignment({ attributes, text }, done) {
    const location = attributes.location.trim()
    if (!/^[A-Za-z]\w*$/.test(location)) throw new Skip('assignment to a part of a value, or to a system variable')
    return { [location]: this.value(attributes.expr ?? text, done) }
  }

  /** `if` around assignments becomes a choice of values. */
  conditional(element, done) {
    const assign = this.branches(element, {}, done)
    return Object.keys(assign).length ? [{ assign }] : []
  }

  /** The values after an `if`, by name, when `before` holds those before it. */
  branches(element, before, done) {
    const found = [{ cond: replaced(this.condition(element.attributes.cond, done), before), after: { ...before } }]
    for (const child of element.children) {
      const after = found.at(-1).after
      if (child.name === 'elseif') found.push({ cond: replaced(this.condition(child.attributes.cond, done), before), after: { ...before } })
      else if (child.name === 'else') found.push({ cond: 'true', after: { ...before } })
      else if (child.name === 'if') Object.assign(after, this.branches(child, after, done))
      else if (child.name === 'assign') for (const [key, cel] of Object.entries(this.assignment(child, done))) after[key] = replaced(cel, after)
      else if (child.name !== 'log') throw new Skip(`${child.name} inside if`)
    }
    const keys = new Set(found.flatMap((b) => Object.keys(b.after)))
    const value = (key, from) => from[key] ?? `context.${key}`
    return Object.fromEntries([...keys].map((key) => [key, found.reduceRight((rest, b) => `((${b.cond}) ? (${value(key, b.after)}) : (${rest}))`, value(key, before))]))
  }

  /** A script of nothing but assignments. */
  script({ attributes, text }, done) {
    if (attributes.src) throw new Skip('script')
    return text.split(';').filter((line) => line.trim()).map((line) => {
      const [, location, operator, source] = /^\s*([A-Za-z]\w*)\s*([-+*]?)=(?!=)\s*([^]+)$/.exec(line) ?? []
      if (!location || !this.declared.has(location)) throw new Skip('script')
      return { assign: { [location]: this.value(operator ? `${location} ${operator} (${source})` : source, done) } }
    })
  }

  send(element, done) {
    const { attributes } = element
    const { target, type, id } = attributes
    for (const key of ['targetexpr', 'typeexpr', 'idlocation']) if (attributes[key]) throw new Skip(`send with ${key}`)
    if (type && !SCXML_PROCESSOR.includes(type)) throw new Skip('send to another processor')
    if (target && target !== '#_internal') throw new Skip('send to another session')
    const named = (key) => {
      if (attributes[`${key}expr`] === undefined) return attributes[key]
      const value = literal(attributes[`${key}expr`])
      if (typeof value !== 'string') throw new Skip(`${key} known only at run time`)
      return value
    }
    const raise = { type: event(named('event')) }
    const data = this.payload(element, attributes, done)
    if (data !== undefined) raise.params = { data }
    if (target !== '#_internal') raise.delay = milliseconds(named('delay') ?? '0ms')
    if (id) raise.id = id
    return { raise }
  }

  /** `namelist`, `param` and `content` as one expression. */
  payload(element, { namelist }, done) {
    const content = element.children.find((c) => c.name === 'content')
    if (content) {
      if (content.children.length) throw new Skip('XML as data')
      if (content.attributes.expr) return this.value(content.attributes.expr, done)
      // JSON, or text with its white space made one.
      return JSON.stringify(literal(content.text) ?? content.text.trim().replace(/\s+/g, ' '))
    }
    const fields = (namelist?.trim().split(/\s+/) ?? []).map((name) => [name, this.value(name)])
    for (const { name, attributes } of element.children) {
      if (name === 'param') fields.push([attributes.name, this.value(attributes.expr ?? attributes.location, done)])
    }
    return fields.length ? `{${fields.map(([k, v]) => `'${k}': ${v}`).join(', ')}}` : undefined
  }
}

/** `cel` with the values that assignments before it gave. */
function replaced(cel, values) {
  return cel.replace(/\bcontext\.(\w+)/g, (whole, key) => (values[key] === undefined ? whole : `(${values[key]})`))
}

function event(name) {
  if (!name) throw new Skip('an event without a name')
  return name.replace(/^done\b/, 'xstate.done')
}

/** SCXML's `a` and `a.*` are the dialect's `a.*`. */
function descriptors(transition) {
  return transition.attributes.event.trim().split(/\s+/).map((d) => {
    if (d === '*') return d
    if (/^done\.invoke/.test(d)) throw new Skip('invoke')
    return `${event(d.replace(/\.\*?$/, ''))}.*`
  })
}

/** Whether the dialect's order, the longest first, is the document's for those that overlap. */
function ordered(list) {
  const covers = (a, b) => a === '*' || b.startsWith(a.slice(0, -1))
  return list.every((a, i) => list.slice(i + 1).every((b) => a === b || !covers(a, b)))
}

function milliseconds(text) {
  const [, number, unit] = /^([\d.]+)(ms|s)$/.exec(text) ?? []
  if (!unit) throw new Skip('a delay that is none')
  return Math.round(Number(number) * (unit === 's' ? 1000 : 1))
}
