import { describe, expect, it } from "vitest";
import { uncut } from "../../src/models/tokens.js";
import type { Usage } from "../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";

/** Four bytes a token, and no more than `context` of them. */
const server = (context: number, usage: Partial<Usage> = {}) =>
  uncut(
    scripted(({ messages: [first] }) => {
      const text = first?.role === "user" ? first.content : "";
      return replyOf("x", { usage: { in: Math.min(context, Math.ceil(text.length / 4)), out: 1, ...usage } });
    }),
  );
const send = (model: ReturnType<typeof server>, bytes: number) => model.complete(ask("x".repeat(bytes)), noAbort());

describe("a server that cuts prompts in silence", () => {
  it("is told by the longest prompt, which has far fewer tokens than its bytes say", async () => {
    const model = server(2048);
    for (let i = 0; i < 20; i++) await send(model, 4000 + i);
    await send(model, 9000); // cut a little: within what texts differ by
    await expect(send(model, 16_000)).rejects.toMatchObject({
      scope: "stop",
      retryable: false,
      message: expect.stringMatching(
        /server cut the prompt \(2048 tokens of it, about 39\d\d were sent\); raise its context$/,
      ),
    });
  });

  it("is told by prompts of one count and very different length", async () => {
    const model = server(2048);
    await send(model, 9000);
    await expect(send(model, 15_000)).rejects.toThrow(/2048 tokens of it, as many as of a much shorter one/);
  });

  /** Prompts of so many bytes, each with the tokens that the server tells of it; the last one decides. */
  const told = async (...prompts: (readonly [bytes: number, tokens: number])[]): Promise<"cut" | "whole"> => {
    let tokens = 0;
    const model = uncut(scripted(() => replyOf("x", { usage: { in: tokens, out: 1 } })));
    const last = prompts.pop()!;
    for (const [bytes, now] of prompts) {
      tokens = now;
      await send(model, bytes);
    }
    tokens = last[1];
    return await send(model, last[0]).then(
      () => "whole",
      () => "cut",
    );
  };
  const alike = (count: number, bytes: number, tokens: number) =>
    Array.from({ length: count }, () => [bytes, tokens] as const);

  it("judges only what is longer than all before: shorter texts may be of another kind", async () => {
    for (const bytes of [8000, 6000]) expect(await told(...alike(20, 8000, 2000), [bytes, 850])).toBe("whole");
    expect(await told(...alike(20, 8000, 2000), [8004, 850])).toBe("cut");
  });

  it.each([
    [
      "the most tokens so far count, not the last",
      [
        [9000, 2048],
        [4000, 1000],
        [15_000, 2048],
      ],
      "cut",
    ],
    [
      "the shortest prompt with them counts: the first",
      [
        [9000, 2048],
        [11_000, 2048],
        [13_500, 2048],
      ],
      "cut",
    ],
    [
      "the shortest prompt with them counts: the second",
      [
        [11_000, 2048],
        [9000, 2048],
        [13_500, 2048],
      ],
      "cut",
    ],
    [
      "a shorter prompt with fewer tokens does not",
      [
        [9000, 2048],
        [4000, 1000],
        [11_000, 2048],
      ],
      "whole",
    ],
    [
      "the same prompt again has the same count",
      [
        [9000, 2048],
        [9000, 2048],
      ],
      "whole",
    ],
    [
      "texts of one count may differ by three tenths of their bytes",
      [
        [7000, 2048],
        [10_000, 2048],
      ],
      "whole",
    ],
    [
      "and not by more",
      [
        [7000, 2048],
        [10_001, 2048],
      ],
      "cut",
    ],
    [
      "1024 tokens can be a whole context",
      [
        [4096, 1024],
        [9000, 1024],
      ],
      "cut",
    ],
    [
      "fewer cannot",
      [
        [4096, 1023],
        [9000, 1023],
      ],
      "whole",
    ],
  ] as const)("of prompts with one count: %s", async (_, prompts, expected) => {
    expect(await told(...prompts)).toBe(expected);
  });

  it("is not looked for where nothing is sent", () => {
    const simulated = { ...scripted(() => replyOf("x")), simulated: true };
    expect(uncut(simulated)).toBe(simulated);
  });
});
