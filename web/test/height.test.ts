import { expect, test } from 'vitest';
import { heightTyped } from '../src/renderer/widgets/height';

test.each([
  ['170', 17_000],
  ['170.5 cm', 17_050],
  ["5'7", 17_018],
  ['5 ft 7 in', 17_018],
  ['5 ft', 15_240],
  ['6’ 0.5”', 18_415],
  ['', undefined],
  ['5', '5'],
  ['tall', 'tall'],
])('%s is a height', (typed, answer) => expect(heightTyped(typed)).toBe(answer));
