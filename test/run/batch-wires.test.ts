import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../src/commands/library.js";
import { lexical } from "../../src/models/providers/offline/lexical.js";
import { startBatchServer } from "../helpers/batch-server.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { type LexicalWire, lexicalReply, messagesWire, responsesWire } from "../helpers/lexical-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { comparable, playBatch } from "./batches/play.js";

const KEYS = { ANTHROPIC_API_KEY: "sk-fake-0123456789", OPENAI_API_KEY: "sk-fake-0123456789" };

/** The same run one by one and in batches, behind the embedded model in a provider's words. */
async function bothWays(wire: LexicalWire, model: string, more: object) {
  const cwd = tempDir();
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]);
  // biome-ignore lint/suspicious/noExplicitAny: a served body
  const answer = (body: any): unknown => {
    const reply = lexical(wire.request(body));
    const sent = JSON.stringify(body.messages ?? body.input).length;
    return lexicalReply(wire, body, reply, { in: sent, read: 0, written: 0, out: 1 });
  };
  const server = await startBatchServer({ answer });
  const endpoints = {
    lab: { provider: "openai", baseUrl: `${server.url}/v1`, keyEnv: "OPENAI_API_KEY", quirks: "openai" },
  };
  const io = () => ({
    cwd,
    env: KEYS,
    clock: fakeClock(Date.UTC(2026, 10, 1)),
    node: "v20.0.0",
    tell: () => undefined,
  });
  const asked = {
    ...{ task: "lamp3", data: "reviews", model, ...more },
    ...(model.startsWith("lab/") ? { endpoints } : { baseUrl: server.url }),
  };
  try {
    const online = await run({ ...asked, out: "online" }, io());
    const single = server.single;
    const batched = await run({ ...asked, out: "batched", batch: "agents" }, io());
    return {
      ...{ ended: [online.ended, batched.ended], single, more: server.single - single, breaches: server.breaches },
      lines: server.batches.flatMap(({ lines }) => lines),
      waves: server.batches.length,
      isSame: JSON.stringify(comparable(join(cwd, "online"))) === JSON.stringify(comparable(join(cwd, "batched"))),
    };
  } finally {
    await server.close();
  }
}

describe("--batch agents", () => {
  it.each([
    ["Messages", messagesWire(512), "anthropic/claude-haiku-5-5"],
    ["Responses", responsesWire(true), "lab/gpt-5.6-luna"],
  ] as const)(
    "sends the turns of agents wave by wave on the %s wire: the rows are those of single calls",
    async (_, wire, model) => {
      const more = { method: "persona-agent-wo-alignment", options: { "wiki.mode": "off" } };
      const { lines, waves, isSame, ...rest } = await bothWays(wire, model, more);
      expect(rest).toMatchObject({ ended: ["done", "done"], more: 1, breaches: [] }); // the probe goes out at once
      expect(isSame).toBe(true);
      expect(lines).toHaveLength(rest.single - 1);
      expect(waves).toBeGreaterThanOrEqual(3); // summaries, first turns, second turns
      expect(lines.some(({ body }) => JSON.stringify(body).includes("episodic_memory"))).toBe(true);
    },
  );

  it("asks lines of the Responses wire as its endpoint is asked", async () => {
    const { lines, isSame, breaches } = await bothWays(responsesWire(true), "lab/gpt-5.6-luna", { method: "prompt" });
    expect({ isSame, breaches }).toEqual({ isSame: true, breaches: [] });
    expect(lines[0]?.body).toMatchObject({ store: false, input: expect.any(Array), reasoning: { effort: "none" } });
  });
});

describe.each(["anthropic", "openai"] as const)("a wave that the %s wire does not take whole", (wire) => {
  it("goes again in halves after a 413", async () => {
    const sendings = [{ status: 413, message: "request_too_large" }] as const;
    const { offences, waves } = await playBatch({ wire, crashes: [], sendings }, `suite/413/${wire}`, tempDir());
    expect(offences).toEqual([]);
    expect(waves).toBeGreaterThanOrEqual(3); // two halves, and what comes after them
  });
});
