import { calls } from "../disk/calls.js";
import { FileError, onFile } from "../disk/file-error.js";
import { writeWhole } from "../disk/whole-file.js";
import { Journal } from "./journal.js";
import { originKey } from "./origin-key.js";
import { RunningSeal } from "./record-hashes.js";
import { checkedRecord, recordOf } from "./record-line.js";
import { SAFE, type Span } from "./scan.js";
import { SortedSpans } from "./sorted-spans.js";

/** Where the records of a file stand, all of which this process has appended; forgotten where they are many. */
export class OwnRecords {
  #spans: SortedSpans | undefined;
  #count = 0;
  #end = 0;

  /** `journal`: as it was opened. */
  constructor({ isEmpty }: Pick<Journal, "isEmpty">) {
    this.#spans = isEmpty ? new SortedSpans() : undefined;
  }

  add(record: Keyed, span: Span): void {
    if (this.#spans === undefined) return;
    this.#end = span.offset + span.length + 1;
    this.#count += 1;
    if (this.#count > MOST_RECORDS || this.#end > MOST_BYTES) this.#spans = undefined;
    else this.#spans.add(originKey(record), span);
  }

  /** Puts the file, which is closed, in order. False where it is not what was appended, or that is forgotten: nothing is changed. */
  sort(path: string): boolean {
    if (this.#spans === undefined || this.#count === 0) return false;
    const bytes = bytesOf(path, this.#end);
    if (bytes === undefined) return false;
    const seal = new RunningSeal();
    const inOrder = Buffer.allocUnsafe(bytes.length);
    let used = 0;
    for (const { offset, length } of this.#spans.inOrder()) {
      const body = checkedRecord(bytes.subarray(offset, offset + length))?.body;
      if (body === undefined || bytes[offset + length] !== LINE_FEED) return false;
      seal.add(body);
      used += bytes.copy(inOrder, used, offset, offset + length + 1);
    }
    writeWhole(path, inOrder.subarray(0, used));
    seal.keep(path, used);
    return true;
  }
}

/** Puts a file in order: the last record of each key. Holds spans, not records, so that a run of any length can be. */
export function sortFile(path: string): void {
  let spans = new SortedSpans();
  const source = new Journal(path, {
    visitor: () => {
      const fresh = new SortedSpans();
      spans = fresh;
      return ({ body, ...span }, record) => fresh.add(originKey((record ?? recordOf(body)) as Keyed), span);
    },
  });
  const seal = new RunningSeal();
  let end = 0;
  const pieces = function* (): Generator<Buffer> {
    for (const piece of sorted(spans, source, seal)) {
      end += piece.length;
      yield piece;
    }
  };
  writeWhole(path, pieces());
  seal.keep(path, end);
}

// --- internal ---

const MOST_RECORDS = 50_000;
const MOST_BYTES = 16 * 2 ** 20;
const LINE_FEED = 0x0a;
const BYTES_AT_ONCE = 1 << 16;

/** What keys are made of. */
interface Keyed {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string | undefined;
}

/** Undefined where the file has another size. Throws FileError. */
function bytesOf(path: string, size: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(size + 1);
  const file = onFile(path, SAFE, () => calls().open(path, "r"));
  try {
    const got = onFile(path, SAFE, () => calls().read(file, bytes, 0, bytes.length, 0));
    return got === size ? bytes.subarray(0, size) : undefined;
  } finally {
    calls().close(file);
  }
}

/** Closes the source before the new file takes its name: some systems rename over no open file. */
function* sorted(spans: SortedSpans, source: Journal, seal: RunningSeal): Generator<Buffer> {
  let pending: Buffer[] = [];
  let bytes = 0;
  try {
    source.hold();
    for (const span of spans.inOrder()) {
      const written = source.written(span);
      if (written === undefined) throw new FileError(source.path, "EIO", SAFE);
      seal.add(written.body);
      pending.push(written.line);
      bytes += written.line.length;
      if (bytes < BYTES_AT_ONCE) continue;
      yield Buffer.concat(pending);
      pending = [];
      bytes = 0;
    }
    yield Buffer.concat(pending);
  } finally {
    source.close();
  }
}
