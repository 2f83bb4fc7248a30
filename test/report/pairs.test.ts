import { describe, expect, test } from "vitest";
import { rowsOf } from "../../src/report/fold/row.js";
import { FoldedRows } from "../../src/report/fold/rows.js";
import { isReadAlike, isScored, lenientPairOf, pairOf } from "../../src/report/pairs.js";
import type { Row } from "../../src/types.js";
import { answered, failed, row, unparsed } from "../helpers/summarized.js";

/** The same rows, as a reader of a large file holds them. */
function folded(rows: readonly Row[]): Row[] {
  const into = new FoldedRows({ metricsOf: () => [], read: ({ offset }) => rows[offset]! });
  for (const [offset, one] of rows.entries()) into.add(one, { offset, length: 1 });
  return rowsOf(into);
}
const plain = (rows: readonly Row[]): Row[] => [...rows];

describe.each([
  ["rows", plain],
  ["folded rows", folded],
])("of %s a metric", (_, held) => {
  const scored = (...rows: readonly Row[]) => held(rows).filter(isScored);

  test("sees those that were answered and have a gold", () => {
    const rows = [
      row("a", "5", answered("5")),
      row("b", "5", unparsed("so so")),
      row("c", "5", failed),
      row("d", undefined, answered("1")),
    ];
    expect(scored(...rows).map(({ user }) => user)).toEqual(["a", "b"]);
  });

  test("sees the reply as the official reading has it, or as the forgiving one has, and an unreadable one as empty", () => {
    const [read, saved, lost] = scored(
      row("a", "5", answered("4")),
      row("b", "5", unparsed("I say 3", "3")),
      row("c", "5", unparsed("so so")),
    );
    const texts = [read, saved, lost].map((one) => [pairOf(one!).prediction, lenientPairOf(one!).prediction]);
    expect(texts).toEqual([
      ["4", "4"],
      ["", "3"],
      ["", ""],
    ]);
  });

  test("sees the numbers that came with a reply, by both readings, and of others none", () => {
    const [with1, without] = scored(
      row("a", "5", answered("5"), { given: { bert: 0.5 } }),
      row("b", "5", answered("4")),
    );
    for (const read of [pairOf, lenientPairOf]) {
      expect(read(with1!).given).toEqual({ bert: 0.5 });
      expect(read(without!).given).toBeUndefined();
    }
  });
});

test("only of folded rows is known, without a look at their texts, that both readings are one", () => {
  const rows = [row("a", "5", answered("4")), row("b", "5", unparsed("I say 3", "3"))];
  expect(plain(rows).map(isReadAlike)).toEqual([false, false]);
  expect(folded(rows).map(isReadAlike)).toEqual([true, false]);
});
