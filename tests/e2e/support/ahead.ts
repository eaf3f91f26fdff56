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
    const { journey, step } = this.view;
    const body = { type: 'submit', data: { ...step.form?.data, ...answers }, revision: journey.revision };
    this.view = await taken(await post(this.page, `${this.base}/api/v1/journeys/${journey.id}/events`, body));
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
      const { journey, step } = this.view;
      if (step.path === path && step.kind !== 'wait') return;
      this.view = await taken(await this.page.request.get(`${this.base}/api/v1/journeys/${journey.id}`));
      expect(this.view.step).toMatchObject({ path });
      expect(this.view.step.kind).not.toBe('wait');
    }).toPass({ timeout: 30_000, intervals: [50, 100, 200] });
  }
}

const post = (page: Page, url: string, data: unknown): Promise<APIResponse> =>
  page.request.post(url, { headers: { 'x-journey': '1', 'idempotency-key': randomUUID() }, data });

async function taken(reply: APIResponse): Promise<View> {
  if (!reply.ok()) throw new Error(`${reply.url()}: ${reply.status()} ${await reply.text()}`);
  return (await reply.json()) as View;
}
