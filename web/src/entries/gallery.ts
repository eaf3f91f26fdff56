/** Every example of a block and of a widget as a first step of its own: what `/gallery` shows in development, and what tests draw. */
import type { Schema } from '../api/open';
import type { FormView, StepView } from '../contract/api';
import type { Block } from '../contract/blocks';

const all = <Example>(modules: Record<string, unknown>) =>
  Object.entries(modules).flatMap(([file, example]): [string, Example][] =>
    example ? [[/([\w-]+)\.tsx$/.exec(file)![1]!, example as Example]] : [],
  );

const blocks = all<Block>(import.meta.glob('../renderer/blocks/*.tsx', { eager: true, import: 'example' }));
const widgets = all<{ schema: Schema }>(
  import.meta.glob('../renderer/widgets/*.tsx', { eager: true, import: 'example' }),
);
const lists = all<{ name: string; schema: Schema }>(
  import.meta.glob('../renderer/form/list-field.tsx', { eager: true, import: 'example' }),
);

export const gallery: Record<string, StepView> = Object.fromEntries([
  ...blocks.map(([name, block]) => page(`block-${name}`, { view: { blocks: [{ ...block }] } })),
  ...lists.map(([, { name, schema }]) => page(`list-${name}`, { form: formOf(name, schema) })),
  ...widgets.map(([name, { schema }]) => page(`widget-${name}`, { form: formOf(name, schema) })),
]);

function formOf(name: string, schema: Schema): FormView {
  return {
    id: `gallery/${name}`,
    schema: { type: 'object', properties: { answer: schema }, required: ['answer'] },
    data: {},
    draft: false,
    submit: 'Continue',
  };
}

function page(name: string, shown: Pick<StepView['step'], 'form' | 'view'>): [string, StepView] {
  const base = `/gallery/${name}`;
  return [
    name,
    {
      journey: {
        id: null,
        workflow: 'gallery/example',
        line: 'gallery',
        title: 'Gallery',
        version: 'example',
        revision: 0,
        seq: 0,
        status: 'active',
        base,
        language: 'en',
        channel: 'web',
      },
      step: {
        id: `gallery.${name}`,
        kind: 'form',
        title: name.replace('-', ': '),
        path: '',
        url: base,
        progress: { sections: [] },
        events: [{ type: 'submit' }],
        back: null,
        changeable: [],
        waits: [],
        stream: null,
        consents: [],
        hide: [],
        ...shown,
      },
      messages: [],
      server_time: '2026-11-21T10:00:00.000Z',
    },
  ];
}
