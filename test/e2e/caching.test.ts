import { describe, expect, it } from "vitest";
import { playCaching, wires } from "../../scripts/bench/caching/play.js";

/** Servers that keep the providers' rules for their caches, and count for themselves */
const play = (method: string, wire: number, cache: "auto" | "off") =>
  playCaching(method, wires[wire]!, { task: "lamp3", folder: undefined, users: 1 }, cache, 2);
const [ANTHROPIC, GPT_56] = [0, 2];

describe("prompt caching", () => {
  it("brings the input of an agent to less than 0.65 of its cost, without another reply", async () => {
    const [off, auto] = [await play("persona-agent", ANTHROPIC, "off"), await play("persona-agent", ANTHROPIC, "auto")];
    expect(off.read + off.written).toBe(0);
    expect(auto.inputUsd / off.inputUsd).toBeLessThan(0.65);
    expect(auto.replies).toBe(off.replies);
    expect([...off.offences, ...auto.offences]).toEqual([]); // tokens and dollars are the server's own
  });

  it.each([ANTHROPIC, GPT_56])("brings what many questions begin with to a fraction, server %i", async (wire) => {
    const [off, auto] = [await play("icl", wire, "off"), await play("icl", wire, "auto")];
    expect(off.read + off.written).toBe(0);
    expect(auto.read).toBeGreaterThan(auto.written);
    expect(auto.inputUsd / off.inputUsd).toBeLessThan(0.7);
    expect(auto.replies).toBe(off.replies);
    expect([...off.offences, ...auto.offences]).toEqual([]);
  });

  it.each([ANTHROPIC, GPT_56])("costs single calls nothing, by the rules of server %i", async (wire) => {
    const [off, auto] = [await play("rag", wire, "off"), await play("rag", wire, "auto")];
    expect(auto.written).toBe(0);
    expect(auto.inputUsd).toBe(off.inputUsd);
    expect([...off.offences, ...auto.offences]).toEqual([]);
  });
});
