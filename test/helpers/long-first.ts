import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take seconds, the longest first: one that begins last keeps a worker busy while the others have nothing left.
 * The others follow as ever.
 */
export const long = [
  "test/golden/golden.test.ts",
  "test/law/law.test.ts",
  "test/e2e/html-report.test.ts",
  "test/cli/sweep.test.ts",
  "test/contracts/time.test.ts",
  "test/contracts/runs.test.ts",
  "test/e2e/killed-commands.test.ts",
  "test/cli/no-secret.test.ts",
  "test/models/wrap/layered.test.ts",
  "test/e2e/library.test.ts",
  "test/cli/figures.test.ts",
  "test/cli/run-resume.test.ts",
  "test/cli/exec.test.ts",
  "test/app/shards.test.ts",
  "test/app/plugins/test.test.ts",
  "test/e2e/killed.test.ts",
  "test/e2e/interrupted.test.ts",
  "test/models/rate/limits.test.ts",
  "test/cli/report-html.test.ts",
  "test/e2e/plugin.test.ts",
];

export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = long.indexOf(relative(this.ctx.config.root, moduleId));
      return found < 0 ? long.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
