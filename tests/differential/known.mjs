// Differences from XState 5.33.3 that the dialect prescribes or leaves open, each with its reason.
// A failing case is excused only when both sides agree once the feature in question is taken out.
import { Endless, run } from './oracle.mjs'

const differences = [
  {
    // XState forgets to mark a region as entered by default when a target in a sibling region, or a
    // history node, brought it in. The dialect, section 4: `initial.actions` run exactly when
    // `initial` chose the child, as in SCXML.
    reason: 'initial.actions of a region or of a restored state that was entered by default',
    without: (machine) => JSON.parse(JSON.stringify(machine), (key, value) => (key === 'initial' && value.target ? value.target : value)),
  },
  {
    // The dialect, section 6: from inside a state to its own history node while nothing is recorded,
    // XState enters a state twice or loses a region.
    reason: 'a state entered twice through its own history node without a recording',
    without: withoutOwnHistory,
  },
]

/** The reason why this case may differ, or nothing. */
export async function known(one, simulate, answer) {
  if (failsAtOnce(one.lines) && failsAtOnce(answer?.lines ?? []) && JSON.stringify(one.machine).includes('"history"')) {
    // XState shows the history node that `initial` names as if it were active.
    return 'the value of a machine whose start failed, when `initial` names a history node'
  }
  // Each feature by itself, then all of them.
  const all = { reason: differences.map((d) => d.reason).join(', and '), without: (machine) => differences.reduce((m, d) => d.without(m), machine) }
  for (const { reason, without } of [...differences, all]) {
    const machine = without(one.machine)
    if (JSON.stringify(machine) === JSON.stringify(one.machine)) continue
    const reduced = { ...one, machine }
    try {
      const lines = run(reduced)
      const [answer] = await simulate([reduced])
      if (JSON.stringify(answer.lines) === JSON.stringify(lines)) return reason
    } catch (error) {
      if (!(error instanceof Endless)) throw error
      return `${reason} (endless without it)`
    }
  }
  return undefined
}

function failsAtOnce([first]) {
  return first?.status === 'error'
}

/** Transitions to a history node from inside its parent become targetless. State keys are unique. */
function withoutOwnHistory(machine) {
  const copy = structuredClone(machine)
  const parents = new Map()
  visit(copy, [])
  return copy

  function visit(state, around) {
    for (const [key, child] of Object.entries(state.states ?? {})) if (child.type === 'history') parents.set(key, state)
    const inside = [...around, state]
    const clean = (t) => {
      for (const one of Array.isArray(t) ? t : [t]) {
        if (one?.target && [one.target].flat().some((target) => inside.includes(parents.get(keyOf(target))))) delete one.target
      }
    }
    for (const t of Object.values({ ...state.on, ...state.after })) clean(t)
    for (const t of [state.always, state.onDone, state.invoke?.onDone, state.invoke?.onError]) clean(t)
    for (const child of Object.values(state.states ?? {})) visit(child, inside)
  }
}

function keyOf(target) {
  return target.split(/[.#]/).at(-1).replace(/^i/, '')
}
