import { describe, expect, it } from "vitest";
import { type LeakKind, leakKinds } from "../../src/data/audit.js";
import { planted } from "./leaks/planted.js";
import { whatARunDoes } from "./leaks/what-a-run-does.js";

describe("the audit's grade is what a run does", () => {
  it.each(planted.map((leak) => [leak.what, leak] as const))("%s", async (_what, leak) => {
    const { audit, isShown } = await whatARunDoes(leak);
    const { grade } = leakKinds[leak.kind];
    const found = (Object.keys(audit.found) as LeakKind[]).filter((kind) => audit.found[kind] > 0);
    expect(found.filter((kind) => leakKinds[kind].grade === grade)).toEqual([leak.kind]);
    expect(audit.verdict).toBe({ shown: "leaks", hidden: "clean", suspicion: "suspicions" }[grade]);
    if (isShown !== undefined) expect(isShown).toBe(grade !== "hidden");
  });

  it("is tried for every kind of finding", () => {
    expect(new Set(planted.map(({ kind }) => kind))).toEqual(new Set(Object.keys(leakKinds) as LeakKind[]));
  });
});
