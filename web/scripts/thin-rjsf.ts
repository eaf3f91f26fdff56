import type { Plugin } from 'vite';

const DEFAULTS = `export default (_v, _s, data) => data ?? {};
  export const AdditionalItemsHandling = { Ignore: 0, Invert: 1, Fallback: 2 };
  export const getInnerSchemaForArrayItem = (schema) => schema.items ?? {};
  export const computeDefaults = () => undefined;`;
const OMIT = `export default (_v, _s, _r, data) => data;
  export const isValueEmpty = (value) => value === undefined;
  export const getUsedFormData = (data) => data;
  export const getFieldNames = () => [];`;

/**
 * Keeps the parts of RJSF that this app replaces out of the bundle: widgets, templates, layout and array fields, the Markdown
 * renderer that they use, what merges and resolves schemas, what makes up or leaves out answers. renderer/form supplies all of what is drawn.
 */
export function thinRjsf(): Plugin {
  const stubs = new Map([
    ['components/widgets/index.js', 'export default () => ({});'],
    ['components/templates/index.js', 'export default () => ({ ButtonTemplates: {} });'],
    ['components/fields/LayoutGridField.js', 'export default () => null;'],
    ['components/fields/LayoutHeaderField.js', 'export default () => null;'],
    ['components/fields/LayoutMultiSchemaField.js', 'export default () => null;'],
    ['components/fields/CyclicSchemaField.js', 'export default () => null;'],
    ['components/fields/OptionalDataControlsField.js', 'export default () => null;'],
    ['components/fields/MultiSchemaField.js', 'export default () => null;'],
    ['components/fields/FallbackField.js', 'export default () => null;'],
    ['components/fields/ArrayField.js', 'export default () => null;'],
    ['components/fields/NullField.js', 'export default () => null;'],
    // our schemas come flat: no references to resolve, no `allOf` to merge
    ['schema/shallowAllOfMerge.js', 'export default (schema) => schema;'],
    // our forms are given all their answers: nothing to fill in, to leave out, to convert
    ['schema/getDefaultFormState.js', DEFAULTS],
    ['schema/omitExtraData.js', OMIT],
    ['schema/sanitizeDataForNewSchema.js', 'export default (_v, _r, _n, _o, data) => data;'],
    ['schema/toPathSchema.js', 'export default () => ({});'],
    ['schema/getClosestMatchingOption.js', 'export default () => 0;'],
    ['fast-uri', 'export default { resolve: (base, uri) => uri };'],
  ]);
  return {
    name: 'thin-rjsf',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === 'markdown-to-jsx' || source === 'markdown-to-jsx/react') return '\0plain-text';
      if (!importer?.includes('@rjsf/')) return null;
      for (const path of stubs.keys()) {
        const file = path.split('/').at(-1);
        if (source === path || source.endsWith(`/${path}`) || (source === `./${file}` && file !== 'index.js'))
          return `\0thin-rjsf/${path}`;
      }
      return null;
    },
    load(id) {
      if (id === '\0plain-text') return 'export const Markdown = ({ children }) => children; export default Markdown;';
      return id.startsWith('\0thin-rjsf/') ? (stubs.get(id.slice('\0thin-rjsf/'.length)) ?? null) : null;
    },
  };
}
