/** Draws pages as the server does, with node: a page's JSON on every line of stdin, its HTML as JSON on every line of stdout. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { runInThisContext } from 'node:vm';

runInThisContext(readFileSync(`${import.meta.dirname}/../dist/server/draw.js`, 'utf8'));
for await (const page of createInterface({ input: process.stdin })) console.log(JSON.stringify(globalThis.draw(page)));
