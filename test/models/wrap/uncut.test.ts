import { describe, expect, it } from "vitest";
import { uncut } from "../../../src/models/wrap/uncut.js";
import type { Usage } from "../../../src/types.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

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

  it.each([
    ["counts what it is sent", server(1e9)],
    ["tells a small number whatever it is sent", server(10)],
    ["tells no usage", server(2048, { estimated: true })],
  ])("is none that %s", async (_, model) => {
    for (let i = 0; i < 20; i++) await send(model, 4000 + i);
    for (const bytes of [9000, 20_000, 100, 40_000]) await send(model, bytes);
  });
});
