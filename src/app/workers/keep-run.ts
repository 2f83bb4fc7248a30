import { isUnitDone } from "../../run/engine.js";
import type { RunFolder, RunRecords } from "../../run/folder.js";
import type { Arm } from "../../run/plan/plan.js";
import type { RunRows } from "../../run/rows.js";
import type { Row } from "../../types/index.js";
import type { UnitJob } from "../../workers/queue.js";
import { answeringFacts, type CallTally } from "../run/call-tally.js";
import { isCut } from "../run/models/call-notices.js";
import { recallEndpoints } from "../run/models/endpoints.js";
import type { Prepared } from "../run/prepare.js";
import type { Keeping } from "./crew.js";
import type { UnitRecords } from "./remote.js";

interface Home {
  readonly home: RunFolder;
  readonly records: RunRecords;
  readonly tally: CallTally;
  onRow(row: Row): void;
}

/** Keeps in a run's folder what its workers bring. */
export function keepRun(run: Prepared, { home, records, tally, onRow }: Home): Keeping {
  const { rows } = records;
  return {
    records,
    heard(reply) {
      tally.replies += 1;
      if (isCut(reply)) tally.cut += 1;
      run.emit({ kind: "call", usage: reply.usage, fromStore: false });
      if (reply.model === "" || tally.answeredBy.has(reply.model)) return;
      tally.answeredBy.add(reply.model);
      home.write(answeringFacts(run, tally, home.manifest), { onceBegun: true });
    },
    unit({ cell, unit, content }) {
      const made = JSON.parse(content) as UnitRecords; // a worker of this version wrote it
      if (!rows.isPrepared(cell, unit)) {
        for (const one of made.traces) if (one.question === undefined) rows.trace(one);
        for (const one of made.timings) if (one.question === undefined) rows.timing(one);
        for (const one of made.units) rows.unit(one);
      }
      for (const row of made.rows) {
        if (rows.isDone(cell, row.question)) continue;
        for (const one of made.traces) if (one.question === row.question) rows.trace(one);
        for (const one of made.timings) if (one.question === row.question) rows.timing(one);
        rows.row(row);
        onRow(row);
      }
    },
    learned({ endpoints, probes }) {
      recallEndpoints(run.models, { endpoints });
      for (const [name, probe] of Object.entries(probes ?? {})) tally.probes[name] ??= probe;
    },
  };
}

/** What is not done yet, user by user in all arms, as one process goes. */
export function openUnits(arms: readonly Arm[], rows: RunRows): UnitJob[] {
  const most = Math.max(0, ...arms.map(({ loaded }) => loaded.units.length));
  const open: UnitJob[] = [];
  for (let at = 0; at < most; at++)
    for (const arm of arms) {
      const unit = arm.loaded.units.at(at);
      if (unit !== undefined && !isUnitDone(arm, unit, rows)) open.push({ cell: arm.cell.id, unit: unit.id, at });
    }
  return open;
}
