import { dirname, join } from "node:path";
import type { Placed } from "../../report/verify.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifacts.js";
import type { Asked } from "../../run/cassette/cassette.js";
import { askedByOrigin } from "../../run/cassette/cassette-writer.js";
import { readJournal } from "../../run/journal.js";
import type { Manifest } from "../../run/manifest.js";
import { KeyedRecords, type StoredCall, type StoredVector } from "../../run/replies.js";
import { runFiles } from "../../run/rows.js";
import type { Clock, Json, ModelReply, ModelRequest, Row, UnitRecord } from "../../types/index.js";
import { keptFile } from "../run/data/input-files.js";
import { readPlaced } from "./files.js";

/** What a run left behind, from its folder or from a file of evidence. */
export interface RunRecords {
  readonly manifest: Manifest;
  readonly rows: readonly Placed<Row>[];
  readonly units: readonly Placed<UnitRecord>[];
  readonly replies: {
    readonly size: number;
    keys(): Iterable<string>;
    get(key: string): { readonly reply: ModelReply; readonly request?: ModelRequest } | undefined;
  };
  /** Who asked for what, sorted; failures among it. */
  readonly asked: readonly Asked[];
  readonly searches: readonly Json[];
  readonly vectors: ReadonlyMap<string, StoredVector>;
  /** The text of a file that options name; undefined where it was not kept. */
  file(name: string): string | undefined;
}

export function recordsOf(
  folder: string,
  manifest: Manifest,
  rows: readonly Placed<Row>[],
  clock: Pick<Clock, "now">,
): RunRecords {
  const replies = new KeyedRecords<StoredCall>(join(folder, runFiles.responses), ({ key }) => key);
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock });
  const vectors = readJournal<StoredVector>(join(folder, runFiles.vectors));
  return {
    manifest,
    rows,
    units: readPlaced<UnitRecord>(folder, runFiles.units).records,
    replies,
    asked: askedByOrigin(folder),
    searches: [...readJournal<Json & object>(join(folder, runFiles.searches))],
    vectors: new Map([...vectors].map((record) => [record.key, record])),
    file: (name) => keptFile(name, artifacts),
  };
}
