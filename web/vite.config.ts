import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mock } from './dev/mock.ts';
import { brotli } from './scripts/brotli.ts';
import { plainImports } from './scripts/plain-imports.ts';
import { serverBundle } from './scripts/server-bundle.ts';
import { thinRjsf } from './scripts/thin-rjsf.ts';

/** `npm run dev` alone shows the gallery of fixtures; `JOURNEY_API=http://127.0.0.1:8080 npm run dev` passes calls to a running server. */
export default defineConfig(({ command }) => {
  const api = process.env.JOURNEY_API;
  return {
    plugins: [
      react(),
      thinRjsf(),
      plainImports(),
      brotli(),
      serverBundle(),
      ...(command === 'serve' && !api ? [mock()] : []),
    ],
    build: {
      target: 'es2022',
      // the server names what a page needs at once; a list of files in every script would cost more than it brings
      modulePreload: false,
      // drawings may stand in the styles; fonts may not (the security policy takes them from files only)
      assetsInlineLimit: (file) => (file.endsWith('.svg') ? undefined : false),
      reportCompressedSize: false,
      rolldownOptions: {
        input: { page: 'src/entries/page.ts' },
        checks: { pluginTimings: false },
        // what the app has at once is one script, whoever else uses a piece of it; so is what every form has
        output: {
          // scripts name one another: two signs of each name less are sent with every page
          entryFileNames: 'assets/[name]-[hash:6].js',
          chunkFileNames: 'assets/[name]-[hash:6].js',
          codeSplitting: {
            groups: [
              { name: 'own', test: /preload-helper|\/src\/entries\/page\.ts$/, priority: 3 },
              // what moves on a page of content, and its login, speak without the app
              {
                name: 'begin',
                test: /\/src\/(?:journey\/begin|site\/begun|site\/cookies|ui\/words|api\/ask)\.ts$/,
                priority: 3,
              },
              { name: 'app', test: /\/src\/(?:journey\/app\.tsx|ui\/.*)$/, priority: 2 },
              { name: 'form', test: /\/src\/renderer\/form\/part\.ts$/, priority: 1 },
            ],
          },
        },
      },
    },
    server: { port: 5173, cors: true, proxy: api ? { '/api': api } : undefined },
  };
});
