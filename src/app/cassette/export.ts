import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { writeWhole } from "../../disk/whole-file.js";
import { type Cassette, cassetteFile, openCassette } from "../../run/cassette/cassette.js";
import { cassetteLines } from "../../run/cassette/cassette-writer.js";
import { openRunFolder } from "../common/run-folder.js";
import { tellDamage } from "../common/tell-damage.js";
import type { Io } from "../io.js";

interface ExportedCassette {
  /** Absolute. */
  readonly file: string;
  readonly cassette: Cassette;
}

/**
 * Writes the requests and replies of a run, and what was recorded from outside, as one sorted file. `out` is a folder, or a
 * file named `*.jsonl` or `*.jsonl.gz`. Throws UsageError where there is no run.
 */
export function exportCassette(
  { run, out }: { readonly run: string; readonly out: string },
  io: Pick<Io, "cwd" | "tell">,
): ExportedCassette {
  const { path, manifest } = openRunFolder(run, io.cwd);
  tellDamage(run, path, manifest, io);
  const asFile = /\.jsonl(\.gz)?$/.test(out);
  const file = asFile ? resolve(io.cwd, out) : join(resolve(io.cwd, out), cassetteFile);
  const lines = cassetteLines(path, manifest);
  writeWhole(file, out.endsWith(".gz") ? packed([...lines].join("")) : lines, { shared: true });
  const cassette = openCassette(file, out);
  const { counts, complete } = cassette.head;
  if (counts.calls + counts.places === 0) io.tell(`${run} has no replies yet, so there is nothing to replay`);
  if (!complete) io.tell(`${run} has not ended: the cassette holds what is answered so far`);
  return { file, cassette };
}

/** RFC 1952, 2.3: the byte of the operating system, which would make equal content unequal files. */
const GZIP_OS_BYTE = 9;
const UNKNOWN_OS = 255;

function packed(text: string): Buffer {
  const bytes = gzipSync(text, { level: 9 });
  bytes[GZIP_OS_BYTE] = UNKNOWN_OS;
  return bytes;
}
