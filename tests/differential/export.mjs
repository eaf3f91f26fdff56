// Does XState load what `xstate::export` writes? Random machines are exported, loaded, given stubs
// for guards and actions, and must start as the originals do.
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
for (const [i, one] of cases.entries()) {
  const machine = createMachine(exported[i], {
    actors: { svc: fromCallback(() => {}) },
    guards: { cel: () => false },
    actions: { effect: () => {}, 'cel.raise': () => {}, 'cel.cancel': () => {}, 'cel.assign': assign({}) },
  })
  const actor = createActor(machine).start()
  const [line] = one.lines
  if (isDeepStrictEqual(JSON.parse(JSON.stringify(actor.getSnapshot().value)), line.value)) passed++
  else if (failed++ < 3) console.log(`${one.name}: ${JSON.stringify(actor.getSnapshot().value)} instead of ${JSON.stringify(line.value)}`)
  actor.stop()
}
console.log(`export: ${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0
process.exit()

function bare(key, value) {
  if (['always', 'onDone', '*', 'xstate.done.*'].includes(key)) return undefined
  if (key === 'initial' && value.target) return { ...value, actions: 'effect' }
  return key === 'entry' || key === 'exit' ? 'effect' : value
}
