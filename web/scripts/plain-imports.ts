/**
 * A chunk that comes later is fetched by `import()` alone. Vite's helper for it would be the larger half of the first script
 * of every page, and what it does (styles and further scripts of such a chunk beforehand) is needed by none of ours.
 */
import type { Plugin } from 'vite';

const HELPER = '\0vite/preload-helper.js';

export function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    apply: 'build',
    enforce: 'pre',
    load: (id) => (id === HELPER ? 'export const __vitePreload = (load) => load();' : undefined),
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk' && chunk.isDynamicEntry && chunk.viteMetadata?.importedCss.size)
          this.error(`${chunk.fileName} brings styles of its own: nothing would load them`);
    },
  };
}
