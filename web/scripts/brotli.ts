import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes `<file>.br` beside every script and style sheet of the build, for the server to send as they are. */
export function brotli(): Plugin {
  let out = 'dist';
  let development = false;
  return {
    name: 'brotli',
    apply: 'build',
    configResolved(config) {
      out = config.build.outDir;
      development = config.mode === 'development';
    },
    async closeBundle() {
      if (development) return;
      const dir = join(out, 'assets');
      for (const name of await readdir(dir).catch(() => [])) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const bytes = await readFile(join(dir, name));
        await writeFile(
          join(dir, `${name}.br`),
          brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
        );
      }
    },
  };
}
