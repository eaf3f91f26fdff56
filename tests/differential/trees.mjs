// Does `yaml` of npm, by the core schema of YAML 1.2, read every definition as the product does? Editors, formatters and
// scripts of authors use it. `TREES`: the program that prints the product's trees (examples/trees.rs).
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from 'yaml'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const lines = execFileSync(process.env.TREES, [root], { maxBuffer: 1 << 28 }).toString().trim().split('\n')
let [passed, failed] = [0, 0]
for (const { path, tree } of lines.map((line) => JSON.parse(line))) {
  const document = parseDocument(readFileSync(join(root, path), 'utf8'), { merge: true, maxAliasCount: -1 })
  const read = document.errors[0]?.message ?? JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: -1 })))
  if (isDeepStrictEqual(read, tree)) passed++
  else {
    failed++
    console.log(`not read alike: ${path}${typeof read === 'string' ? `: ${read}` : difference(read, tree, '')}`)
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed || !passed ? 1 : 0

/** Where two trees part first. */
function difference(one, other, at) {
  if (one && other && typeof one === 'object' && typeof other === 'object') {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)])
    for (const key of keys) if (!isDeepStrictEqual(one[key], other[key])) return difference(one[key], other[key], `${at}/${key}`)
  }
  return `${at}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`
}
