/** A new `Idempotency-Key`: 128 random bits. (`randomUUID` exists on secure pages only.) */
export function newKey(): string {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
