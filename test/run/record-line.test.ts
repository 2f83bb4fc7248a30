import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { bodyOf, lineOf, recordLine, recordOf } from "../../src/run/record-lines.js";

const SIGNS = ["a", '"', "\\", "\n", "é", "中", "😀", "\ud800", "\udc00", "\u2028", "\ufeff", "\0"];

/** A line as its form is documented, made the plain way. */
function plainLine(record: object): string {
  const body = Buffer.from(JSON.stringify(record).slice(0, -1));
  const sum = crc32(body).toString(16).padStart(8, "0");
  return `${body}${body.length === 1 ? "" : ","}"#":"${body.length}:${sum}"}\n`;
}

test("the line of a record is its JSON with length and CRC-32 behind it, whatever signs and lengths it has", () => {
  const random = seeded("record lines");
  const text = (length: number): string =>
    Array.from({ length }, () => SIGNS[random.below(SIGNS.length)] ?? "").join("");
  const drawn = Array.from({ length: 400 }, () => ({
    [text(random.below(4))]: text(random.below(60)),
    n: random.next(),
  }));
  const lengths = Array.from({ length: 24 }, (_, i) => ({ t: "é".repeat(i), u: "x".repeat(i < 12 ? i : 4_060 + i) }));
  for (const record of [{}, { gone: undefined }, ...drawn, ...lengths]) {
    const line = recordLine(record);
    expect(line.toString("latin1")).toBe(Buffer.from(plainLine(record)).toString("latin1"));
    const body = bodyOf(line.subarray(0, -1)) ?? Buffer.alloc(0);
    expect(lineOf(body)).toEqual(line);
    expect(recordOf(body)).toEqual(JSON.parse(JSON.stringify(record)));
  }
});
