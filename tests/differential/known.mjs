// Differences from XState 5.33.3 that the dialect itself prescribes, each with its reason.
import { run } from './oracle.mjs'

const differences = [
  {
    // XState forgets to mark a region as entered by default when a target in a sibling region, or a
    // history node, brought it in. The dialect (section 4): `initial.actions` run exactly when
    // `initial` chose the child, as in SCXML.
    reason: 'initial.actions of a region or a restored state that was entered by default',
    without: (key, value) => (key === 'initial' && value.target ? value.target : value),
  },
]

/** The reason why this case may differ: without the feature in question both sides agree. */
export async function known(one, simulate) {
  for (const { reason, without } of differences) {
    const machine = JSON.parse(JSON.stringify(one.machine), without)
    if (JSON.stringify(machine) === JSON.stringify(one.machine)) continue
    const reduced = { ...one, machine }
    try {
      const [answer] = await simulate([reduced])
      if (JSON.stringify(answer.lines) === JSON.stringify(run(reduced))) return reason
    } catch {
      return undefined
    }
  }
  return undefined
}
