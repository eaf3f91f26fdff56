/** A proof of work, loaded only when the server asks for one: nothing to read, to see or to do for the person. */

export interface Challenge {
  token: string;
  bits: number;
}

/** So many attempts at once; between two lots the page can draw. */
const LOT = 256;

/** `<token>.<number>` whose SHA-256 begins with `bits` zero bits. */
export async function solve({ token, bits }: Challenge): Promise<string> {
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
