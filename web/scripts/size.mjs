/** Fails when a page would load more script and style than it may (bytes after brotli). Run after `npm run build`. */
import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const limits = { content: { script: 1_200 }, journey: { script: 120 * 1024, style: 14 * 1024 } };
const manifest = JSON.parse(readFileSync('dist/.vite/manifest.json', 'utf8'));
const size = (file) => brotliCompressSync(readFileSync(`dist/${file}`)).length;

function scripts(key, seen = new Set()) {
  if (seen.has(key)) return seen;
  seen.add(key);
  for (const next of manifest[key].imports ?? []) scripts(next, seen);
  return seen;
}
const sum = (keys) => [...keys].reduce((total, key) => total + size(manifest[key].file), 0);

const entry = scripts('src/entries/page.ts');
const journey = new Set([...entry, ...scripts('src/journey/app.tsx')]);
const styles = [
  ...new Set(
    Object.values(manifest).flatMap((chunk) => (chunk.file.endsWith('.css') ? [chunk.file] : (chunk.css ?? []))),
  ),
];
const style = styles.reduce((total, file) => total + size(file), 0);
const rows = [
  ['content page, script', sum(entry), limits.content.script],
  ['journey page, script', sum(journey), limits.journey.script],
  ['style', style, limits.journey.style],
];
let failed = false;
for (const [what, bytes, limit] of rows) {
  const over = bytes > limit;
  failed ||= over;
  console.log(`${over ? 'TOO BIG' : 'ok     '} ${what}: ${bytes} of ${limit} bytes (brotli)`);
}
for (const word of ['markdown-to-jsx', 'new Function']) {
  for (const key of journey) {
    if (readFileSync(`dist/${manifest[key].file}`, 'utf8').includes(word)) {
      console.log(`TOO BIG ${word} is in ${manifest[key].file}`);
      failed = true;
    }
  }
}
process.exit(failed ? 1 : 0);
