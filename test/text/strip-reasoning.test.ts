import { expect, test } from "vitest";
import { cutChars } from "../../src/agent/toolbox.js";
import { stripReasoning } from "../../src/text/strip-reasoning.js";

test("reasoning blocks are taken out of a reply", () => {
  expect(stripReasoning("<think>comedy?\nno</think>\n\nclassic")).toBe("classic");
  expect(stripReasoning("a <thinking>b</thinking> c <think>d</think>")).toBe("a  c");
});

test("a block opened by the chat template or cut off by the token limit is taken out too", () => {
  expect(stripReasoning("so it is fantasy</think>fantasy")).toBe("fantasy");
  expect(stripReasoning("<think>so it is fan")).toBe("");
});

test.each([
  ["[THINK]hm[/THINK]", "[THINK]cut"],
  ["<seed:think>hm</seed:think>", "<seed:think>cut"],
  ["◁think▷hm◁/think▷", "◁think▷cut"],
  ["<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>", "<|START_THINKING|>cut"],
  ["<|begin_of_thought|>hm<|end_of_thought|>", "<|begin_of_thought|>cut"],
  ["<unused94>thought\nhm<unused95>", "<unused94>thought\ncut"],
  ["<|channel>thought\nhm<channel|>", "<|channel>thought\ncut"],
])("so are blocks that a vendor's template marks otherwise: %s", (block, open) => {
  expect(stripReasoning(`${block}classic`)).toBe("classic");
  expect(stripReasoning(open)).toBe("");
});

test("a reply without reasoning is left untouched", () => {
  expect(stripReasoning("  a < b <b>c</b>\n")).toBe("  a < b <b>c</b>\n");
});

test("texts are cut by characters, never inside one", () => {
  expect(cutChars("abcdef", 3)).toBe("abc");
  expect(cutChars("😀😀😀", 2)).toBe("😀😀");
  expect(cutChars("ab", 3)).toBe("ab");
});

test("of a reply in Harmony's channels (gpt-oss) the final one is kept", () => {
  const analysis = "<|channel|>analysis<|message|>comedy? <|end|>";
  expect(stripReasoning(`${analysis}<|start|>assistant<|channel|>final<|message|>classic<|return|>`)).toBe("classic");
  expect(stripReasoning(`${analysis}<|start|>assistant<|channel|>final <|constrain|>json<|message|>{"a": 1}`)).toBe(
    '{"a": 1}',
  );
  expect(stripReasoning("<|start|>assistant<|channel|>analysis<|message|>cut in its thou")).toBe("");
  expect(stripReasoning("the mark <|channel|> alone is text")).toBe("the mark <|channel|> alone is text");
});
