import type { FullResult, Reporter, TestCase, TestResult } from '@playwright/test/reporter';

/** The last line says how many tests passed and failed. */
export default class ClosingLine implements Reporter {
  private passed = 0;
  private failed = 0;

  onTestEnd(_test: TestCase, result: TestResult) {
    if (result.status === 'passed') this.passed++;
    else this.failed++;
  }

  onEnd(_result: FullResult) {
    console.log(`${this.passed} passed, ${this.failed} failed`);
  }
}
