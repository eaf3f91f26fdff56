/** What the drawing engine lacks and the drawn code asks for. Imported first. */
type Missing = Record<string, unknown>;
const engine = globalThis as unknown as Missing;

/** The schema check resolves names of schemas against a base; ours come flat, so an address is only its text. */
class Address {
  hash = '';
  readonly href: string;
  constructor(address: string) {
    this.href = address;
  }
  toString(): string {
    return this.href;
  }
}

engine.URL ??= Address;
engine.structuredClone ??= (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
engine.console ??= { error: () => undefined, warn: () => undefined, log: () => undefined };
