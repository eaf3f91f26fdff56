/** A script of its own, `dressed` once its style has come too, which comes when something is drawn that needs it. The server, which draws everything, has it from the start. */
export class Part<Module> {
  /** once it has come */
  here?: Module;
  /** in `src`: the build's manifest knows it by this name */
  readonly file: string;
  readonly #fetch: () => Promise<Module>;

  constructor(file: string, fetch: () => Promise<Module>) {
    this.file = file;
    this.#fetch = fetch;
  }

  async load(): Promise<void> {
    const module = await this.#fetch();
    await (module as { dressed?: unknown }).dressed;
    this.here ??= module;
  }
}

/** Something out of a part, or out of what is always there (`part` absent). */
export interface From<Thing> {
  part?: Part<unknown>;
  /** nothing while the part has not come */
  get: () => Thing | undefined;
}

export const always = <Thing>(thing: Thing): From<Thing> => ({ get: () => thing });

export const from = <Module, Thing>(part: Part<Module>, pick: (module: Module) => Thing): From<Thing> => ({
  part,
  get: () => part.here && pick(part.here),
});
