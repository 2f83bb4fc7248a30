import { describe, expect, test } from "vitest";
import { initialPersona, readPersona, toolRules } from "../../src/memory/persona.js";

const body = "You help a user who loves {dystopia} and `noir`.\nHere is what to do: <rules>search</rules> first.";
const read = (reply: string, maxTokens = 1500) => readPersona(reply, maxTokens);

describe("reading a rewritten persona", () => {
  test("takes the text as it is, braces, backticks and tags included", () => {
    expect(read(`\n${body}\n`)).toEqual({ kind: "persona", text: body });
  });

  test.each([
    ["a preamble line", `Here is the updated system prompt:\n\n${body}`],
    ["a polite preamble", `Sure! Below is the new version:\n${body}`],
    ["a bold preamble", `Here's the revised prompt:**\n${body}`],
    ["a fence", `\`\`\`text\n${body}\n\`\`\``],
    ["a preamble, a fence and a remark", `Here is the new prompt:\n\`\`\`\n${body}\n\`\`\`\nIt stresses the tags.`],
    ["quotes", `"${body}"`],
    ["three quotes", `"""\n${body}\n"""`],
    ["a fence with quotes", `\`\`\`\n"${body}"\n\`\`\``],
  ])("strips %s", (_what, reply) => {
    expect(read(reply)).toEqual({ kind: "persona", text: body });
  });

  test("keeps a first line that belongs to the persona", () => {
    const own = `Here are the habits of this user, who likes quiet films:\n${body}`;
    expect(read(own)).toEqual({ kind: "persona", text: own });
    const quoted = `"Comedy" is what this user answers most, and then "dark comedy"`;
    expect(read(quoted)).toEqual({ kind: "persona", text: quoted });
  });
});

test("the first persona holds the summary untouched and the rules for tools", () => {
  const summary = "likes {x}, $& and `y`; most popular tag: dystopia";
  expect(initialPersona(summary)).toContain(`User summary: ${summary}\n\n${toolRules(2)}`);
  expect(initialPersona("")).toContain("User summary: not available");
});

test("the persona demands no more tools than the agent has", () => {
  expect(initialPersona("", 2)).toContain("at least TWO tools");
  expect(initialPersona("", 1)).toContain("You MUST use the tool");
  for (const count of [0, 1]) expect(initialPersona("", count)).not.toMatch(/TWO tools|different tools/);
  expect(initialPersona("", 0)).not.toMatch(/tool|two actions/);
});
