import { FileError } from "../../disk/file-error.js";
import { writeWhole } from "../../disk/whole-file.js";
import { Journal } from "../journal/journal.js";
import { endOwn, type OwnLines } from "../journal/own-lines.js";
import { recordOf } from "../journal/record-line.js";
import { SAFE, type Span } from "../journal/scan.js";
import { originKey } from "../origin-key.js";
import { RunningSeal, rememberSeal } from "./record-hashes.js";
import { SortedSpans } from "./sorted-spans.js";

/** By key, where the records of a file stand, all of which this process has appended; forgotten where they are many. */
export class OwnRecords {
  readonly #own: OwnLines | undefined;
  /** Each with the number of its record behind it: so they sort without a function. */
  #keys: string[] = [];
  #starts: number[] = [];

  /** `journal`: as it was opened. */
  constructor({ own }: Pick<Journal, "own">) {
    this.#own = own;
  }

  /** The record whose line was appended to the file at `start`. */
  add(record: Keyed, { offset }: Pick<Span, "offset">): void {
    if (this.#own === undefined) return;
    if (this.#own.isForgotten) this.#forget();
    else {
      this.#keys.push(`${originKey(record)}${NUMBER_BEHIND}${FIRST_NUMBER + this.#starts.length}`);
      this.#starts.push(offset);
    }
  }

  /**
   * Puts the file, which is closed, in order. Returns the numbers of its records, as they came, in that order. Undefined where it is
   * not what was appended, or that is forgotten: nothing is changed.
   */
  sort(path: string): readonly number[] | undefined {
    if (this.#own === undefined || this.#starts.length === 0) return undefined;
    const bytes = this.#own.read(path);
    const order = this.#order();
    if (bytes === undefined || order === undefined) return undefined;
    const inOrder = new Uint8Array(bytes.length);
    const digests: string[] = [];
    let used = 0;
    for (const r of order) {
      inOrder.set(bytes.subarray(this.#starts[r], this.#starts[r + 1]), used); // the last ends with the file
      used += (this.#starts[r + 1] ?? bytes.length) - this.#starts[r]!;
      digests.push(this.#own.digests[r]!);
    }
    this.#forget();
    endOwn(path);
    writeWhole(path, inOrder.subarray(0, used));
    rememberSeal(path, digests, used);
    return order;
  }

  /** The last record of each key, in the order of the keys. Undefined where that of the texts may be another. */
  #order(): number[] | undefined {
    const order: number[] = [];
    let last = "";
    for (const text of this.#keys.sort()) {
      const end = text.length - NUMBER_LENGTH;
      const key = text.slice(0, end);
      if (key.includes(NUMBER_BEHIND)) return undefined;
      if (key === last) order.pop(); // a later record of the same key holds
      order.push(Number(text.slice(end + 1)) - FIRST_NUMBER);
      last = key;
    }
    return order;
  }

  #forget(): void {
    this.#keys = [];
    this.#starts = [];
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

/** Before every other letter, so that a key stands before those that begin with it. */
const NUMBER_BEHIND = "\0";
/** Of as many digits as the last. */
const FIRST_NUMBER = 1_000_000;
const NUMBER_LENGTH = NUMBER_BEHIND.length + String(FIRST_NUMBER).length;
const BYTES_AT_ONCE = 1 << 16;

/** What keys are made of. */
interface Keyed {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string | undefined;
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
