/** An answer that is sent but not shown. */
export const HiddenWidget = () => null;

export const example = { name: 'hidden', schema: { type: 'string', 'x-ui': { widget: 'hidden' } } };
