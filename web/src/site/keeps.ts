/** What the browser keeps of answers of our own calls: how the visitor came, for the tab; lists that are everybody's, for longer. */
export interface Kept {
  name: string;
  /** address of the call */
  call: string;
  /** names that lead to the value in its answer, parted by dots */
  take: string;
  /** it goes with the tab */
  tab: boolean;
  /** nobody reads it in passing */
  encoded: boolean;
}

const answerOf = async (call: string): Promise<unknown> => {
  const reply = await fetch(call, { headers: { accept: 'application/json' } });
  return reply.ok ? reply.json() : undefined;
};

const within = (value: unknown, names: string): unknown =>
  names.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value);

const encode = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Keeps each; what its answer no longer has goes. */
export async function keep(all: Kept[]): Promise<void> {
  const answers = new Map<string, Promise<unknown>>();
  for (const { name, call, take, tab, encoded } of all) {
    const asked = answers.get(call) ?? answerOf(call);
    answers.set(call, asked);
    try {
      const value = within(await asked, take) ?? undefined;
      const store = tab ? sessionStorage : localStorage;
      const text = JSON.stringify(value);
      if (text === undefined) store.removeItem(name);
      else store.setItem(name, encoded ? encode(text) : text);
    } catch {
      // without a line, with a full or forbidden storage it is asked for on the next page
    }
  }
}
