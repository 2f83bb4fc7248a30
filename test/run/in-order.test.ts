import { expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { SortedSpans } from "../../src/run/sealing/sorted-spans.js";

test("spans come in the order in which sort puts their keys, of equal keys the last, whatever letters are in them", () => {
  const random = seeded("in order");
  for (const letters of ["ab", "0123456789", "aé漢\u{1f600}\t"]) {
    const signs = [...letters];
    const spans = new SortedSpans();
    const last = new Map<string, number>();
    for (let offset = 0; offset < 400; offset++) {
      const key = `cell\t${Array.from({ length: random.below(9) }, () => signs[random.below(signs.length)]).join("")}`;
      spans.add(key, { offset, length: 1 });
      last.set(key, offset);
    }
    const expected = [...last.keys()].sort().map((key) => last.get(key));
    expect([...spans.inOrder()].map(({ offset }) => offset)).toEqual(expected);
  }
});
