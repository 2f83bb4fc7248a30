import { describe, expect, test } from "vitest";
import { redactor } from "../../src/net/redactor.js";

const KEY = "sk+te/st=0123 4567";
const redact = redactor([KEY, "plain-secret-value"]);

describe("a redactor", () => {
  test.each([
    ["plain", KEY],
    ["in an address", encodeURIComponent(KEY)],
    [
      "in an address, small digits",
      encodeURIComponent(KEY).replaceAll("%2B", "%2b").replaceAll("%2F", "%2f").replaceAll("%3D", "%3d"),
    ],
    ["in a form", encodeURIComponent(KEY).replaceAll("%20", "+")],
  ])("takes a secret out %s", (_, form) => {
    expect(redact.text(`before ${form} after`)).toBe("before [redacted] after");
  });

  test("takes a secret out as JSON writes it", () => {
    const quoted = 'quo"ted\\secret';
    expect(redactor([quoted]).text(JSON.stringify({ a: quoted }))).toBe('{"a":"[redacted]"}');
  });

  test("looks into lists, fields and names of fields, and leaves what is clean as it is", () => {
    const clean = { a: ["x", 1, null, true], b: { c: "y" } };
    expect(redact.json(clean)).toBe(clean);
    expect(redact.json({ a: [KEY, 1], [`n-${KEY}`]: { c: clean } })).toEqual({
      a: ["[redacted]", 1],
      "n-[redacted]": { c: clean },
    });
  });

  test("knows no secret under 8 characters, and without any leaves all as it is", () => {
    expect(redactor(["short", ""]).text("a short text")).toBe("a short text");
    expect(redactor([]).text("")).toBe("");
  });
});
