import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Audit, audit } from "../../../src/data/audit.js";
import { openSource } from "../../../src/data/formats/index.js";
import { loadDataset } from "../../../src/data/load.js";
import { dataOptions } from "../../../src/data/options.js";
import { seenOf } from "../../../src/data/others.js";
import { complete, readOptions } from "../../../src/registry/options.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Planted } from "./planted.js";

export interface Outcome {
  readonly audit: Audit;
  /** Whether a method would see the planted item; undefined where the question itself gives the answer away. */
  readonly isShown: boolean | undefined;
}

/** Audits the data set, and looks whether a run shows what is planted. */
export async function whatARunDoes(leak: Planted): Promise<Outcome> {
  const task = tasks.get(leak.task);
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-leak-"));
  try {
    writeFileSync(join(folder, "users.json"), JSON.stringify(leak.users));
    if (leak.training !== undefined) writeFileSync(join(folder, "user_others.json"), JSON.stringify(leak.training));
    const found = await audit(await openSource(folder, task), task);
    const loading = { task, path: folder, lamp1Labels: "none", emptyProfile: "keep", seed: 0 } as const;
    const knobs = readOptions(dataOptions, complete(dataOptions, {}));
    const { units, others } = seenOf(await loadDataset(loading), task, knobs, false);
    const { item } = leak;
    if (item === undefined) return { audit: found, isShown: undefined };
    const unit = [...units].find(({ examples }) => examples.some(({ question }) => question.id === "q"));
    const asked = unit?.examples.find(({ question }) => question.id === "q")?.question;
    const events =
      item.where === "past" ? unit?.user.history : others.eventsFor("u", asked?.date).map(({ event }) => event);
    return { audit: found, isShown: events?.some(({ id }) => id === item.id) === true };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
