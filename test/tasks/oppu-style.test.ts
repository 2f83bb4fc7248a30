import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import { isOppuStyle, type OppuStyle, pythonList } from "../../src/tasks/styles/oppu.js";
import type { RawItem } from "../../src/types/index.js";

function oppu(name: string): OppuStyle {
  const style = tasks.get(name).styles.oppu;
  if (style === undefined || !isOppuStyle(style)) throw new Error("no style oppu");
  return style;
}
const item: RawItem = { id: "1", text: "a \n b", title: "H  I" };

describe("the OPPU prompt style", () => {
  test("shows history lines with whitespace collapsed, the question as it stands, and the profile in front", () => {
    const { event, question } = tasks.get("lamp4");
    const asked = question({ id: "q", input: "Generate a headline for the following article: x\n  y " });
    const settings = { prefix: "P\n", maxTokens: 0 };
    expect(oppu("lamp4").assemble(asked, [event(item)], settings)).toBe(
      "P\narticle: a b headline: H I\n\nGenerate a headline for the following article.\narticle: x\n  y  headline:",
    );
    expect(oppu("lamp4").assemble(asked, [], { maxTokens: 0 })).toBe(
      "Generate a headline for the following article.\narticle: x\n  y  headline:",
    );
  });

  test("indexes the shown line, label and line break included, cut at single spaces", () => {
    const { event } = tasks.get("lamp4");
    const { document, tokenize } = oppu("lamp4");
    expect(tokenize(document(event(item)))).toEqual(["article:", "a", "b", "headline:", "H", "I\n"]);
    expect(tokenize("a  b")).toEqual(["a", "", "b"]);
  });

  test("writes a history the way Python prints a list of strings", () => {
    expect(pythonList(["it's", 'say "no"', `both ' and "`, "a\\b\n\u200b\u00a0é"])).toBe(
      `["it's", 'say "no"', 'both \\' and "', 'a\\\\b\\n\\u200b\\xa0é']`,
    );
  });

  test("asks for a profile with the items as such a list", () => {
    const { event } = tasks.get("lamp4");
    expect(oppu("lamp4").profile([event(item)], 1)).toMatch(/User History: \['article: a headline: H'\] Answer:$/);
  });
});
