import { join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { type Cassette, openCassette } from "../../run/cassette/cassette.js";
import { lockFolder, otherOut } from "../../run/lease.js";
import { readManifest } from "../../run/manifest/manifest.js";
import { runFiles } from "../../run/run-rows.js";
import { ResponseStore } from "../../run/stores/response-store.js";
import { FileVectors } from "../../run/stores/vector-store.js";
import { nounOf } from "../../text/count.js";
import type { Io } from "../io.js";

interface ImportedCassette {
  readonly cassette: Cassette;
  /** Replies that the run folder did not have. */
  readonly added: number;
  /** Replies that it had. */
  readonly before: number;
}

/** Begins a run folder with the replies of a cassette. Throws UsageError on a damaged cassette, and where `out` holds a replay. */
export function importCassette(
  { cassette: named, out }: { readonly cassette: string; readonly out: string },
  io: Pick<Io, "cwd">,
): ImportedCassette {
  const cassette = openCassette(resolve(io.cwd, named), named);
  const folder = resolve(io.cwd, out);
  if (readManifest(folder)?.replay !== undefined)
    throw new UsageError(
      `--out ${out}: holds a replay, which a run that calls cannot go on with; choose another folder`,
    );
  const release = lockFolder(folder, { elseDo: otherOut });
  try {
    const counts = importCalls(cassette, folder);
    importVectors(cassette, folder);
    return { cassette, ...counts };
  } finally {
    release();
  }
}

/** What came in, in one line. */
export function importedText({ cassette, added, before }: ImportedCassette): string {
  const note = cassette.head.simulated ? " (SIMULATED)" : "";
  return `${added} ${nounOf(added, "reply", "replies")} of cassette ${cassette.id.slice(0, 12)}${note}, ${before} were there`;
}

function importCalls(cassette: Cassette, folder: string): Pick<ImportedCassette, "added" | "before"> {
  const store = new ResponseStore(join(folder, runFiles.responses));
  try {
    const before = store.size;
    for (const key of cassette.keys()) {
      const call = cassette.call(key);
      if (call !== undefined) store.put(key, call.request, call.reply);
    }
    return { added: store.size - before, before };
  } finally {
    store.close();
  }
}

function importVectors(cassette: Cassette, folder: string): void {
  if (cassette.head.counts.vectors === 0) return;
  const vectors = new FileVectors(join(folder, runFiles.vectors));
  try {
    for (const key of cassette.vectorKeys()) {
      const vector = cassette.vector(key);
      if (vector !== undefined) vectors.put(key, vector);
    }
  } finally {
    vectors.close();
  }
}
