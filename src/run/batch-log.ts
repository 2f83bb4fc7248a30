import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { KnownWave, WaveLog } from "../models/batch/waves.js";
import type { WaveFacts } from "../types/index.js";
import { Journal, openDamage, readJournal, type SetAside } from "./journal.js";

/**
 * A line before a wave of requests is sent; one when its provider has taken it, or never will; one for each request of it that
 * brought no reply. Whatever else of it has no stored reply is still out.
 */
type BatchRecord =
  | {
      readonly wave: string;
      readonly model: string;
      /** Milliseconds since the epoch. */
      readonly at: number;
      /** Of the requests, in the store of replies. */
      readonly keys: readonly string[];
    }
  /** Behind the line of a wave, before it is sent: of a wave that is out no last line can be cut off unseen. */
  | { readonly wave: string; readonly leaves: true }
  | { readonly wave: string; readonly batch: string }
  | { readonly wave: string; readonly dropped: true }
  | { readonly wave: string; readonly lost: string };

/** The file of batches, so that no request is bought twice over kills and resumes. There is none until a batch is sent. */
export class BatchLog implements WaveLog {
  readonly waves: readonly KnownWave[];
  readonly count: number;
  readonly doubts: readonly string[];
  readonly #path: string;
  #journal: Journal | undefined;

  /** `isStored`: whether the store of replies holds one to this request. */
  constructor(path: string, isStored: (key: string) => boolean) {
    this.#path = path;
    if (existsSync(path)) this.#journal = new Journal(path, UNSYNCED);
    const { out, count, begun, orphans } = wavesIn(path, isStored);
    this.waves = out;
    this.count = count;
    this.doubts = existsSync(path) ? [...damagedWaves(path, begun), ...orphans] : [];
  }

  get damage(): readonly SetAside[] {
    return this.#journal?.damage ?? [];
  }

  /** Requests that are out, or may be. */
  get linesOut(): number {
    return this.waves.reduce((sum, { keys }) => sum + keys.length, 0);
  }

  intended({ id, sinceMs }: WaveFacts, model: string, keys: readonly string[]): void {
    this.#write({ wave: id, model, at: sinceMs, keys });
    this.#write({ wave: id, leaves: true });
    this.#journal?.sync();
  }

  created(wave: string, batch: string): void {
    this.#write({ wave, batch });
    this.#journal?.sync();
  }

  dropped(wave: string): void {
    this.#write({ wave, dropped: true });
  }

  lost(wave: string, key: string): void {
    this.#write({ wave, lost: key });
  }

  close(): void {
    this.#journal?.close();
  }

  #write(record: BatchRecord): void {
    this.#journal ??= new Journal(this.#path, UNSYNCED);
    this.#journal.append(record);
  }
}

/** A batch must be known before it is sent, and its id at once; the rest may be lost in a power cut: it is asked for again. */
const UNSYNCED = { recordsPerSync: Number.POSITIVE_INFINITY };

/** What of a file's waves may be out, and how many there ever were. */
function wavesIn(
  path: string,
  isStored: (key: string) => boolean,
): {
  readonly out: readonly KnownWave[];
  readonly count: number;
  readonly begun: ReadonlySet<string>;
  readonly orphans: readonly string[];
} {
  let count = 0;
  const begun = new Set<string>();
  const orphans = new Map<string, string>();
  const waves = new Map<string, { facts: Omit<KnownWave, "keys">; keys: Set<string> }>();
  for (const record of readJournal<BatchRecord>(path)) {
    const { wave } = record;
    const known = waves.get(wave);
    if ("keys" in record) {
      const { model, at, keys } = record;
      count += 1;
      begun.add(wave);
      const facts = { id: wave, sinceMs: at, lines: keys.length, model, batch: undefined };
      for (const { keys: older } of waves.values()) for (const key of keys) older.delete(key); // it went out anew
      waves.set(wave, { facts, keys: new Set(keys) });
    } else if (known === undefined) {
      if ("dropped" in record) orphans.delete(wave);
      else if (!begun.has(wave)) orphans.set(wave, "batch" in record ? `batch ${record.batch}` : `wave ${wave}`);
    } else if ("leaves" in record) continue;
    else if ("batch" in record) known.facts = { ...known.facts, batch: record.batch };
    else if ("dropped" in record) waves.delete(wave);
    else known.keys.delete(record.lost);
  }
  const out = [...waves.values()]
    .map(({ facts, keys }) => ({ ...facts, keys: [...keys].filter((key) => !isStored(key)) }))
    .filter(({ keys }) => keys.length > 0);
  const lost = [...orphans.values()].map((name) => `which requests are in ${name} is not known: its line is gone`);
  return { out, count, begun, orphans: lost };
}

/** Damage that may have held which requests are out: all but later lines of waves whose beginning is known. */
function damagedWaves(path: string, begun: ReadonlySet<string>): string[] {
  const ofFile = openDamage(dirname(path)).filter(({ file }) => file === basename(path));
  return ofFile.flatMap(({ line, text }) => {
    const [, wave = ""] = LATER_LINE.exec(text) ?? [];
    return begun.has(wave) ? [] : [`line ${line} is damaged, which may have said which requests are out`];
  });
}

const LATER_LINE = /^\{"wave":"([^"]*)","(?:leaves|batch|dropped|lost)":/;
