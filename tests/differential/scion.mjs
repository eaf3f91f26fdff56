// The public SCION and W3C cases (npm: @scion-scxml/test-framework) as machines of the dialect:
// `node scion.mjs [--show 3] [--skipped]`. The active leaf states must be the expected ones after every step.
// Cases that need what the dialect does not have are counted with the reason, and named with
// `--skipped`; the last line is `N passed, 0 failed`.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { simulate } from './simulate.mjs'
import { Skip } from './skip.mjs'
import { translate } from './scxml.mjs'
import { parse } from './xml.mjs'

/** Cases that differ by the dialect's own word: name → reason. So far every expressible case agrees. */
const BY_RULE = {}

const folder = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/@scion-scxml/test-framework/test')
const args = process.argv.slice(2)
const show = args.includes('--show') ? Number(args[args.indexOf('--show') + 1]) : 3

const { cases, skipped } = read()
const answers = await simulate(cases)
const [passed, failed, ruled, stale] = [[], [], new Map(), []]
for (const [i, one] of cases.entries()) {
  const wrong = difference(one, answers[i])
  const reason = BY_RULE[one.name]
  if (!wrong && reason) stale.push(one.name)
  else if (!wrong) passed.push(one)
  else if (reason) ruled.set(reason, (ruled.get(reason) ?? 0) + 1)
  else failed.push({ ...one, wrong })
}
report('not expressible', skipped)
report('differs by rule', ruled)
for (const { name, machine, script, wrong } of failed.slice(0, show)) console.log(`\n${name}: ${wrong}\n${JSON.stringify(machine)}\n${JSON.stringify(script)}`)
for (const { name, wrong } of failed) console.log(`failed: ${name}: ${wrong}`)
for (const name of stale) console.log(`passes although it is listed as different: ${name}`)
const total = (map) => [...map.values()].reduce((a, b) => a + b, 0)
console.log(`${cases.length + total(skipped)} public cases, ${cases.length} expressible, ${total(ruled)} differ by rule`)
console.log(`${passed.length} passed, ${failed.length + stale.length} failed`)
process.exitCode = failed.length + stale.length ? 1 : 0

function report(what, reasons) {
  for (const [reason, times] of [...reasons].sort(([, a], [, b]) => b - a)) console.log(`${what}, ${times}: ${reason}`)
}

/** Every `.scxml` that has its `.json` beside it. */
function read() {
  const [cases, skipped] = [[], new Map()]
  for (const path of readdirSync(folder, { recursive: true }).map((f) => join(folder, f)).sort()) {
    const expected = path.replace(/\.scxml$/, '.json')
    if (!path.endsWith('.scxml') || !existsSync(expected)) continue
    try {
      const { machine, id } = translate(parse(readFileSync(path, 'utf8')))
      cases.push({ name: relative(folder, path).replace(/\.scxml$/, ''), machine, id, ...steps(JSON.parse(readFileSync(expected, 'utf8'))) })
    } catch (error) {
      if (!(error instanceof Skip)) throw new Error(`${path}: ${error.stack}`)
      if (args.includes('--skipped')) console.log(`${relative(folder, path)}: ${error.message}`)
      skipped.set(error.message, (skipped.get(error.message) ?? 0) + 1)
    }
  }
  return { cases, skipped }
}

/** `after` is the time that passes before an event. Events sent without delay wait for it as well. */
function steps({ initialConfiguration, events }) {
  const script = []
  const expected = new Map([[0, initialConfiguration]])
  for (const { after, event, nextConfiguration } of events) {
    if (after) script.push({ advance_ms: after })
    script.push({ event: { type: event.name, ...(event.data !== undefined && { data: event.data }) } })
    expected.set(script.length, nextConfiguration)
  }
  return { script, expected }
}

/** The first step whose leaves are not the expected ones, in words. */
function difference({ expected, machine, id }, answer) {
  if (!answer?.lines) return `refused: ${answer?.invalid}`
  for (const [line, leaves] of expected) {
    const { value, status } = answer.lines[line]
    const found = [...active(machine, value)].map(id).sort().join(' ')
    const wanted = leaves.toSorted().join(' ')
    if (status === 'error' || found !== wanted) return `line ${line}: [${found}] ${status} instead of [${wanted}]`
  }
  return undefined
}

function* active(state, value) {
  if (typeof value === 'string') return yield value
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && !Object.keys(inner).length) yield key
    else yield* active(state.states[key], inner)
  }
}
