// The Rust side: cases in, one parsed line per case out.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/** Answers of every case, in order; `SIMULATE` names another command. */
export async function simulate(cases, more = []) {
  const own = 'cargo run -q -p engine-statechart --example simulate --'
  const [command, ...args] = [...(process.env.SIMULATE ?? own).split(' '), ...more]
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  const chunks = []
  child.stdout.on('data', (chunk) => chunks.push(chunk))
  child.stdin.end(cases.map(({ name, machine, script }) => JSON.stringify({ name, machine, script })).join('\n'))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}`)
  return Buffer.concat(chunks).toString().trim().split('\n').map((line) => JSON.parse(line))
}
