import { defineConfig } from "vitest/config";
import type { Reporter, Vitest } from "vitest/node";

/** The tests of one room: MUTATION_TESTS holds its globs, as JSON. */
const globs = JSON.parse(process.env.MUTATION_TESTS ?? "[]") as string[];

/** A test file that a mutant keeps from loading has no test that fails, but must not pass for a success. */
class LoadFailures implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestModuleEnd(...[file]: Parameters<NonNullable<Reporter["onTestModuleEnd"]>>): void {
    for (const error of file.errors()) this.vitest?.state.catchError(error, "load");
  }
}

export default defineConfig({
  test: {
    include: globs.filter((glob) => !glob.startsWith("!")),
    setupFiles: "test/helpers/no-sync.ts",
    exclude: globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)),
    pool: "threads",
    isolate: true, // modules anew for each run: mutants of values made while loading show
    reporters: [new LoadFailures()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
