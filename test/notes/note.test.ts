import { describe, expect, test } from "vitest";
import { notesOf, readNote } from "../../src/notes/note.js";

describe("a note of a trace", () => {
  test("is read as what its kind tells", () => {
    const note = { kind: "simulation", data: { event: "e", persona: 0, question: "q", expected: "x", visible: 2 } };
    const failed = { ...note, data: { ...note.data, response: null } };
    expect(readNote(failed)).toEqual(failed);
  });

  test("of an unknown kind, or of another form than its kind's, is kept whole under its name", () => {
    expect(readNote({ kind: "mine", data: [1] })).toEqual({ kind: "custom", data: { name: "mine", data: [1] } });
    expect(readNote({ kind: "persona", data: null })).toEqual({
      kind: "custom",
      data: { name: "persona", data: null },
    });
    expect(readNote({ kind: "toString", data: "x" }).kind).toBe("custom");
  });

  test("of a thing from outside is read as it was written", () => {
    const note = { kind: "custom", data: { name: "mine", data: { a: null } } };
    expect(readNote(note)).toEqual(note);
  });

  test("is found by its kind, in order, where its form is right", () => {
    const notes = [
      { kind: "summary", data: "first" },
      { kind: "retrieved", data: ["e1"] },
      { kind: "summary", data: 2 },
      { kind: "summary", data: "second" },
    ];
    expect(notesOf(notes, "summary")).toEqual(["first", "second"]);
  });
});
