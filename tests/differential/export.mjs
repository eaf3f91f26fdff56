// Does XState load what `xstate::export` writes? Random machines are exported, loaded, given stubs
// for guards and actions, and must start as the originals do. So must the product's workflows, when
// the program is there (`JOURNEY_CLI`, or where cargo puts it): `journey export --xstate <file>`.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { assign, createActor, createMachine, fromCallback } from 'xstate'
import { generate } from './generate.mjs'
import { Endless, run } from './oracle.mjs'
import { simulate } from './simulate.mjs'

const count = Number(process.argv[2] ?? 200)
const cases = []
for (let seed = 5_000_000; cases.length < count; seed++) {
  const one = { ...generate(seed), script: [] }
  // Loops and expressions are the other test's business; here it is shapes and targets.
  one.machine = JSON.parse(JSON.stringify(one.machine), bare)
  try {
    cases.push({ ...one, lines: run(one) })
  } catch (error) {
    if (!(error instanceof Endless)) throw error
  }
}
const exported = await simulate(cases, ['--export'])
let [passed, failed] = [0, 0]
for (const [i, one] of cases.entries()) compare(one.name, exported[i], one.lines[0].value)

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const program = process.env.JOURNEY_CLI ?? resolve(root, process.env.CARGO_TARGET_DIR ?? 'target', 'debug/journey')
const workflows = existsSync(program) ? files(join(root, 'workflows')) : []
for (const file of workflows) {
  const machine = JSON.parse(execFileSync(program, ['export', '--xstate', file], { cwd: root, maxBuffer: 1 << 26 }))
  compare(file, machine, initialOf(machine))
}
console.log(`export: ${cases.length} random machines, ${workflows.length} workflows`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
process.exit()

function compare(name, config, expected) {
  try {
    const value = start(config)
    if (isDeepStrictEqual(value, expected)) passed++
    else if (failed++ < 3) console.log(`${name}: ${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`)
  } catch (error) {
    if (failed++ < 3) console.log(`${name}: ${error.message}`)
  }
}

/** The state value that XState begins with. */
function start(config) {
  const machine = createMachine(config, {
    actors: { svc: fromCallback(() => {}) },
    guards: { cel: () => false },
    actions: { effect: () => {}, 'cel.raise': () => {}, 'cel.cancel': () => {}, 'cel.assign': assign({}) },
  })
  const actor = createActor(machine).start()
  const { value } = actor.getSnapshot()
  actor.stop()
  return JSON.parse(JSON.stringify(value))
}

/** The flow of each folder that is one; parts are not. */
function files(folder) {
  const paths = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('/flow.yaml'))
  if (!paths.length) throw new Error(`no flow.yaml under ${folder}`)
  return paths.map((path) => join(folder, path)).sort()
}

/** Where a machine begins when no guard holds: a state that is left at once without one is none. */
function initialOf({ type, initial, states = {} }) {
  if (type === 'parallel') return Object.fromEntries(Object.entries(states).map(([key, state]) => [key, initialOf(state)]))
  let key = initial?.target ?? initial
  if (key === undefined) return {}
  for (let free; (free = [states[key].always ?? []].flat().find(({ guard }) => !guard)); ) key = free.target
  const inner = initialOf(states[key])
  return Object.keys(inner).length ? { [key]: inner } : key
}

function bare(key, value) {
  if (['always', 'onDone', '*', 'xstate.done.*'].includes(key)) return undefined
  if (key === 'initial' && value.target) return { ...value, actions: 'effect' }
  return key === 'entry' || key === 'exit' ? 'effect' : value
}
