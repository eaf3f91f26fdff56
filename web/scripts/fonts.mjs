/**
 * Makes the fonts of `src/styles/fonts`, and those of papers, out of the packages (OFL 1.1): only the glyphs that the pages use, only the axes that
 * the styles use. Run it after a change here: `node scripts/fonts.mjs`. The results are kept in git, so that a build needs no
 * WebAssembly and gives the same bytes everywhere.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import subset from 'subset-font';

const require = createRequire(import.meta.url);
const latin = dirname(require.resolve('@fontsource-variable/anek-latin/package.json'));
const devanagari = dirname(require.resolve('@fontsource-variable/anek-devanagari/package.json'));
const out = new URL('../src/styles/fonts/', import.meta.url).pathname;
mkdirSync(out, { recursive: true });

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).join('');
const text = { wght: { min: 400, max: 700 } };

const english = `${range(0x20, 0x7e)}·–—“”‘’…×−→•°½é©`;
const hindi = `${range(0x900, 0x97f)}\u200c\u200d◌`;

const fonts = [
  // what English pages need; the rupee sign lives in a file of its own because the package keeps it in latin-ext
  ['text', latin, 'anek-latin-latin-wght-normal', english, text],
  ['rupee', latin, 'anek-latin-latin-ext-wght-normal', '₹', text],
  [
    'plate',
    latin,
    'anek-latin-latin-wdth-normal',
    `${range(0x41, 0x5a)}${range(0x30, 0x39)} -`,
    { wght: 650, wdth: 88 },
  ],
  // headings, labels and buttons only: one weight of the whole script; running text is the phone's own
  ['devanagari', devanagari, 'anek-devanagari-devanagari-wght-normal', hindi, { wght: 650 }],
  // the names of the languages in their own letters, on pages that have nothing else of them
  ['languages', devanagari, 'anek-devanagari-devanagari-wght-normal', 'हिन्दी', { wght: 600 }],
];
async function make(path, from, file, glyphs, targetFormat, variationAxes) {
  const bytes = await subset(readFileSync(join(from, 'files', `${file}.woff2`)), glyphs, {
    targetFormat,
    variationAxes,
  });
  writeFileSync(path, bytes);
  console.log(`${path} ${bytes.length}`);
}
for (const [name, from, file, glyphs, axes] of fonts)
  await make(join(out, `${name}.woff2`), from, file, glyphs, 'woff2', axes);

// the same letters for papers, in two weights: what is written there is embedded as what is used of it
const papers = new URL('../../engine/paper/fonts/', import.meta.url).pathname;
mkdirSync(papers, { recursive: true });
for (const [weight, wght] of [
  ['regular', 400],
  ['bold', 650],
]) {
  const paper = (name, from, file, glyphs) =>
    make(join(papers, `${name}-${weight}.ttf`), from, file, glyphs, 'truetype', { wght });
  await paper('latin', latin, 'anek-latin-latin-wght-normal', english);
  await paper('rupee', latin, 'anek-latin-latin-ext-wght-normal', '₹');
  await paper('devanagari', devanagari, 'anek-devanagari-devanagari-wght-normal', hindi);
}
for (const folder of [out, papers]) copyFileSync(join(latin, 'LICENSE'), join(folder, 'OFL.txt'));
