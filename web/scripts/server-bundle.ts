import { writeFile } from 'node:fs/promises';
import { build, createServer, type Plugin, type Rolldown } from 'vite';
import { thinRjsf } from './thin-rjsf.ts';

/**
 * Beside the browser's files the build writes what the server keeps to itself: `server/draw.js`, one script that draws pages in an
 * engine without modules, `server/gallery.json`, the examples of all blocks and widgets, and `server/links.json`, the files that
 * the head of a page names.
 */
export function serverBundle(): Plugin {
  let out = 'dist';
  let chunks: Rolldown.OutputChunk[] = [];
  let fonts: string[] = [];
  return {
    name: 'server-bundle',
    apply: 'build',
    configResolved(config) {
      out = config.build.outDir;
    },
    writeBundle(_, bundle) {
      chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
      fonts = Object.keys(bundle).filter((file) => /\/text-[\w-]+\.woff2$/.test(file));
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
      const { files } = (await loader.ssrLoadModule('/src/journey/parts.ts')) as {
        files: () => Record<string, string>;
      };
      await writeFile(`${out}/server/links.json`, JSON.stringify(links(chunks, fonts, files())));
      await loader.close();
    },
  };
}

export interface Links {
  scripts: string[];
  styles: string[];
  /** the letters that every step is written in */
  fonts: string[];
  /** what every page of a journey loads, beside the scripts of all pages */
  journey: string[];
  /** those of them that decide when the others come */
  begin: string[];
  /** what it loads beyond that for a block, a widget, a form: scripts, and a sheet where one brings its own */
  parts: Record<string, string[]>;
}

function links(chunks: Rolldown.OutputChunk[], fonts: string[], files: Record<string, string>): Links {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const holding = (source: string): Rolldown.OutputChunk => {
    const found = chunks.find((chunk) => chunk.moduleIds.some((id) => id.endsWith(`/src/${source}`)));
    if (!found) throw new Error(`no script holds ${source}`);
    return found;
  };
  /** the scripts that come with one, and what sheets they bring, without those that are there */
  const closure = (source: string, there: string[]): string[] => {
    const found: string[] = [];
    const open = [holding(source)];
    for (let chunk = open.pop(); chunk; chunk = open.pop()) {
      if (there.includes(`/${chunk.fileName}`) || found.includes(`/${chunk.fileName}`)) continue;
      const sheets = [...(chunk.viteMetadata?.importedAssets ?? [])].filter((asset) => asset.endsWith('.css'));
      found.push(`/${chunk.fileName}`, ...sheets.map((sheet) => `/${sheet}`));
      open.push(...chunk.imports.flatMap((file) => byFile.get(file) ?? []));
    }
    return found;
  };
  const page = holding('entries/page.ts');
  const first = closure('entries/page.ts', []);
  const begin = closure('journey/begin.ts', first);
  const journey = closure('journey/app.tsx', first);
  const parts = Object.entries(files).map(([name, file]) => [name, closure(file, [...first, ...journey])]);
  return {
    scripts: [`/${page.fileName}`],
    styles: [...(page.viteMetadata?.importedCss ?? [])].map((file) => `/${file}`),
    fonts: fonts.map((file) => `/${file}`),
    journey: [...new Set([...begin, ...journey])],
    begin,
    parts: Object.fromEntries(parts),
  };
}
