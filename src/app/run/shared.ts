import { join, relative, resolve } from "node:path";
import { ModelError, UsageError } from "../../errors.js";
import type { Rows } from "../../run/engine-settings.js";
import { KeyedRecords } from "../../run/journal/keyed-records.js";
import { changedSetting, type RunPlan, readManifest, runName } from "../../run/manifest/manifest.js";
import { originKey } from "../../run/origin-key.js";
import { isShard, partName, type RunPart, type Shard } from "../../run/plan/part.js";
import type { Arm } from "../../run/plan/plan.js";
import { type RunRows, runFiles } from "../../run/run-rows.js";
import { refuseBrokenSeals } from "../../run/sealing/seals.js";
import type { StoredCall } from "../../run/stores/response-store.js";
import { type FileVectors, type StoredVector, vectorOf } from "../../run/stores/vector-store.js";
import type { Model, Trace, UnitRecord } from "../../types.js";
import { commandWithout } from "../common/command-line.js";
import { writable } from "../common/writable.js";
import type { Io } from "../io.js";
import type { Embedders } from "./models/open-embedders.js";
import { SHARED_ENDING } from "./parts.js";

/** What a shard finds of what all users share: replies that it must not buy, vectors that it need not compute. */
export interface Handed {
  reply(key: string): StoredCall | undefined;
  /** Whether a stored reply was handed over, so that no cap of the shard counts it. */
  has(key: string): boolean;
  /** The shard's own vectors, that take over what they lack. */
  vectors(ofShard: FileVectors): Pick<FileVectors, "get" | "put">;
  /** Why a reply that is not there is not bought, and what to type. */
  refusal(): UsageError;
  close(): void;
}

/** Whether an arm asks a model for something that all its users share, by its plan. */
export const buysShared = ({ method, options }: Arm): boolean =>
  Object.values(method.plan(options).perCell?.() ?? {}).some(({ high }) => high > 0);

/** Whether `--shared-only` has something to do for an arm: buy what is shared, or compute costly vectors of the pool. */
export const preparesShared = (arm: Arm, embedders: Pick<Embedders, "isCostly">): boolean =>
  buysShared(arm) ||
  (embedders.isCostly(arm.cell.options) && (arm.method.usesOthers?.(arm.options) ?? false) !== false);

/** What was asked for of a part, and where. */
interface PartRequest {
  /** The folder of `--shared`, as typed; undefined where there is none. */
  readonly shared: string | undefined;
  readonly plan: RunPlan;
  readonly argv: readonly string[];
  readonly io: Pick<Io, "cwd" | "env">;
}

/**
 * Throws UsageError where a shard would have to buy what all users share, naming the command that buys it once; and where what it
 * is handed is not that, or not of this plan, not whole or not finished.
 */
export function refuseUnshared(part: RunPart | undefined, arms: readonly Arm[], request: PartRequest): void {
  if (!isShard(part)) return;
  if (request.shared !== undefined) {
    refuseWrongShared(request.shared, request);
    return;
  }
  const buying = arms.find((arm) => arm.loaded.units.length > 0 && buysShared(arm));
  if (buying !== undefined)
    throw refusalOf(
      part,
      request,
      `${buying.cell.method} on ${buying.cell.task} asks for something that all users share`,
    );
}

/** Opens what a shard is handed; nothing is in it where there is no such folder. */
export function openHanded(part: Shard, request: PartRequest): Handed {
  const folder = request.shared === undefined ? undefined : resolve(request.io.cwd, request.shared);
  const open = <T extends { readonly key: string }>(file: string): KeyedRecords<T> | undefined =>
    folder === undefined ? undefined : new KeyedRecords<T>(join(folder, file));
  const replies = open<StoredCall>(runFiles.responses);
  const vectors = open<StoredVector>(runFiles.vectors);
  return {
    reply: (key) => replies?.get(key),
    has: (key) => replies?.has(key) === true,
    vectors: (ofShard) => ({
      get(key) {
        const known = ofShard.get(key);
        if (known !== undefined) return known;
        const record = vectors?.get(key);
        const vector = record === undefined ? undefined : vectorOf(record);
        if (vector !== undefined) ofShard.put(key, vector);
        return vector;
      },
      put: (key, vector) => ofShard.put(key, vector),
    }),
    refusal: () =>
      refusalOf(
        part,
        request,
        `a reply that all users share is not ${request.shared === undefined ? "at hand" : `in ${request.shared}`}`,
      ),
    close() {
      replies?.close();
      vectors?.close();
    },
  };
}

/** A call for what all users share failed: it is not all there yet. */
export class SharedFailure extends Error {}

/** Remembers the first call that failed. */
export class WatchedCalls {
  #failure: ModelError | undefined;

  watched(model: Model): Model {
    const { id, capabilities, simulated } = model;
    return {
      id,
      capabilities,
      simulated,
      complete: (request, signal) =>
        model.complete(request, signal).catch((error: unknown) => {
          if (error instanceof ModelError) this.#failure ??= error;
          throw error;
        }),
    };
  }

  /** Undefined where every call brought a reply. */
  get failure(): SharedFailure | undefined {
    if (this.#failure === undefined) return undefined;
    return new SharedFailure(`a call for what all users share failed: ${this.#failure.message}`, {
      cause: this.#failure,
    });
  }
}

/** Keeps what belongs to shared values, and nothing of the users that were walked through to reach them. */
export class SharedRows implements Rows {
  readonly #rows: RunRows;
  readonly #shared = new Set<string>();

  constructor(rows: RunRows) {
    this.#rows = rows;
  }

  isDone(): boolean {
    return false;
  }

  isPrepared(): boolean {
    return false;
  }

  row(): void {}

  unit(record: UnitRecord): void {
    if (record.shared !== true) return;
    this.#shared.add(originKey(record));
    this.#rows.unit(record);
  }

  timing(): void {}

  trace(trace: Trace): void {
    if (trace.question === undefined && this.#shared.has(originKey(trace))) this.#rows.trace(trace);
  }

  figure(): void {}
}

function refusalOf(part: Shard, { shared, plan, argv, io }: PartRequest, why: string): UsageError {
  const typed =
    argv.length === 0
      ? ""
      : `: ${commandWithout(writable(argv, io.env), "--shard", "--shared", "--out")} --shared-only`;
  const folder = shared ?? join("results", `${runName(plan)}${SHARED_ENDING}`);
  return new UsageError(
    `${partName(part)}: ${why}, and a shard buys none of it: buy it once with --shared-only in place of --shard${typed}; then add --shared ${folder} to every shard`,
  );
}

function refuseWrongShared(shared: string, { plan, io: { cwd } }: PartRequest): void {
  const folder = resolve(cwd, shared);
  const manifest = readManifest(folder);
  const shown = relative(cwd, folder) || ".";
  if (manifest === undefined) throw new UsageError(`--shared ${shared}: no run here (no ${runFiles.manifest})`);
  if (manifest.part === undefined || isShard(manifest.part))
    throw new UsageError(`--shared ${shared}: this is no folder of --shared-only; name the one that it wrote`);
  const changed = changedSetting(manifest.plan, plan);
  if (changed !== undefined)
    throw new UsageError(
      `--shared ${shared}: of another plan: ${changed.path} is ${changed.was} there and ${changed.is} here; buy it with the settings of the shards`,
    );
  if (manifest.records === undefined)
    throw new UsageError(`--shared ${shared}: not finished; the command that began it finishes it`);
  refuseBrokenSeals(folder, shown, manifest);
}
