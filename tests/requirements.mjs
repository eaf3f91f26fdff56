/**
 * Which requirement (docs/requirements.tsv) and which odd customer (docs/odd-customers.tsv) is held by which test. Reads
 * files alone, nothing is built: `node tests/requirements.mjs` prints a table by group, `--group NAME` the rows of one,
 * `--check` only what is wrong.
 *
 * A row is held when a test, story or walk names its id (R2.4-05, a range R2.4-05..09, life-O01). One that nobody names
 * must stand in docs/open-requirements.tsv with its reason; a partly built one may stand in both.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const table = (name) =>
  readFileSync(join(root, 'docs', name), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));

const IDS = /(?<![A-Za-z0-9])(R\d+(?:\.\d+)?-|[a-z]+-O)(\d{2})(?:\.\.(\d{2}))?(?!\d)/g;
const BINARY = /\.(png|gz|ttf|woff2?|ico|jpe?g|pdf|db)$/;
const isTest = (file) => /^tests\/|\/tests?\/|\/stories\/|\.(test|spec)\./.test(file) && !file.startsWith('tests/requirements');

const rows = new Map([
  ...table('requirements.tsv').map(([id, group, , requirement]) => [id, { group, requirement }]),
  ...table('odd-customers.tsv').map(([id, line, customer, outcome]) => [id, { group: `odd-${line}`, requirement: `${customer} ${outcome}` }]),
]);
const open = new Map(table('open-requirements.tsv').map(([id, state, reason]) => [id, { state, reason }]));
const held = new Map();
const wrong = [];

for (const file of execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).trim().split('\n')) {
  if (BINARY.test(file) || /^docs\/((open-)?requirements|odd-customers)\.tsv$/.test(file)) continue;
  let text;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    continue; // deleted, not yet committed
  }
  for (const [, section, from, to] of text.matchAll(IDS))
    for (let n = Number(from); n <= Number(to ?? from); n++) {
      const id = section + String(n).padStart(2, '0');
      if (!rows.has(id)) wrong.push(`${file}: ${id} is no requirement or odd customer`);
      else if (isTest(file)) held.set(id, [...(held.get(id) ?? []), file]);
    }
}
for (const id of rows.keys()) if (!held.has(id) && !open.has(id)) wrong.push(`${id}: no test names it, and docs/open-requirements.tsv does not say why`);
for (const [id, { state, reason }] of open) {
  if (!rows.has(id)) wrong.push(`docs/open-requirements.tsv: ${id} is no requirement or odd customer`);
  if (!['none', 'partly', 'unproven'].includes(state) || !reason) wrong.push(`docs/open-requirements.tsv: ${id} needs a state (none, partly, unproven) and a reason`);
  if (held.has(id) && state === 'unproven') wrong.push(`docs/open-requirements.tsv: ${id} is held by ${held.get(id)[0]}, so it is open no more`);
}

const stateOf = (id) => open.get(id)?.state ?? (held.has(id) ? 'held' : 'none');
const only = process.argv.includes('--group') ? process.argv[process.argv.indexOf('--group') + 1] : undefined;
if (only)
  for (const [id, { group, requirement }] of rows) {
    if (group !== only) continue;
    const reason = open.get(id)?.reason ?? [...new Set(held.get(id))].slice(0, 2).join(', ');
    console.log([id.padEnd(10), stateOf(id).padEnd(9), requirement, `[${reason}]`].join(' '));
  }
else if (!process.argv.includes('--check')) {
  const groups = new Map();
  for (const row of rows) groups.set(row[1].group, [...(groups.get(row[1].group) ?? []), row]);
  const count = (list, is) => String(list.filter(([id]) => is(id)).length).padStart(8);
  const line = (name, list) =>
    console.log(name.padEnd(12), String(list.length).padStart(6), ...['held', 'unproven', 'partly', 'none'].map((state) => count(list, (id) => stateOf(id) === state)));
  console.log('group         rows     held unproven   partly     none');
  for (const [name, list] of [...groups].sort()) line(name, list);
  const isOdd = ([, { group }]) => group.startsWith('odd-');
  line('requirements', [...rows].filter((row) => !isOdd(row)));
  line('odd', [...rows].filter(isOdd));
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
}
