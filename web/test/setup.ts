import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// what jsdom lacks
window.scrollTo = () => undefined;
globalThis.CSS ??= { escape: (text: string) => text.replace(/[^\w-]/g, (character) => `\\${character}`) } as typeof CSS;
HTMLCanvasElement.prototype.getContext = () => null;
