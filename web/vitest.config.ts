import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { thinRjsf } from './scripts/thin-rjsf.ts';

export default defineConfig({
  plugins: [react(), thinRjsf()],
  test: {
    environment: 'jsdom',
    include: ['test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/setup.ts'],
    // tested as it is built
    server: { deps: { inline: [/@rjsf/] } },
    restoreMocks: true,
    // axe over the page of offers takes seconds on a busy machine
    testTimeout: 30_000,
  },
});
