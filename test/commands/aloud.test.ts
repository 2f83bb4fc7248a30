import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { replyBody } from "../helpers/provider-replies.js";
import { type ProviderServer, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
/** Replies by the model's name: `refuses`, `cut`, `half` (every second one can be read), `late` (the 10th alone can be read), `long`. */
let server: ProviderServer;

const chat = (text: string, isCut = false) => replyBody("chat", { text, isCut });

const REFUSAL = `I am sorry,\u001b[31m\nbut I cannot rate this. ${"Really. ".repeat(40)}`;
const counts = new Map<string, number>();

function reply({ body }: ServedRequest): unknown {
  const model: string = body.model;
  const count = (counts.get(model) ?? 0) + 1;
  counts.set(model, count);
  const replies: Readonly<Record<string, unknown>> = {
    refuses: chat(REFUSAL),
    cut: chat("4", true),
    half: chat(count % 2 === 0 ? "4" : REFUSAL),
    late: chat(count === 10 ? "4" : REFUSAL),
  };
  return { ...(replies[model] ?? chat("4")), model };
}

beforeAll(async () => {
  const isLong = ({ body }: ServedRequest) => body.model === "long" && JSON.stringify(body).includes("bob");
  server = await startProviderServer({
    reply,
    fault: (request) =>
      isLong(request) ? { kind: "status", status: 400, message: "prompt is too long: 9000 tokens" } : undefined,
  });
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: 48 }, (_, n) => reviewUser(n % 8 === 7 ? `bob${n}` : `ann${n}`, 2, 1)),
  );
});
afterAll(() => server.close());

const run = (model: string, more = "", out = model) =>
  runCommandLine(
    `run --task lamp3 --method prompt --data reviews --model openai/${model} --base-url ${server.url}/v1 --max-calls 1000 --concurrency 4 --out ${out} ${more}`,
    { cwd, env: { OPENAI_API_KEY: "sk-fake-0123456789" } },
  );

describe("a run whose replies are of no use", () => {
  test("warns once an arm after 20 unparsed replies, and quotes one without its control signs", async () => {
    const { code, stderr } = await run("refuses", "--repeats 2");
    expect(code).toBe(0);
    const warnings = stderr.split("\n").filter((line) => line.startsWith("warning:"));
    const quote = `"I am sorry, but I cannot rate this. Really.`;
    expect(warnings).toEqual([
      expect.stringContaining(`warning: lamp3 prompt: all of the first 20 replies are unparsed, for example question `),
      expect.stringContaining("warning: lamp3 prompt #2: all of the first 20 replies are unparsed"),
    ]);
    expect(warnings[0]).toContain(quote);
    expect(warnings[0]).toMatch(/…"; take a model that follows the prompt's instructions, or change the prompt$/);
    expect(warnings[0]!.length).toBeLessThan(320);
  });

  test("warns of replies that were all cut, though they can be read", async () => {
    const { code, stderr } = await run("cut");
    expect(code).toBe(0);
    expect(stderr.match(/^warning: .*$/gm)).toEqual([
      expect.stringMatching(
        /^warning: lamp3 prompt: all of the first 20 replies were cut at their limit of tokens, .*: "4"; give more room with --set model\.answerTokens=4096/,
      ),
    ]);
  });
});
