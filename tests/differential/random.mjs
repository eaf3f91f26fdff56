// Seeded random numbers: the same seed gives the same cases on every machine.

/** A generator of numbers in [0, 1) (mulberry32), with the helpers that the machine generator needs. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (from, to) => from + Math.floor(next() * (to - from + 1))
  return {
    int,
    chance: (p) => next() < p,
    pick: (list) => list[Math.floor(next() * list.length)],
    times: (from, to, f) => Array.from({ length: int(from, to) }, (_, i) => f(i)),
  }
}
