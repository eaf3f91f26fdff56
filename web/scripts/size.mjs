/** Fails when a page would load more script and style than it may (bytes after brotli). Run after `npm run build`. */
import { readFileSync, statSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const limits = {
  'content page, script': 1_200,
  'journey page, script': 88_000,
  'first step with a form, script': 118_500,
  // one sheet for all steps: what a step later than the first needs is a tenth of it, and a second request costs more
  style: 14_900,
  fonts: 35_000,
};
/** parts that come when something asks for them */
const PART = 6_000;

const { scripts, styles, journey, parts } = JSON.parse(readFileSync('dist/server/links.json', 'utf8'));
const bytes = (file) => brotliCompressSync(readFileSync(`dist${file}`)).length;
const sum = (files) => [...new Set(files)].reduce((total, file) => total + bytes(file), 0);
const fonts = [...readFileSync(`dist${styles[0]}`, 'utf8').matchAll(/\/assets\/(?:text|rupee|plate)-[\w-]+\.woff2/g)];

const app = [...scripts, ...journey];
const first = [...app, ...parts.form, ...parts['block:hero']];
const found = {
  'content page, script': sum(scripts),
  'journey page, script': sum(app),
  'first step with a form, script': sum(first),
  style: sum(styles),
  fonts: [...new Set(fonts.map(([file]) => file))].reduce((total, file) => total + statSync(`dist${file}`).size, 0),
};
let failed = false;
const say = (what, size, limit) => {
  failed ||= size > limit;
  console.log(`${size > limit ? 'TOO BIG' : 'ok     '} ${what}: ${size} of ${limit} bytes (brotli)`);
};
for (const [what, limit] of Object.entries(limits)) say(what, found[what], limit);
const later = [...new Set(Object.values(parts).flat())].filter((file) => !first.includes(file));
for (const file of later) say(file.slice('/assets/'.length), bytes(file), PART);

for (const word of ['markdown-to-jsx', 'new Function']) {
  for (const file of [...first, ...later]) {
    if (readFileSync(`dist${file}`, 'utf8').includes(word)) {
      console.log(`TOO BIG ${word} is in ${file}`);
      failed = true;
    }
  }
}
process.exit(failed ? 1 : 0);
