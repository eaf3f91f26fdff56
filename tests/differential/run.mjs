// Random cases on XState and on engine-statechart: `node run.mjs [--seed 1] [--count 5100] [--show 3]`.
// The last line is `N passed, 0 failed`; the exit code is 1 when something failed.
import { isDeepStrictEqual } from 'node:util'
import { generate } from './generate.mjs'
import { known } from './known.mjs'
import { Endless, run } from './oracle.mjs'
import { simulate } from './simulate.mjs'

function options() {
  const found = { seed: 1, count: 5100, show: 3 }
  const args = process.argv.slice(2)
  for (let i = 0; i < args.length; i += 2) found[args[i].replace(/^--/, '')] = Number(args[i + 1])
  return found
}

/** Cases with XState's lines; those without an end are left out. */
function oracle({ seed, count }) {
  const cases = []
  let endless = 0
  for (let n = seed * 1_000_000; cases.length < count; n++) {
    const one = generate(n)
    try {
      cases.push({ ...one, lines: run(one) })
    } catch (error) {
      if (!(error instanceof Endless)) throw new Error(`${one.name}: ${error.stack}`)
      endless++
    }
  }
  return { cases, endless }
}

const wanted = options()
const { cases, endless } = oracle(wanted)
const answers = await simulate(cases)
let [passed, failed] = [0, 0]
const excused = new Map()
for (const [i, one] of cases.entries()) {
  if (isDeepStrictEqual(one.lines, answers[i]?.lines)) {
    passed++
    continue
  }
  const reason = await known(one, simulate, answers[i])
  if (reason) {
    excused.set(reason, (excused.get(reason) ?? 0) + 1)
    continue
  }
  if (failed++ < wanted.show) show(one, answers[i])
}
for (const [reason, times] of excused) console.log(`known difference, ${times} times: ${reason}`)
console.log(`${endless} endless cases left out`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

function show(one, answer) {
  console.log(`\n${one.name}\n${JSON.stringify(one.machine)}`)
  if (answer?.invalid) return console.log(`refused: ${answer.invalid}`)
  const at = one.lines.findIndex((line, i) => !isDeepStrictEqual(line, answer?.lines?.[i]))
  console.log(`script until then: ${JSON.stringify(one.script.slice(0, at))}`)
  console.log(`XState: ${JSON.stringify(one.lines[at])}\nours:   ${JSON.stringify(answer?.lines?.[at])}`)
}
