import { expect, test } from "vitest";
import { sourceOfRooms } from "../../scripts/mutation/rooms.js";
import { acceptedSurvivors, staleEntries } from "../../scripts/mutation/survivors.js";

const list = acceptedSurvivors("test/mutation/survivors.yaml");

test("every mutant that is let live stands in the code as it is, once, with a reason", () => {
  expect(list.length).toBeGreaterThan(300);
  expect(staleEntries(list, sourceOfRooms())).toEqual([]);
});

test("an entry whose code has gone, that is there twice, or whose file no room mutates is stale", () => {
  const [entry] = list;
  const gone = { ...entry!, code: "no such code" };
  const elsewhere = { ...entry!, file: "src/no-such-file.ts" };
  expect(staleEntries([entry!, entry!, gone, elsewhere], sourceOfRooms())).toEqual([entry, gone, elsewhere]);
});
