import { describe, expect, test } from "vitest";
import { personaVersions, renderPersona } from "../../../src/report/personas/persona.js";
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
    expect(renderPersona("u1", [], true)).toBe("u1: no persona");
  });
});

describe("a rendered persona", () => {
  test("without diff is the last version as it is", () => {
    expect(renderPersona("lamp2m · u1", versions, false)).toBe(`lamp2m · u1: persona P2 (kept)\n\n${updated.persona}`);
  });

  test("with diff is the first version, then each change with its gradients", () => {
    expect(renderPersona("lamp2m · u1", versions, true)).toBe(
      [
        "lamp2m · u1: P0",
        "",
        "You help.",
        "User summary: {comedy}",
        "",
        "P0 -> P1 (updated)",
        "gradient 1 (e7):",
        "  Search for `heists`.",
        "  Not for trains.",
        "gradient 2 (e8):",
        "  Keep it short.",
        "",
        "  You help.",
        "  User summary: {comedy}",
        "+ They like <b>heists</b>.",
        "",
        "P1 -> P2 (kept)",
        "",
        "  You help.",
        "  User summary: {comedy}",
        "  They like <b>heists</b>.",
      ].join("\n"),
    );
  });
});
