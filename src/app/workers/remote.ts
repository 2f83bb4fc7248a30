import { embeddedBy } from "../../embedders/cached.js";
import { BudgetError } from "../../errors.js";
import type { SharedPace } from "../../models/rate/shared-pace.js";
import type { ResponseStore } from "../../models/wrap/cached.js";
import type { Rows } from "../../run/engine-settings.js";
import { vectorOf, vectorRecord } from "../../run/replies.js";
import { isShared } from "../../run/rows.js";
import type { Clock, Embedder, ModelReply, ModelRequest, Row, Timing, Trace, UnitRecord } from "../../types/index.js";
import type { BoardRun } from "../../workers/board.js";
import type { Exchange } from "../../workers/exchange.js";
import type { Watch } from "../run/models/watched.js";

/** Between two looks at caps that tries in flight stand in the way of. */
const LATER_MS = 200;

/**
 * The replies and caps of a run that many workers share: each reply is bought once, and stands in the database together with what it cost
 * before the method gets it. `caps`: as they are now, since the run's process may have set others.
 */
export function remoteCalls(
  exchange: Exchange,
  caps: () => Promise<Pick<BoardRun, "maxCalls" | "maxUsd"> | undefined>,
  clock: Clock,
): { readonly store: ResponseStore; readonly purse: NonNullable<Watch["sharedPurse"]>; readonly pace: SharedPace } {
  /** Costs of replies that are not kept yet. */
  const costs = new Map<string, { readonly calls: 0 | 1; readonly usd: number; readonly uncertainUsd: number }>();
  /** Replies that came with others. */
  const beside = new Map<string, ModelReply>();
  const settleCost = (key: string): void => {
    const cost = costs.get(key);
    costs.delete(key);
    if (cost !== undefined) exchange.settle(key, cost);
  };
  const keep = async (key: string, request: ModelRequest, reply: ModelReply): Promise<ModelReply> => {
    const content = JSON.stringify(reply);
    settleCost(key); // with what it cost, in one transaction
    const stands = await exchange.keep("reply", key, content, JSON.stringify(request));
    return stands === content ? reply : (JSON.parse(stands) as ModelReply);
  };
  return {
    store: {
      get: (key) => beside.get(key),
      async put(key, request, reply) {
        beside.set(key, await keep(key, request, reply));
      },
      shared: {
        async claim(key, signal) {
          const content = await exchange.claim("reply", key, signal);
          return content === undefined ? undefined : (JSON.parse(content) as ModelReply);
        },
        keep,
        release(key) {
          settleCost(key);
          exchange.release("reply", key);
        },
      },
    },
    purse: {
      async take(upToUsd, key) {
        const verdict = await exchange.take(key, upToUsd);
        if (verdict === "later") return verdict;
        if (verdict === "calls") return new BudgetError(`--max-calls ${(await caps())?.maxCalls} is reached`);
        if (verdict === "usd")
          return new BudgetError(
            `--max-usd ${(await caps())?.maxUsd} would be passed (next call up to $${upToUsd.toFixed(4)})`,
          );
        return {
          settle: (end) => (end.answered === true ? void costs.set(key, end) : exchange.settle(key, end)),
        };
      },
      changed: (signal) => clock.sleep(LATER_MS, signal),
    },
    pace: {
      start: ({ name, own }, cost, signal) => exchange.start(name, cost, own, signal),
      hold: ({ name }, ms) => exchange.hold(name, ms),
    },
  };
}

/** An embedder of a run that many workers share: each text is embedded once. */
export function remoteEmbedder(embedder: Embedder, exchange: Exchange, signal: AbortSignal): Embedder {
  const bought = async (key: string, vector: Float32Array): Promise<Float32Array> =>
    read(await exchange.keep("vector", key, JSON.stringify(vectorRecord(key, vector))));
  return embeddedBy(embedder, async (texts, keys) => {
    const found = await Promise.all(keys.map((key) => exchange.look("vector", key)));
    const mine = keys.flatMap((_, i) => (found[i] === "mine" ? [i] : []));
    try {
      const computed = mine.length === 0 ? [] : await embedder.embed(mine.map((i) => texts[i]!));
      const own = new Map<number, Float32Array>();
      for (const [n, i] of mine.entries()) own.set(i, await bought(keys[i]!, computed[n]!)); // before the others: nobody waits for one who waits for him
      const all: Float32Array[] = [];
      for (const [i, one] of found.entries()) {
        const content =
          typeof one === "object"
            ? one.content
            : own.has(i)
              ? undefined
              : await exchange.claim("vector", keys[i]!, signal);
        all.push(
          own.get(i) ??
            (content === undefined ? await bought(keys[i]!, (await embedder.embed([texts[i]!]))[0]!) : read(content)),
        );
      }
      return all;
    } finally {
      for (const i of mine) exchange.release("vector", keys[i]!); // of what is kept there is nothing to release
    }
  });
}

const read = (content: string): Float32Array => vectorOf(JSON.parse(content))!; // made by vectorRecord

/** Records of one unit, or of a value that all units share. */
export interface UnitRecords {
  readonly rows: Row[];
  readonly units: UnitRecord[];
  readonly timings: Timing[];
  readonly traces: Trace[];
}

/** Holds what the engine makes until its unit is whole. */
export class RowsByUnit implements Rows {
  readonly #units = new Map<string, UnitRecords & { readonly cell: string; readonly unit: string }>();

  isDone(): boolean {
    return false;
  }

  isPrepared(): boolean {
    return false;
  }

  row(row: Row): void {
    this.#of(row).rows.push(row);
  }

  unit(record: UnitRecord): void {
    this.#of(record).units.push(record);
  }

  timing(timing: Timing): void {
    this.#of(timing).timings.push(timing);
  }

  trace(trace: Trace): void {
    this.#of(trace).traces.push(trace);
  }

  /** Takes the records of a unit out, behind those of shared values that are whole by now. */
  *taken(cell: string, unit: string): Generator<UnitRecords & { readonly cell: string; readonly unit: string }> {
    for (const [key, records] of this.#units)
      if (isShared(records) || (records.cell === cell && records.unit === unit)) {
        this.#units.delete(key);
        yield records;
      }
  }

  /** Nothing of the unit counts: it is done again. */
  drop(cell: string, unit: string): void {
    this.#units.delete(JSON.stringify([cell, unit]));
  }

  #of({ cell, unit }: { readonly cell: string; readonly unit: string }): UnitRecords {
    const key = JSON.stringify([cell, unit]);
    const known = this.#units.get(key) ?? { cell, unit, rows: [], units: [], timings: [], traces: [] };
    this.#units.set(key, known);
    return known;
  }
}
