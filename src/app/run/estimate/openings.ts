import { requestKey } from "../../../models/wrap/cached.js";
import type { RunRecords } from "../../../run/folder.js";
import { ofUsers } from "../../../run/plan/part.js";
import type { Arm } from "../../../run/plan/plan.js";
import { type BoundSettings, boundArm } from "../../../run/rehearse.js";
import { type OpeningOf, type PlannedRequest, sharedOpenings, unknownReply } from "../../../run/shared-openings.js";
import type { Model, ModelRequest } from "../../../types/index.js";
import type { RunSettings } from "../config/run-settings.js";
import type { Prepared } from "../prepare.js";

/** What is done already, and needs no call. */
type Done = Pick<RunRecords, "rows" | "store"> & Pick<BoundSettings, "artifacts">;

/**
 * What the single calls of a run begin with alike, by model, so that a provider's cache may keep it: found by walking through the
 * first questions of each arm that are not done. Sends nothing. Empty where no model has a cache that is steered.
 */
export async function plannedOpenings(
  arms: readonly Arm[],
  { models, embedders, tools, files, replay }: Prepared,
  { cache, batch }: Pick<RunSettings, "cache" | "batch">,
  done: Done,
): Promise<ReadonlyMap<string, OpeningOf>> {
  if (cache === "off" || batch !== undefined || replay !== undefined) return new Map();
  const found = new Map<string, OpeningOf>();
  for (const model of models) {
    const { capabilities, simulated, id } = model;
    if (simulated || capabilities.cache === undefined) continue;
    const planned = new Map<string, PlannedRequest>();
    for (const arm of arms.filter(({ cell }) => cell.model === id && cell.repeat === 0)) {
      if (embedders.isCostly(arm.cell.options)) continue; // what it would retrieve is not known before
      await walk(arm, model, done, {
        embedder: embedders.of(arm.cell.options),
        tool: tools.tool,
        files,
        heard(_bytes, origin, request) {
          const key = requestKey(id, request);
          const { cell, question } = origin;
          if (done.store.get(key) !== undefined || (question !== undefined && done.rows.isDone(cell, question))) return;
          if (!planned.has(key)) planned.set(key, { request, origin });
        },
      });
    }
    if (planned.size > 1) found.set(id, sharedOpenings([...planned.values()], capabilities.cache));
  }
  return found;
}

/** A start waits for this walk, and shared openings show early. */
const QUESTIONS = 1000;

/** Loops are marked as they are; programs ask by themselves. */
async function walk(
  arm: Arm,
  { id, capabilities }: Model,
  done: Done,
  settings: Pick<BoundSettings, "embedder" | "tool" | "files" | "heard">,
): Promise<void> {
  const { method, options, loaded, cell } = arm;
  if (method.callsElsewhere === true || method.needs?.(options).agent === true) return;
  const users = new Set<string>();
  let questions = 0;
  for (const { user, examples } of loaded.units) {
    if (questions >= QUESTIONS) break;
    const open = examples.filter(({ question }) => !done.rows.isDone(cell.id, question.id)).length;
    if (open > 0) users.add(user.id);
    questions += open;
  }
  const replies = (request: ModelRequest): string => unknownReply(requestKey(id, request));
  const walked = { ...arm, loaded: ofUsers(loaded, (user) => users.has(user)) };
  const kept = done.artifacts === undefined ? {} : { artifacts: done.artifacts };
  await boundArm(walked, { ...settings, ...kept, capabilities, replies }).catch(endOfWalk);
}

/** A method that makes nothing of replies as long as may be still runs; what was walked through until then counts. */
function endOfWalk(error: unknown): void {
  if (!(error instanceof Error)) throw error;
}
