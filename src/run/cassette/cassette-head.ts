import * as z from "zod";
import type { FailedSearch } from "../../notes/note.js";
import { planSchema } from "../manifest/manifest-shape.js";

export const CASSETTE_FORMAT = "lamp-eval-cassette";
export const CASSETTE_VERSION = 1;

/** A cassette's first line: what was recorded, on which data, by which version. Nothing here names a folder, an address or a person. */
export const headSchema = z.object({
  format: z.literal(CASSETTE_FORMAT),
  version: z.literal(CASSETTE_VERSION),
  /** True when a reply is of the embedded model. */
  simulated: z.boolean(),
  /** False when the recorded run had not ended. */
  complete: z.boolean(),
  /** Model ids as the provider returned them. */
  answeredBy: z.array(z.string()),
  /** The recorded plan, less addresses and folders; cells keep their ids. */
  plan: planSchema,
  /** Embedders whose vectors are recorded, by what the run's options named. */
  embedders: z.array(z.object({ named: z.string(), similarity: z.string(), id: z.string() })),
  counts: z.object({ calls: z.number(), places: z.number(), vectors: z.number(), searches: z.number() }),
});
export type CassetteHead = z.infer<typeof headSchema>;

/** Who made which requests: one unit's preparation, or one question. */
export interface Asked {
  readonly cell: string;
  readonly unit: string;
  /** Absent: the preparation of the unit. */
  readonly question?: string;
  /** First digits of the calls' keys, sorted. */
  readonly requests: readonly string[];
  /** Why its row failed while recording. */
  readonly error?: string;
  /** Searches outside that failed, in order. */
  readonly failed?: readonly FailedSearch[];
}

/** A cassette's last line: without it, or with another sum, the file is cut or changed. */
export const endSchema = z.object({ end: z.object({ lines: z.number(), sha256: z.string() }) });
