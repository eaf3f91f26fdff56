import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const REASON_LINES = 14;

/** The last lines say what each failed test stumbled over, and how many passed and failed. */
export default class ClosingLine implements Reporter {
  private passed = 0;
  private failed: string[] = [];

  onTestEnd(test: TestCase, result: TestResult) {
    if (result.status === 'passed') this.passed++;
    else this.failed.push(`${test.location.file.split('/').pop()}:${test.location.line} ${test.title}\n${reasonOf(result)}`);
  }

  onEnd(_result: FullResult) {
    for (const one of this.failed) console.log(`\nFAILED ${one}`);
    console.log(`${this.passed} passed, ${this.failed.length} failed`);
  }
}

function reasonOf({ error, status }: TestResult): string {
  const lines = (error?.message ?? status).split('\n').filter((line) => line.trim());
  const place = error?.location ? [`at ${error.location.file.split('/').pop()}:${error.location.line}`] : [];
  return [...lines.slice(0, REASON_LINES), ...place].map((line) => `  ${line}`).join('\n');
}
