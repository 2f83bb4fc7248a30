import { describe, expect, test } from "vitest";
import { appendableBuckets, bucketsOf } from "../../src/memory/buckets.js";
import { event } from "./event-case.js";

const history = ["2019-12-30", "2020-01-01", "2020-01-01", "2020-02-05", "2021-07-09"].map((date, index) =>
  event(`e${index}`, date, `content ${index}`),
);
const cut = (kind: string, count = 0, most = 0) => ({ by: { kind, count }, most, maxWords: 200 });
const shape = (...given: Parameters<typeof cut>) => lines(bucketsOf(history, cut(...given)));
const lines = (buckets: ReturnType<typeof bucketsOf>) =>
  buckets.map(({ name, events }) => `${name}: ${events.map(({ id }) => id).join(" ")}`);

describe("buckets of a history", () => {
  test("are dates, months, years or chunks, oldest first, named as a person writes them", () => {
    expect(shape("date")).toEqual([
      "30 December 2019: e0",
      "1 January 2020: e1 e2",
      "5 February 2020: e3",
      "9 July 2021: e4",
    ]);
    expect(shape("month")).toEqual(["December 2019: e0", "January 2020: e1 e2", "February 2020: e3", "July 2021: e4"]);
    expect(shape("year")).toEqual(["2019: e0", "2020: e1 e2 e3", "2021: e4"]);
    expect(shape("chunk", 2)).toEqual(["events 1 to 2: e0 e1", "events 3 to 4: e2 e3", "events 5 to 6: e4"]);
  });

  test("are merged only beyond a limit, and then the oldest become one, whatever is added later", () => {
    expect(shape("date", 0, 2)).toEqual(["30 December 2019 to 5 February 2020: e0 e1 e2 e3", "9 July 2021: e4"]);
    expect(shape("date", 0, 1)).toEqual(["30 December 2019 to 9 July 2021: e0 e1 e2 e3 e4"]);
    const buckets = appendableBuckets(history, cut("date", 0, 2));
    buckets.add(event("e5", "2021-07-10", "content"));
    expect(lines(buckets.all()).slice(1)).toEqual(["9 July 2021: e4", "10 July 2021: e5"]);
  });

  test("hold every event: what is too long for one summary is cut into parts", () => {
    const undated = Array.from({ length: 70 }, (_, n) => event(`u${n}`, undefined, "word ".repeat(500)));
    const parts = bucketsOf(undated, cut("date")); // 200 of 500 words each are shown
    expect(parts.map(({ name, events }) => [name, events.length])).toEqual([
      ["undated", 30],
      ["undated, part 2", 30],
      ["undated, part 3", 10],
    ]);
    expect(parts.flatMap(({ events }) => events)).toEqual(undated);
  });
});
