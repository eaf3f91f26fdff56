// A dialect machine on XState: strings of CEL become JavaScript functions, everything else is
// XState's own.
import { and, assign, cancel, createActor, createMachine, fromCallback, not, or, raise, stateIn } from 'xstate'

const MS = { '': 1, ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 }
const never = fromCallback(() => {})
const own = Object.prototype.hasOwnProperty

/** Thrown when a macrostep seems to have no end; such a case is not compared. */
export class Endless extends Error {}

/** The lines of a case, as `simulate` prints them. */
export function run({ machine, script }) {
  const fuel = { left: 0, all: FUEL_OF_CASE, out: false }
  const clock = new Clock()
  const logic = createMachine(node(machine, fuel), { actors: { svc: never } })
  fuel.left = FUEL
  const actor = createActor(logic, { clock, logger: () => {} })
  actor.subscribe({ error: () => {} })
  actor.start()
  if (fuel.out) throw new Endless()
  const lines = [line(actor)]
  for (const step of script) {
    fuel.left = FUEL
    if (step.event) actor.send(structuredClone(step.event))
    else clock.advance(step.advance_ms, () => (fuel.left = FUEL))
    if (fuel.out) throw new Endless()
    lines.push(line(actor))
  }
  actor.stop()
  return lines
}

// Candidates and actions of one step, and of a case.
const FUEL = 200
const FUEL_OF_CASE = 1500

function line(actor) {
  const { value, context, status, output } = actor.getSnapshot()
  const out = { value, context, status }
  if (status === 'done' && output !== undefined) out.output = output
  return JSON.parse(JSON.stringify(out))
}

function node(source, fuel) {
  const out = {}
  for (const [key, value] of Object.entries(source)) {
    if (key === 'states') out.states = map(value, (s) => node(s, fuel))
    else if (key === 'on') out.on = map(value, (t) => transitions(t, fuel))
    else if (key === 'always' || key === 'onDone') out[key] = transitions(value, fuel)
    else if (key === 'entry' || key === 'exit') out[key] = actions(value, fuel)
    else if (key === 'after') out.after = Object.fromEntries(Object.entries(value).map(([d, t]) => [ms(d), transitions(t, fuel)]))
    else if (key === 'invoke') out.invoke = list(value).map((i) => invoke(i, fuel))
    else if (key === 'initial' && value.target) out.initial = { target: value.target, actions: actions(value.actions ?? [], fuel) }
    else if (key === 'output') out.output = output(value)
    else out[key] = structuredClone(value)
  }
  return out
}

function invoke({ src, id, onDone, onError }, fuel) {
  const out = { src }
  if (id) out.id = id
  if (onDone) out.onDone = transitions(onDone, fuel)
  if (onError) out.onError = transitions(onError, fuel)
  return out
}

function transitions(value, fuel) {
  return list(value).map((t) => {
    const out = typeof t === 'string' ? { target: t } : { ...t }
    // Every candidate costs fuel, so that no loop escapes.
    const burning = () => burn(fuel)
    out.guard = t.guard === undefined ? burning : and([burning, guard(t.guard)])
    if (t.actions !== undefined) out.actions = actions(t.actions, fuel)
    return out
  })
}

function guard(value) {
  if (value.and) return and(value.and.map(guard))
  if (value.or) return or(value.or.map(guard))
  if (value.not) return not(guard(value.not))
  const inState = /^(!?)inState\('([^']*)'\)$/.exec(value)
  if (inState) return inState[1] ? not(stateIn(inState[2])) : stateIn(inState[2])
  const f = expression(value)
  return (args) => {
    const result = f(args)
    if (typeof result !== 'boolean') throw new Error(`guard is not boolean: ${value}`)
    return result
  }
}

function actions(value, fuel) {
  return list(value).map((a) => {
    if (a.assign) {
      const values = map(a.assign, valueOf)
      return assign((args) => (burn(fuel), map(values, (f) => f(args))))
    }
    if (a.raise) {
      const { type, params = {}, delay, id } = a.raise
      const values = map(params, valueOf)
      const options = delay === undefined ? undefined : { delay: ms(String(delay)), id }
      return raise((args) => (burn(fuel), { ...map(values, (f) => f(args)), type }), options)
    }
    if (a.cancel) return cancel(a.cancel)
    return () => {}
  })
}

function output(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return valueOf(value)
  const values = map(value, valueOf)
  return (args) => map(values, (f) => f(args))
}

function valueOf(value) {
  return typeof value === 'string' ? expression(value) : () => structuredClone(value)
}

const compiled = new Map()

/** The part of CEL that the generator writes. A field that does not exist throws. */
function expression(text) {
  if (!compiled.has(text)) {
    const js = text
      .replace(/'[^']*'|"[^"]*"|has\((\w+)\.(\w+)\)|==|!=|\bin\b|\.exists\((\w+), ([^)]*)\)/g, (whole, base, field, name, body) => {
        if (base) return `$has(${base}, '${field}')`
        if (name) return `.some(${name} => ${body.replace('==', '===')})`
        return { '==': '===', '!=': '!==', in: '<=' }[whole] ?? whole
      })
      .replace(/(\S+) <= (\[[^\]]*\])/, '$2.includes($1)')
    const f = new Function('context', 'event', '$has', `return (${js})`)
    const has = (proxy, field) => proxy[TARGET][field] !== undefined
    compiled.set(text, ({ context, event }) => f(strict(context), strict(event), has))
  }
  return compiled.get(text)
}

const TARGET = Symbol('target')

function strict(target) {
  return new Proxy(target, {
    get(t, key) {
      if (key === TARGET) return t
      if (!own.call(t, key) || t[key] === undefined) throw new Error(`no ${String(key)}`)
      return t[key]
    },
  })
}

function burn(fuel) {
  if (fuel.left-- <= 0 || fuel.all-- <= 0) {
    fuel.out = true
    throw new Endless()
  }
  return true
}

/** Virtual time: the smallest due time first, of equals the one started first. */
class Clock {
  now = 0
  timers = new Map()
  next = 1

  setTimeout = (run, delay) => {
    this.timers.set(this.next, { due: this.now + delay, run })
    return this.next++
  }

  clearTimeout = (id) => this.timers.delete(id)

  advance(delay, before) {
    const end = this.now + delay
    for (let fired = 0; fired < 400; fired++) {
      let first
      for (const [id, t] of this.timers) if (t.due <= end && (!first || t.due < first[1].due)) first = [id, t]
      if (!first) {
        this.now = end
        return
      }
      this.timers.delete(first[0])
      this.now = first[1].due
      before()
      first[1].run()
    }
    throw new Endless()
  }
}

function ms(text) {
  const [, number, unit] = /^(\d+)(\w*)$/.exec(text)
  return Number(number) * MS[unit]
}

const list = (value) => (Array.isArray(value) ? value : [value])
const map = (object, f) => Object.fromEntries(Object.entries(object).map(([k, v]) => [k, f(v)]))
