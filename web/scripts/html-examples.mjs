/** Writes the HTML of every fixture's step as React draws it: the reference for the server's template. `node scripts/html-examples.mjs <folder>` */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'vite';

const [folder = 'dev/html'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const server = await createServer({ server: { middlewareMode: true }, appType: 'custom', logLevel: 'error' });
const { fixtures } = await server.ssrLoadModule('/dev/fixtures.ts');
const { render } = await server.ssrLoadModule('/dev/render.tsx');
for (const [name, view] of Object.entries(fixtures)) {
  writeFileSync(`${folder}/${name}.html`, `${render(view).replace(/></g, '>\n<')}\n`);
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(view, null, 1)}\n`);
}
await server.close();
