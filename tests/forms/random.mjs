// Random forms and answers, read by the engine and by the browser's code:
// `node random.mjs [--seed 1] [--count 20000] [--show 3]`. The last line is `N passed, 0 failed`.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { generate } from './generate.mjs'

/** Answers to one form. */
const ANSWERS = 20
const web = fileURLToPath(new URL('../../web/', import.meta.url))

function options() {
  const found = { seed: Math.floor(Math.random() * 1_000_000), count: 20_000, show: 3 }
  const args = process.argv.slice(2)
  for (let i = 0; i < args.length; i += 2) found[args[i].replace(/^--/, '')] = Number(args[i + 1])
  return found
}

/** What the engine makes of each form: the schema that the browser gets, and every case. */
function engine(forms) {
  const command = (process.env.FORMS ?? 'cargo run --quiet --package journey-tests --bin forms').split(' ')
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  child.stdin.end(forms.map((form) => `${JSON.stringify(form)}\n`).join(''))
  return new Promise((done, fail) =>
    child.on('close', (code) =>
      code === 0 ? done(text.trimEnd().split('\n').map((line) => JSON.parse(line))) : fail(new Error(`the engine refused a form (${code})`)),
    ),
  )
}

/** The browser's modules, through Vite. */
async function browser() {
  const vite = await import(pathToFileURL(createRequire(`${web}package.json`).resolve('vite')))
  const server = await vite.createServer({
    ...{ root: web, configFile: false, appType: 'custom', logLevel: 'error' },
    server: { middlewareMode: true, watch: null, ws: false, hmr: false },
    optimizeDeps: { noDiscovery: true },
  })
  const [{ asked }, { answersOf, check }] = await Promise.all(
    ['answers', 'check'].map((name) => server.ssrLoadModule(`/src/renderer/form/${name}.ts`)),
  )
  return { asked, answersOf, check, close: () => server.close() }
}

const wanted = options()
console.log(`seed ${wanted.seed}, ${wanted.count} answers`)
const forms = Array.from({ length: Math.ceil(wanted.count / ANSWERS) }, (_, i) => generate(wanted.seed * 100_000 + i, ANSWERS))
const [done, { asked, answersOf, check, close }] = await Promise.all([engine(forms), browser()])
let [passed, failed] = [0, 0]
for (const [i, { schema, cases }] of done.entries()) {
  for (const { data, ...expected } of cases) {
    const normalised = answersOf(schema, data)
    const fields = asked(schema, normalised)
    const found = {
      normalised,
      shown: fields.map((field) => field.pointer),
      required: fields.filter((field) => field.required).map((field) => field.pointer),
      errors: check(schema, normalised).map(({ pointer, code, text }) => [pointer, code, text]),
    }
    const named = found.errors.every(([, code, text]) => text !== code)
    if (named && isDeepStrictEqual(found, expected)) passed++
    else if (failed++ < wanted.show) show(forms[i], data, expected, found)
  }
}
await close()
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

function show({ what, form }, data, expected, found) {
  console.log(`\n${what}\n${JSON.stringify(form)}\nanswers: ${JSON.stringify(data)}`)
  for (const key of Object.keys(expected)) {
    if (isDeepStrictEqual(found[key], expected[key])) continue
    console.log(`${key}\n  engine:  ${JSON.stringify(expected[key])}\n  browser: ${JSON.stringify(found[key])}`)
  }
}
