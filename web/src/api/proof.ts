/** A proof that somebody is no robot, loaded only when the server asks for one: work of the browser, or a captcha's page. */

import type { Challenge, ProofOfWork } from '../contract/api';
import { t } from '../ui/words';
import type { Problem } from './open';

/** So many attempts at once; between two lots the page can draw. */
const LOT = 256;

/** What is sent as `X-Proof`; nothing when the person closed the captcha or was not believed what was tried: the problem says so then. */
export async function prove(problem: Partial<Problem>, isTried = false): Promise<string> {
  const proof = isTried ? '' : await solve(problem.challenge!);
  if (!proof) {
    problem.detail = t('unproven');
    problem.errors = [{ pointer: '', code: 'proof', text: problem.detail }];
  }
  return proof;
}

export async function solve(challenge: Challenge): Promise<string> {
  if (!('page' in challenge)) return work(challenge);
  const { ask } = await import('./captcha');
  return ask(challenge.page);
}

/** `<token>.<number>` whose SHA-256 begins with `bits` zero bits: nothing to read, to see or to do for the person. */
async function work({ token, bits }: ProofOfWork): Promise<string> {
  const encoder = new TextEncoder();
  for (let first = 0; ; first += LOT) {
    const proofs = Array.from({ length: LOT }, (_, i) => `${token}.${first + i}`);
    const hashes = await Promise.all(proofs.map((proof) => crypto.subtle.digest('SHA-256', encoder.encode(proof))));
    const found = proofs.find((_, i) => zeroBits(new DataView(hashes[i] as ArrayBuffer)) >= bits);
    if (found) return found;
  }
}

function zeroBits(hash: DataView): number {
  let word = 0;
  while (word < 8 && hash.getUint32(4 * word) === 0) word++;
  return 32 * word + (word < 8 ? Math.clz32(hash.getUint32(4 * word)) : 0);
}
