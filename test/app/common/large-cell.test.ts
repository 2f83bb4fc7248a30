import { describe, expect, test } from "vitest";
import { refuseLargeCell } from "../../../src/app/common/read-json.js";
import { UsageError } from "../../../src/errors.js";

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
