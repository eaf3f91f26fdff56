// XState's transitions per second on one core for the machines of engine/statechart/benches: each
// with a guard and an assign; `send`, and restore + send + persist. `MS` sets the time per figure.
import { assign, createActor, setup } from 'xstate'

const machines = setup({
  guards: { ok: ({ context, event }) => event.v >= 0 && context.n >= 0 },
  actions: { count: assign({ n: ({ context }) => context.n + 1 }) },
})
const to = (target, counts) => ({ target, guard: 'ok', ...(counts && { actions: 'count' }) })

function flat(states) {
  const state = (_, i) => [`s${i}`, { on: { NEXT: to(`s${(i + 1) % states}`, true) } }]
  return machines.createMachine({ id: 'flat', initial: 's0', context: { n: 0 }, states: Object.fromEntries(Array.from({ length: states }, state)) })
}

function hierarchical() {
  const branch = (own, other) => ({
    initial: 'x',
    entry: 'count',
    states: {
      x: { initial: 'p', states: { p: { on: { NEXT: to('q', true) } }, q: { on: { NEXT: to(`#deep.${own}.y`) } } } },
      y: { on: { NEXT: to(`#deep.${other}`) } },
    },
  })
  return machines.createMachine({ id: 'deep', initial: 'a', context: { n: 0 }, on: { RESET: '.a' }, states: { a: branch('a', 'b'), b: branch('b', 'a') } })
}

function parallel() {
  const region = () => ({ initial: 'a', states: { a: { on: { NEXT: to('b', true) } }, b: { on: { NEXT: to('c') } }, c: { on: { NEXT: to('a', true) } } } })
  const states = Object.fromEntries(['form', 'checks', 'payment', 'papers'].map((key) => [key, region()]))
  return machines.createMachine({ id: 'par', type: 'parallel', context: { n: 0 }, states })
}

const time = Number(process.env.MS ?? 1000)

/** Calls per second of processor time. */
function rate(call) {
  for (let i = 0; i < 2000; i++) call()
  const begun = process.cpuUsage()
  const until = performance.now() + time
  let calls = 0
  while (performance.now() < until) {
    for (let i = 0; i < 200; i++) call()
    calls += 200
  }
  const used = process.cpuUsage(begun)
  return Math.round((calls * 1e6) / (used.user + used.system))
}

const event = { type: 'NEXT', v: 1 }
const rows = { flat: flat(6), hierarchical: hierarchical(), parallel4: parallel(), 'flat/100': flat(100), 'flat/500': flat(500) }
for (const [name, machine] of Object.entries(rows)) {
  const actor = createActor(machine).start()
  const send = rate(() => actor.send(event))
  let stored = JSON.stringify(createActor(machine).start().getPersistedSnapshot())
  const persist = rate(() => {
    const restored = createActor(machine, { snapshot: JSON.parse(stored) }).start()
    restored.send(event)
    stored = JSON.stringify(restored.getPersistedSnapshot())
    restored.stop()
  })
  console.log(`xstate ${name}: ${send} send/s, ${persist} restore+send+persist/s`)
}
