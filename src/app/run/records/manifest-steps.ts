import { type Manifest, writeManifest } from "../../../run/manifest.js";
import { repeatedCalls, requestsByCell } from "../../../run/rows.js";
import { refuseBrokenSeals, sealRun, withoutKept } from "../../../run/seals.js";
import { timestamp } from "../../common/timestamp.js";
import { clearReplay, concludeReplay } from "../../replay/replay.js";
import { endpointsOf, withNotApplied } from "../models/endpoints.js";
import { ratesOf } from "../models/rates.js";
import type { CallTally } from "../pilot/call-tally.js";
import type { Prepared } from "../prepare.js";

/** What a run writes into its manifest on its way, and what becomes of the seals of one that had ended before. */
export interface ManifestSteps {
  /** Every sealed record is there as it was. */
  readonly whole: boolean;
  /** All checks are passed, records will be written. */
  begin(): void;
  /** A reply has come from a model of this name: written down at its first, the last process may send nothing. */
  answered(model: string, batch: boolean): void;
  /** All work is done, files will be put in order. Throws UsageError where sealed records were changed meanwhile. */
  beforeFinish(): void;
  /** Seals the records where all is done, and writes down how the run ended. Returns what a replay found. */
  end(reason: unknown): Manifest["replay"];
}

/** `opened`: as it was found or made; `manifest`: the same of a run at work; `shown`: the folder as messages name it. */
export function openManifestSteps(
  { models, replay, settings, folder, emit, io }: Prepared,
  {
    opened,
    manifest,
    tally,
    shown,
  }: { readonly opened: Manifest; readonly manifest: Manifest; readonly tally: CallTally; readonly shown: string },
): ManifestSteps {
  const byBatch = () => (tally.batch ? { batch: true as const } : {});
  const answering = () => ({
    ...(tally.answeredBy.size === 0 ? {} : { answeredBy: [...tally.answeredBy].sort(), ...byBatch() }),
    ...endpointsOf(models, manifest, settings.baseUrl, timestamp(io)),
  });
  const facts = () => {
    const finishedAt = timestamp(io);
    if (tally.idle) return { finishedAt };
    return {
      finishedAt,
      requests: requestsByCell(folder),
      ...repeatedCalls(folder, manifest.plan.cells),
      ...sealRun(folder, manifest, finishedAt),
    };
  };
  let begun = false;
  return {
    whole: opened.records !== undefined && manifest.mending === undefined,
    begin() {
      if (replay !== undefined) clearReplay(folder);
      writeManifest(folder, tally.idle ? opened : { ...manifest, ...answering() });
      begun = true;
    },
    answered(model, batch) {
      const isNews = (model !== "" && !tally.answeredBy.has(model)) || (batch && !tally.batch);
      if (!isNews) return;
      if (model !== "") tally.answeredBy.add(model);
      if (batch) tally.batch = true;
      if (begun && !tally.idle) writeManifest(folder, { ...manifest, ...answering() });
    },
    beforeFinish() {
      if (tally.idle || manifest.kept === undefined) return;
      refuseBrokenSeals(folder, shown, manifest);
      writeManifest(folder, { ...withoutKept(manifest), ...answering() });
    },
    end(reason) {
      const finished = reason === undefined ? facts() : {};
      const tell = (line: string): void => emit({ kind: "remark", line });
      const replayed = replay === undefined ? undefined : concludeReplay(replay, { folder, shown }, tell);
      const { mending: _mended, kept: _kept, ...ended } = manifest;
      writeManifest(folder, {
        ...(tally.idle ? opened : reason === undefined ? ended : manifest),
        ...finished,
        answeredBy: [...tally.answeredBy].sort(),
        ...tally.gauges.facts(),
        ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
        ...byBatch(),
        ...(replay === undefined && !tally.idle
          ? {
              ...endpointsOf(models, manifest, settings.baseUrl, timestamp(io)),
              tasks: withNotApplied(manifest.tasks, models),
            }
          : {}),
        ...(tally.sent === 0 ? {} : ratesOf(tally.seen)),
        ...(replayed === undefined ? {} : { replay: replayed }),
      });
      return replayed;
    },
  };
}
