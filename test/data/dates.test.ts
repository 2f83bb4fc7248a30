import { expect, test } from "vitest";
import { isDate } from "../../src/data/dates.js";

test.each(["2008", "2008-2", "2008-02-29", "2000-02-29", "2008-12-31", "2008-4-30", "1"])("%s is a date", (text) => {
  expect(isDate(text)).toBe(true);
});

test.each([
  "2008-13-45",
  "2008-13",
  "2008-00-01",
  "2008-01-00",
  "2008-02-30",
  "2007-02-29",
  "1900-02-29",
  "2008-04-31",
  "2008-01-32",
  "2008-01-01T00:00",
  "",
])("%s is no date", (text) => {
  expect(isDate(text)).toBe(false);
});
