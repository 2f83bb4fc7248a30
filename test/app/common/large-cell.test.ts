import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { refuseLargeCell, refuseLargeCells } from "../../../src/app/common/large-cell.js";
import { UsageError } from "../../../src/errors.js";
import { tempDir } from "../../helpers/temp-dir.js";

describe("one answer of a file", () => {
  test("that is too large is refused by its place and size in bytes", () => {
    const cell = "é".repeat(60);
    expect(() => refuseLargeCell(cell, "p.jsonl: line 3", 119)).toThrow(UsageError);
    expect(() => refuseLargeCell(cell, "p.jsonl: line 3", 119)).toThrow(
      'p.jsonl: line 3: "output" has 120 bytes, and at most 119 are read; cut it',
    );
  });

  test("may be as long as allowed, and anything that is no text", () => {
    for (const value of ["é".repeat(60), 5, null, undefined])
      expect(() => refuseLargeCell(value, "p.json", 120)).not.toThrow();
  });
});

describe("a text of a file that is too large", () => {
  const most = 30;
  const large = "x".repeat(most + 1);
  const [said, outside] = [JSON.stringify({ id: "1", output: 'say \\"\\\\ [{,:' }), "y".repeat(most)];
  const refused = (content: string, limit = most): string => {
    const file = join(tempDir(), "p");
    writeFileSync(file, content);
    try {
      refuseLargeCells(file, "--predictions p", limit);
    } catch (error) {
      if (error instanceof UsageError) return error.message;
    }
    return "";
  };
  const entry = JSON.stringify({ id: "2", output: large });
  const said31 = `has 31 bytes, and at most 30 are read; cut it`;

  test.each([
    ["in the official form", `{"task": "LaMP_3",\n "golds": [${said}, ${entry}]}`, 'golds[1]: "output"'],
    ["in a list", `\uFEFF [${said},\n${said},${entry}]`, '[2]: "output"'],
    ["in JSON lines", `${said}\n\n${entry}\n`, 'line 3: "output"'],
    ["as a name", `[{"id": "1", "${large}": 2}]`, "[0]"],
    ["in a file that is no JSON", `id,output\n1,"${outside}"\n`.replace('"', ""), "line 2"],
    ["in a text without an end", `[${said}, {"output": "${large}`, '[1]: "output"'],
  ])("is refused by file, row and size before it is read: %s", (_, content, place) => {
    expect(refused(content)).toMatch(`--predictions p: ${place} has `);
    if (!place.startsWith("line 2")) expect(refused(content)).toContain(said31);
  });

  test("may be as long as allowed; all together may be longer; what goes over pieces of the file is counted whole", () => {
    expect(refused(`[${said}, "${outside}", "${outside}"]`)).toBe("");
    expect(refused(`${outside}\n${outside}\n`)).toBe("");
    const long = "z".repeat(2 ** 20);
    expect(refused(`["a", "${long}\\"\\\\"]`, 2 ** 20)).toContain(": [1] has 1048580 bytes");
    expect(refused(`["${outside}${outside}\\\\", "${long}"]`, 2 ** 20)).toBe("");
    expect(refused(`a\n${long}${long}\nb`, 2 ** 20)).toContain(": line 2 has 2097152 bytes");
  });

  test("of escapes alone is looked through once, not from each of them to the next quote", () => {
    const content = `["${"\\n".repeat(20_000)}"]`;
    const find = Buffer.prototype.indexOf;
    let looked = 0;
    const spy = vi.spyOn(Buffer.prototype, "indexOf").mockImplementation(function (this: Buffer, sign, from) {
      const found = find.call(this, sign, from);
      looked += (found < 0 ? this.length : found) - Number(from ?? 0);
      return found;
    });
    try {
      expect(refused(content, 39_999)).toContain("[0] has 40000 bytes");
    } finally {
      spy.mockRestore();
    }
    expect(looked).toBeLessThan(3 * content.length);
  });
});
