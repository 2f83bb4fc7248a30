import { defineConfig } from "vitest/config";

/** Tests against a real server: one at a time, since they share two cores with it. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: "test/helpers/test-home.ts",
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 600_000,
  },
});
