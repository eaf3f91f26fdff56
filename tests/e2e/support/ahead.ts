/** A journey that is answered over the API with the page's own cookie, and opened in the page where a walk begins to look. */
import { randomUUID } from 'node:crypto';
import { type APIResponse, type Page, expect } from '@playwright/test';
import { settled } from './walk.ts';

type Answers = Record<string, unknown>;

interface View {
  journey: { id: string; revision: number };
  step: { path: string; kind: string; url: string; form?: { data: Answers } };
}

export class Ahead {
  private constructor(
    private readonly page: Page,
    private readonly base: string,
    private view: View,
  ) {}

  static async start(page: Page, base: string, workflow: string, data: Answers): Promise<Ahead> {
    return new Ahead(page, base, await taken(await post(page, `${base}/api/v1/journeys`, { workflow, data })));
  }

  /** The journey that the page shows. */
  static async of(page: Page, base: string): Promise<Ahead> {
    const id = new URL(page.url()).searchParams.get('request');
    return new Ahead(page, base, await taken(await page.request.get(`${base}/api/v1/journeys/${id}`)));
  }

  /** Answers the form at this path, once the journey is there; what is filled in already stays. */
  async submit(path: string, answers: Answers): Promise<void> {
    await this.at(path);
    await this.event('submit', { ...this.view.step.form?.data, ...answers });
  }

  /** Does at this path what a button of its view would do. */
  async send(path: string, type: string, data: Answers = {}): Promise<void> {
    await this.at(path);
    // offers come meanwhile, and each is a change
    await this.look();
    await this.event(type, data);
  }

  /** Shows the page of this path. */
  async open(path: string): Promise<void> {
    await this.at(path);
    await this.page.goto(this.base + this.view.step.url);
    await settled(this.page);
  }

  /** The journey has come to this path. */
  async at(path: string): Promise<void> {
    await expect(async () => {
      const { step } = this.view;
      if (step.path === path && step.kind !== 'wait') return;
      await this.look();
      expect(this.view.step).toMatchObject({ path });
      expect(this.view.step.kind).not.toBe('wait');
    }).toPass({ timeout: 30_000, intervals: [50, 100, 200] });
  }

  private async event(type: string, data: Answers): Promise<void> {
    const { id, revision } = this.view.journey;
    this.view = await taken(await post(this.page, `${this.base}/api/v1/journeys/${id}/events`, { type, data, revision }));
  }

  private async look(): Promise<void> {
    this.view = await taken(await this.page.request.get(`${this.base}/api/v1/journeys/${this.view.journey.id}`));
  }
}

const post = (page: Page, url: string, data: unknown): Promise<APIResponse> =>
  page.request.post(url, { headers: { 'x-journey': '1', 'idempotency-key': randomUUID() }, data });

async function taken(reply: APIResponse): Promise<View> {
  if (!reply.ok()) throw new Error(`${reply.url()}: ${reply.status()} ${await reply.text()}`);
  return (await reply.json()) as View;
}
