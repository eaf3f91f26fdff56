import { expect, test } from 'vitest';
import { freePlace } from '../src/ui/clear';

const phone = { top: 60, height: 844 };
const notice = { left: 12, right: 378, height: 120 };
const button = (top: number, left = 16, right = 374) => ({ top, bottom: top + 52, left, right });

test.each([
  ['nothing to press: at the foot of the window', [], 12],
  ['a button at the foot: above it', [button(780)], 844 - 780 + 12],
  ['a button further up: at the foot', [button(400)], 12],
  ['two, one above the other, too near each other: above both', [button(780), button(700)], 844 - 700 + 12],
  ['two that leave room between them', [button(780), button(500)], 844 - 780 + 12],
  ['beside it: at the foot', [button(780, 400, 600)], 12],
  ['no place at all: at the foot', [button(780), button(640), button(500), button(360), button(220), button(80)], 12],
])('%s', (_, others, up) => {
  expect(freePlace(phone, notice, others)).toBe(up);
});
