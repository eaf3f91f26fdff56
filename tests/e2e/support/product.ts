/** The real product: the binary on a free port with a database of its own, killed and started again at will. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const binary = process.env.E2E_BINARY ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/journey');

export interface SentMessage {
  to: string;
  text: string;
}

export class Product {
  private child?: ChildProcess;
  readonly folder = mkdtempSync(join(tmpdir(), 'journey-e2e-'));
  private port = 0;
  private passed = 0;
  base = '';
  /** Addresses of all first steps. */
  landings: string[] = [];

  private constructor(
    private readonly settings: Record<string, string>,
    private readonly definitions: string,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<Product> {
    const product = new Product(settings, root);
    await product.up();
    return product;
  }

  /** The product with lines of business of `fixtures` here or of `tests/it/fixtures` among its own. */
  static async startWith(...lines: string[]): Promise<Product> {
    const definitions = mkdtempSync(join(tmpdir(), 'journey-e2e-line-'));
    const here = (line: string) => ['tests/e2e/fixtures', 'tests/it/fixtures'].map((folder) => join(root, folder, line)).find(existsSync)!;
    for (const from of [root, ...lines.map(here)])
      for (const part of ['workflows', 'forms']) cpSync(join(from, part), join(definitions, part), { recursive: true });
    const product = new Product({}, definitions);
    await product.up();
    return product;
  }

  /**
   * The product with a clock that `pass` moves, and definitions of its own, these lines of business among them. It is eleven
   * o'clock in the morning there: what the product sends by day goes out, whenever the walk is run.
   */
  static async startWithClock(...lines: string[]): Promise<Product> {
    const product = await Product.startWith(...lines);
    const library = join(product.folder, 'clock.so');
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, join(root, 'tests/chaos/clock.c')]);
    product.set({ LD_PRELOAD: library, CHAOS_CLOCK: join(product.folder, 'clock') });
    await product.kill();
    const day = 24 * 60;
    const morning = 11 * 60 - 330; // 11:00 in Kolkata, in minutes of the UTC day
    product.pass((morning - Math.floor(Date.now() / 60_000 % day) + day) % day);
    await product.up();
    return product;
  }

  /** So many minutes pass for the product in a moment. */
  pass(minutes: number): void {
    this.passed += minutes;
    const seconds = Buffer.alloc(8);
    seconds.writeBigInt64LE(BigInt(this.passed * 60));
    // in place: a process that runs has it in its memory
    const clock = join(this.folder, 'clock');
    writeFileSync(clock, seconds, { flag: existsSync(clock) ? 'r+' : 'w' });
  }

  /** Changes a file of its own definitions; the product is started anew with it. */
  async edit(file: string, change: (text: string) => string): Promise<void> {
    const path = join(this.definitions, file);
    const [before, after] = [readFileSync(path, 'utf8'), change(readFileSync(path, 'utf8'))];
    if (after === before) throw new Error(`${file} stays as it is`);
    writeFileSync(path, after);
    await this.kill();
    await this.up();
  }

  private env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      JOURNEY_DATABASE__URL: `sqlite:${join(this.folder, 'journey.db')}`,
      // Walks of one machine ask for many codes.
      JOURNEY_OTP__PER_ADDRESS_HOUR: '1000',
      JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR: '1000',
      JOURNEY_OTP__PROOF_BITS: '8',
      JOURNEY_OTP__BLOCK_HOUR: '1000',
      ...this.settings,
    };
  }

  /** Further settings, from the next start on. */
  set(settings: Record<string, string>): void {
    Object.assign(this.settings, settings);
  }

  /** A command of an operator's, and what it prints; the server is stopped for it, because a SQLite file has one process. */
  async run(...command: string[]): Promise<string> {
    return (await this.runAll(command))[0]!;
  }

  /** Commands of an operator's one after the other, and what each prints. */
  async runAll(...commands: string[][]): Promise<string[]> {
    await this.kill();
    const run = (command: string[]) => execFileSync(binary, command, { cwd: this.folder, env: this.env(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const said = commands.map((command) => run(command).trim());
    await this.up();
    return said;
  }

  /** Starts the binary, at first with what was prepared; again on the same port and database after `kill`. */
  async up(): Promise<void> {
    const prepared = process.env.E2E_PREPARED;
    if (prepared && !existsSync(join(this.folder, 'journey.db'))) cpSync(prepared, this.folder, { recursive: true, filter: (file) => !/-(shm|serve)$/.test(file) });
    const child = spawn(binary, ['serve', '--definitions', this.definitions, '--no-watch', '--address', `127.0.0.1:${this.port}`], {
      cwd: this.folder,
      env: this.env(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    const said: string[] = [];
    await new Promise<void>((ready, failed) => {
      const listen = (chunk: Buffer) => {
        said.push(chunk.toString());
        const text = said.join('');
        const found = /listening on http:\/\/127\.0\.0\.1:(\d+)[^]*\/docs$/m.exec(text);
        if (found && !this.base) {
          this.port = Number(found[1]);
          this.base = `http://localhost:${this.port}`;
          this.landings = [...text.matchAll(/^ {2}.* http:\/\/[^/]+(\/\S+)$/gm)]
            .map((line) => line[1]!)
            .filter((path) => path !== '/docs' && !path.startsWith('/sandbox'));
        }
        if (found) ready();
      };
      child.stdout?.on('data', listen);
      child.stderr?.on('data', listen);
      child.once('exit', (code) => failed(new Error(`${binary} ended with ${code}:\n${said.join('')}`)));
    });
  }

  /** As a power cut would: no word to the process. */
  async kill(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.removeAllListeners('exit');
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.definitions !== root) rmSync(this.definitions, { recursive: true, force: true });
  }

  /** Messages to a number, newest first. */
  async messages(to: string): Promise<SentMessage[]> {
    const reply = await fetch(`${this.base}/sandbox/inbox.json?to=${to}`);
    const body = (await reply.json()) as { messages?: SentMessage[] } | SentMessage[];
    return Array.isArray(body) ? body : (body.messages ?? []);
  }

  /** Lets a partner of the sandbox behave otherwise. */
  async switch(setting: Record<string, unknown>): Promise<void> {
    const reply = await fetch(`${this.base}/sandbox/switches`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(setting) });
    if (!reply.ok) throw new Error(`switch: ${reply.status}`);
  }
}
