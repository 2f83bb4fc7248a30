import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import { recency, recencyOrder } from "../../src/retrievers/recency.js";
import { ranked } from "./retriever-kit.js";

describe("recencyOrder", () => {
  it("puts the newest first and of equal dates the later in the file", () => {
    expect(recencyOrder(["2020-05-01", "2021-01-31", "2020-05-01", "2019-12-31"])).toEqual([1, 2, 0, 3]);
  });

  it("compares dates as whole numbers, a bare year being older than any date in it", () => {
    expect(recencyOrder(["2020-10-1", "2020-9-30", "2020", "2020-01-01"])).toEqual([0, 1, 3, 2]);
  });

  it("takes file order as the chronology where a document has no date", () => {
    expect(recencyOrder([undefined, undefined, undefined])).toEqual([2, 1, 0]);
    expect(recencyOrder(["2021-01-01", undefined, "2020-01-01"])).toEqual([2, 1, 0]);
  });

  it.each(["2020/05/01", "", "May 2020", "2020-05-", "2020.5", "-5"])("refuses the date `%s`", (date) => {
    expect(() => recencyOrder([date])).toThrow(new UsageError(`date "${date}": expected YYYY-MM-DD or YYYY`));
  });
});

it("gives the newest documents whatever the query", async () => {
  const documents = [
    { text: "old", date: "2019-01-01" },
    { text: "new", date: "2022-01-01" },
    { text: "middle", date: "2020-01-01" },
  ];
  expect(await ranked(recency, documents, "old", 2)).toEqual([1, 2]);
});
