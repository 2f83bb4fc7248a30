import { describe, expect, it } from "vitest";
import { type LeakKind, leakKinds, verdictOf } from "../../src/data/audit.js";
import { markupOnly, planted } from "./leaks/planted.js";
import { whatARunDoes } from "./leaks/what-a-run-does.js";

describe("the audit's grade is what a run does", () => {
  it.each(planted.map((leak) => [leak.what, leak] as const))("%s", async (_what, leak) => {
    const { audit, isShown } = await whatARunDoes(leak);
    const { grade } = leakKinds[leak.kind];
    const found = (Object.keys(audit.found) as LeakKind[]).filter((kind) => audit.found[kind] > 0);
    expect(found.filter((kind) => leakKinds[kind].grade === grade)).toEqual([leak.kind]);
    expect(verdictOf(audit)).toBe({ shown: "leaks", hidden: "clean", suspicion: "suspicions" }[grade]);
    if (isShown !== undefined) expect(isShown).toBe(grade !== "hidden");
  });

  it("is none where only markup is in common", async () => {
    const { audit, isShown } = await whatARunDoes(markupOnly);
    expect([verdictOf(audit), isShown]).toEqual(["clean", true]);
    expect((await whatARunDoes(markupOnly, { "history.nearDuplicates": "error" })).isShown).toBe(true);
  });

  it("is tried for 25 kinds of leaks and more, every kind of finding among them", () => {
    expect(planted.length).toBeGreaterThanOrEqual(25);
    expect(new Set(planted.map(({ kind }) => kind))).toEqual(new Set(Object.keys(leakKinds) as LeakKind[]));
  });

  it("of near-duplicates can be made to hide them, or to stop the run", async () => {
    const nearDuplicates = planted.filter(({ kind }) => kind === "nearDuplicate" || kind === "nearDuplicateInPool");
    for (const leak of nearDuplicates) {
      expect((await whatARunDoes(leak, { "history.nearDuplicates": "hide" })).isShown, leak.what).toBe(false);
      await expect(whatARunDoes(leak, { "history.nearDuplicates": "error" }), leak.what).rejects.toThrow(
        /is nearly the text of question q/,
      );
    }
  });
});
