import { describe, expect, test } from "vitest";
import { bucketsOf } from "../../src/memory/buckets.js";
import { event } from "./event-case.js";

const history = ["2019-12-30", "2020-01-01", "2020-01-01", "2020-02-05", "2021-07-09"].map((date, index) =>
  event(`e${index}`, date, `content ${index}`),
);
const shape = (kind: string, count = 0, maxBuckets = 24) =>
  bucketsOf(history, { kind, count }, maxBuckets).map(
    ({ name, events }) => `${name}: ${events.map(({ id }) => id).join(" ")}`,
  );

describe("buckets of a history", () => {
  test("are dates, months, years or chunks, oldest first", () => {
    expect(shape("date")).toEqual(["2019-12-30: e0", "2020-01-01: e1 e2", "2020-02-05: e3", "2021-07-09: e4"]);
    expect(shape("month")).toEqual(["2019-12: e0", "2020-01: e1 e2", "2020-02: e3", "2021-07: e4"]);
    expect(shape("year")).toEqual(["2019: e0", "2020: e1 e2 e3", "2021: e4"]);
    expect(shape("chunk", 2)).toEqual(["events 1-2: e0 e1", "events 3-4: e2 e3", "events 5-5: e4"]);
  });

  test("beyond the most allowed, the oldest become one", () => {
    expect(shape("date", 0, 2)).toEqual(["2019-12-30..2020-02-05: e0 e1 e2 e3", "2021-07-09: e4"]);
    expect(shape("date", 0, 1)).toEqual(["2019-12-30..2021-07-09: e0 e1 e2 e3 e4"]);
  });
});
