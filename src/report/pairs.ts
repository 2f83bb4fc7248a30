import type { Pair, Row } from "../types.js";

/** A row that counts in a score: it was answered, readably or not, and its gold is known. */
export type ScoredRow = Row & { readonly gold: string };

export const isScored = (row: Row): row is ScoredRow => row.gold !== undefined && row.outcome.kind !== "failed";

/** What a metric sees of a scored row. */
export const pairOf = (row: ScoredRow): Pair => ({ prediction: strictText(row), gold: row.gold });

/** The same by the forgiving reading. */
export const lenientPairOf = (row: ScoredRow): Pair => ({ prediction: lenientText(row), gold: row.gold });

/**
 * What the official metric sees. An unreadable reply is handed over as the empty text, which scores as unreadable under
 * the official rules too; so a reply like `nan`, on which the official script crashes, counts as unreadable here.
 */
export const strictText = ({ outcome }: Row): string => (outcome.kind === "answered" ? outcome.reply : "");

// --- internal ---

const lenientText = ({ outcome }: Row): string => (outcome.kind === "failed" ? "" : (outcome.lenient ?? ""));
