import { describe, expect, test } from "vitest";
import { personaVersions } from "../../../src/report/personas/persona.js";
import type { Json, Trace } from "../../../src/types/index.js";

const trace = (...notes: readonly { readonly kind: string; readonly data: Json }[]): Trace => ({
  cell: "c",
  unit: "u1",
  requests: [],
  notes,
});
const initial = { version: 0, outcome: "initial", gradients: [], persona: "You help.\nUser summary: {comedy}" };
const updated = {
  version: 1,
  outcome: "updated",
  gradients: [
    { event: "e7", text: "Search for `heists`.\nNot for trains." },
    { event: "e8", text: "Keep it short." },
  ],
  persona: "You help.\nUser summary: {comedy}\nThey like <b>heists</b>.",
};
const kept = { version: 2, outcome: "kept", gradients: [], persona: updated.persona };
const versions = personaVersions(
  trace(
    { kind: "summary", data: "comedy" },
    { kind: "persona", data: initial },
    { kind: "persona", data: updated },
    { kind: "persona", data: kept },
  ),
);

describe("the personas of a trace", () => {
  test("are its persona notes in order, with the feedback that led to each", () => {
    expect(versions).toEqual([initial, updated, kept]);
  });

  test("are none where no note is one", () => {
    expect(personaVersions(trace({ kind: "summary", data: "x" }))).toEqual([]);
    expect(personaVersions(trace({ kind: "persona", data: "x" }, { kind: "persona", data: null }))).toEqual([]);
    expect(personaVersions(trace({ kind: "persona", data: { version: "1", persona: "x" } }))).toEqual([]);
  });
});
