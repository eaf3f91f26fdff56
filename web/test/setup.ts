import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';
import words from '../dev/words.json';
import '../src/entries/everything';
import { speak } from '../src/ui/words';

afterEach(cleanup);
speak('en', words.en);

// what jsdom lacks
window.scrollTo = () => undefined;
globalThis.CSS ??= { escape: (text: string) => text.replace(/[^\w-]/g, (character) => `\\${character}`) } as typeof CSS;
HTMLCanvasElement.prototype.getContext = () => null;
