import { writeFile } from 'node:fs/promises';
import { build, createServer, type Plugin } from 'vite';
import { thinRjsf } from './thin-rjsf.ts';

/**
 * Beside the browser's files the build writes what the server keeps to itself: `server/draw.js`, one script that draws pages in an
 * engine without modules, and `server/gallery.json`, the examples of all blocks and widgets.
 */
export function serverBundle(): Plugin {
  let out = 'dist';
  return {
    name: 'server-bundle',
    apply: 'build',
    configResolved(config) {
      out = config.build.outDir;
    },
    async closeBundle() {
      await build({
        configFile: false,
        logLevel: 'error',
        mode: 'production',
        plugins: [thinRjsf()],
        publicDir: false,
        oxc: { jsx: { runtime: 'automatic', development: false } },
        define: { 'process.env.NODE_ENV': '"production"' },
        resolve: {
          // the renderer that needs neither streams nor timers; the package does not name it
          alias: {
            'react-dom/server': `${import.meta.dirname}/../node_modules/react-dom/cjs/react-dom-server-legacy.browser.production.js`,
          },
        },
        build: {
          target: 'es2022',
          outDir: `${out}/server`,
          emptyOutDir: true,
          reportCompressedSize: false,
          lib: { entry: 'src/entries/server.tsx', formats: ['iife'], name: 'drawing', fileName: () => 'draw.js' },
        },
      });
      const loader = await createServer({
        configFile: false,
        logLevel: 'error',
        plugins: [thinRjsf()],
        server: { middlewareMode: true, watch: null, ws: false },
        optimizeDeps: { noDiscovery: true },
        appType: 'custom',
      });
      const { gallery } = await loader.ssrLoadModule('/src/entries/gallery.ts');
      await writeFile(`${out}/server/gallery.json`, JSON.stringify(gallery));
      await loader.close();
    },
  };
}
