import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**", "**/node_modules/**"], // npm run test:real
    globalSetup: "test/helpers/test-home.ts",
    setupFiles: "test/helpers/no-sync.ts",
    pool: "threads",
    maxWorkers: "100%",
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
