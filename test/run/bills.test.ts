import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { hostsThatBillReplies } from "../../src/models/providers/openai/quirks.js";
import { failure, type ModelAccess } from "../../src/models/wire/failure.js";
import { billsRepliesOnly } from "../../src/models/wire/http.js";
import { replyBody } from "../helpers/provider-replies.js";
import { type Fault, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { armRecords } from "../helpers/report-json.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** A Messages reply, and what it costs on Haiku 5.5: $0.00011. */
const message = ({ body }: ServedRequest, usage: object = { input_tokens: 1000, output_tokens: 20 }): unknown =>
  replyBody("messages", { model: body.model, text: "5", more: { usage } });
const USD_PER_REPLY = 0.00011;

/** Eight users, of whom every two have the same past and ask the same. */
const twins = Array.from({ length: 8 }, (_, i) => {
  const { profile, query } = reviewUser(`u${i % 4}`);
  return { user_id: `u${i}`, profile, query: query.map((one, q) => ({ ...one, id: `u${i}-q${q}` })) };
});

interface Served {
  readonly more?: string;
  fault?(request: ServedRequest): Fault | undefined;
  readonly usage?: object;
  readonly repeats?: boolean;
  readonly method?: string;
  readonly concurrency?: number;
}

/** 16 questions of 8 users asked of Haiku 5.5; `replies`: how many the server billed. */
async function ask({ more = "", fault, usage, repeats = false, method = "prompt", concurrency = 2 }: Served) {
  const cwd = tempDir();
  writeReviews(join(cwd, "reviews"), repeats ? twins : Array.from({ length: 8 }, (_, i) => reviewUser(`u${i}`)));
  let replies = 0;
  const server = await startProviderServer({
    fault(request) {
      const found = fault?.(request);
      if (found === undefined) replies += 1;
      return found;
    },
    reply: (request) => message(request, usage),
  });
  const line = `run --task lamp3 --method ${method} --data reviews --model anthropic/claude-haiku-5-5 --base-url ${server.url} --concurrency ${concurrency} --out out ${more}`;
  const { code, stderr, stdout } = await runCommandLine(line, {
    cwd,
    env: { ANTHROPIC_API_KEY: "sk-fake-0123456789" },
  });
  await server.close();
  const arms = armRecords(readFileSync(join(cwd, "out", "results.json"), "utf8"));
  return { code, stderr, stdout, replies, usd: arms.map(({ usd }) => usd) };
}

const accessAt = (address: string | undefined): ModelAccess => ({
  ...{ model: "m", keyName: "K", secrets: [], limitHeaders: [] },
  billsRepliesOnly: billsRepliesOnly(address, hostsThatBillReplies),
});

describe("what is billed", () => {
  const own = ["http://127.0.0.1:8000/v1", "http://192.168.1.7:8000/v1", undefined, "https://api.openai.com/v1"];
  it.each([400, 500, 502, 503, 529])(
    "an answer with %i is not, at a known host or one's own; elsewhere nobody knows",
    (status) => {
      const billAt = (address: string | undefined) => failure(accessAt(address), { status, text: "no" }).bill;
      expect(own.map(billAt)).toEqual(["none", "none", "none", "none"]);
      expect(billAt("https://gateway.example.com/v1")).toBe(status === 529 ? "none" : "due");
      expect(failure(accessAt(undefined), { status: 504, text: "no" }).bill).toBe("due");
    },
  );

  test("a run among errors is not stopped by what was never billed, and says what it paid", async () => {
    const statuses = [500, 502, 503, 529];
    const fault = ({ index, attempt }: ServedRequest): Fault | undefined =>
      attempt === 1 ? { kind: "status", status: statuses[index % 4]! } : undefined;
    const { code, stderr, replies } = await ask({ fault, more: "--max-usd 0.0024" });
    expect({ code, replies }).toEqual({ code: 0, replies: 16 });
    expect(stderr).toContain(`16 calls sent ($${(16 * USD_PER_REPLY).toFixed(4)} paid), 0 replies reused`);
  });

  test("a stop at the cap tells what was billed apart from what only counts against it", async () => {
    const fault = ({ index }: ServedRequest): Fault | undefined => (index % 2 === 0 ? { kind: "cut" } : undefined);
    const { code, stderr, replies } = await ask({ fault, more: "--max-usd 0.002" });
    const paid = `$${(replies * USD_PER_REPLY).toFixed(4)}`;
    expect(code).toBe(1);
    expect(stderr).toMatch(/--max-usd 0.002 would be passed \(\$0\.\d{4} billed, up to \$0\.\d{4} where no reply came/);
    expect(stderr).toContain(`would be passed (${paid} billed`);
    expect(stderr).toMatch(
      /answer unknown; up to \$0\.\d{4} more may be billed, counted against the caps and not as paid/,
    );
    expect(stderr).toContain(`calls sent (${paid} paid)`);
  });

  test("a usage of 0 tokens for a prompt with words counts as absent: it is estimated, marked, and ends at the cap", async () => {
    const { code, stderr, stdout, replies } = await ask({
      usage: { input_tokens: 0, output_tokens: 0 },
      more: "--max-usd 0.00012",
    });
    expect({ code, stops: replies < 16 }).toEqual({ code: 1, stops: true });
    expect(stderr).toContain("--max-usd 0.00012 would be passed ($0.00");
    expect(stdout).toMatch(/tokens of \d+ replies are estimated: the server sent no count/);
  });

  test("cache writes for an hour cost twice the input", async () => {
    const { stderr } = await ask({
      usage: {
        ...{ input_tokens: 1000, cache_read_input_tokens: 0, cache_creation_input_tokens: 20_000, output_tokens: 0 },
        cache_creation: { ephemeral_5m_input_tokens: 8000, ephemeral_1h_input_tokens: 12_000 },
        ...{ output_tokens: 20 },
      },
    });
    const usd = (1000 * 0.1 + 8000 * 0.125 + 12_000 * 0.2 + 20 * 0.5) / 1e6;
    expect(stderr).toContain(`16 calls sent ($${(16 * usd).toFixed(4)} paid)`);
  });

  test.each([1, 8])(
    "an arm's cost in the table is what it would pay alone: equal requests once (%i at a time)",
    async (concurrency) => {
      const { code, stderr, replies, usd } = await ask({ repeats: true, method: "prompt,pag", concurrency });
      expect({ code, replies }).toEqual({ code: 0, replies: 8 + 4 + 8 }); // pag asks for a profile of each user, too
      expect(usd).toEqual([expect.closeTo(8 * USD_PER_REPLY, 9), expect.closeTo(12 * USD_PER_REPLY, 9)]);
      expect(stderr).toContain(`20 calls sent ($${(20 * USD_PER_REPLY).toFixed(4)} paid)`);
    },
  );
});
