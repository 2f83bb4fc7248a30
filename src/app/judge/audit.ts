import { join } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { armsOf } from "../../report/arms.js";
import type { Audit } from "../../report/judgements/audit.js";
import { auditTable } from "../../report/judgements/audit-text.js";
import { type Table, titleOf } from "../../report/table.js";
import { renderMarkdown } from "../../report/tables/markdown.js";
import { renderText } from "../../report/tables/text.js";
import { catalogueOf } from "../catalogue.js";
import { openRunFolder } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { auditFolder, type JudgeResult, judgeRun } from "./judge.js";
import type { JudgeSettings } from "./open-judge.js";

interface AuditResult extends Pick<JudgeResult, "text" | "folder" | "sent" | "interrupted"> {
  /** Absent where it was interrupted, as the table is. */
  readonly audit?: Audit;
  readonly columns?: readonly string[];
  readonly rows?: Table["rows"];
}

/**
 * Whether the order of a run's arms depends on the judge: every judge with every model (`--judge A,B --model X,Y`) over the stored
 * replies, the first setting twice, and each over one constant answer. A judgement of the run that is there is not asked again; caps
 * hold for all settings together. Throws UsageError where there is nothing to compare.
 */
export async function auditJudges(settings: JudgeSettings, io: Io, signal?: AbortSignal): Promise<AuditResult> {
  const { path, manifest } = openRunFolder(settings.run, io.cwd);
  const { cells } = manifest.plan;
  const listed = (names: string | undefined) => names?.split(",").map((name) => name.trim()) ?? [undefined];
  const { judges } = catalogueOf(io);
  const chosen = listed(settings.judge).flatMap((judge) => {
    const against = judge !== undefined && judges.get(judge, "--judge").shows === 1 ? undefined : settings.against;
    return listed(settings.model).map((model) => ({ judge, model, against }));
  });
  if (chosen.length < 2)
    throw new UsageError("--audit compares judges: name two or more with --judge A,B or --model X,Y");
  if (new Set(cells.map(({ task }) => task)).size === armsOf(cells).length)
    throw new UsageError(`judge ${settings.run} --audit: no task of it has two arms, so there is no order to look at`);
  const folder = auditFolder(path);
  const isCapped = settings.maxCalls !== undefined || settings.maxUsd !== undefined;
  if (isCapped) throw new UsageError("--audit asks several judges and a cap is of one; leave one out");
  makePrivateFolder(folder);
  let sent = 0;
  const results: JudgeResult[] = [];
  for (const control of [undefined, "constant", "again"] as const)
    for (const choice of control === "again" ? chosen.slice(0, 1) : chosen) {
      const result = await judgeRun({ ...settings, ...choice }, io, signal, control);
      sent += result.sent;
      if (result.interrupted) return { text: "", folder, sent, interrupted: true };
      results.push(result);
    }
  const { audit, table } = auditTable({
    cells,
    settings: results.slice(0, chosen.length),
    constants: results.slice(chosen.length, -1),
    again: results.at(-1)!, // asked last
  });
  writeWhole(join(folder, "audit.md"), `${renderMarkdown(table)}\n`);
  const { columns, rows } = table;
  return { text: renderText(table), folder, sent, interrupted: false, audit, columns: columns.map(titleOf), rows };
}
