import { fileURLToPath } from "node:url";

export const ourBin = fileURLToPath(new URL("../../../bin/lamp-eval.js", import.meta.url));

/** What a person types to run the data set of `data-set.ts`, as arguments of Node. */
export const typedRun = (bin: string, data: string, url: string, out: string): string[] => [
  ...[bin, "run", "--task", "lamp2m", "--method", "prompt", "--model", "openai/bench", "--concurrency", "50"],
  ...["--data", data, "--base-url", url, "--out", out],
];
