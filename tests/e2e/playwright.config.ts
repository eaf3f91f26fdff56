import { defineConfig } from '@playwright/test';

/** Debian's Chromium; a test runner's own browser cannot be downloaded everywhere. */
const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
  ],
};

export default defineConfig({
  globalSetup: './support/prepared.ts',
  timeout: 480_000,
  expect: { timeout: 15_000 },
  // each worker has a product of its own
  workers: 2,
  // a flaky pass is no pass
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['./support/closing-line.ts']],
  outputDir: 'test-results',
  use: { browserName: 'chromium', launchOptions: chromium, actionTimeout: 15_000, locale: 'en-IN', timezoneId: 'Asia/Kolkata', trace: { mode: 'retain-on-failure', screenshots: false } },
  projects: [
    { name: 'walks', testDir: 'walks' },
    { name: 'pictures', testDir: 'gallery' },
  ],
});
