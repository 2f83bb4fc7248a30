import type { Outcome, Pair, Row } from "../types.js";
import { FoldedRow } from "./fold/row.js";

/** A row that counts in a score: it was answered, readably or not, and its gold is known. */
export type ScoredRow = Row & { readonly gold: string };

export const isScored = (row: Row): row is ScoredRow => hasGold(row) && kindOf(row) !== "failed";

/** Whether the gold is known; of a folded row without reading it. */
export const hasGold = (row: Row): boolean => (row instanceof FoldedRow ? row.hasGold : row.gold !== undefined);

/** The kind of the outcome; of a folded row without making one. */
export const kindOf = (row: Row): Outcome["kind"] => (row instanceof FoldedRow ? row.kind : row.outcome.kind);

/** What a metric sees of a scored row. */
export const pairOf = (row: ScoredRow): Pair =>
  row instanceof FoldedRow ? row.pair("strict") : { prediction: strictText(row), gold: row.gold, ...givenIn(row) };

/** The same by the forgiving reading. */
export const lenientPairOf = (row: ScoredRow): Pair =>
  row instanceof FoldedRow ? row.pair("lenient") : { prediction: lenientText(row), gold: row.gold, ...givenIn(row) };

/** Whether both readings are known to be the same pair; false too where that is not known. */
export const isReadAlike = (row: Row): boolean => row instanceof FoldedRow && row.isReadAlike;

/**
 * What the official metric sees. An unreadable reply is handed over as the empty text, which scores as unreadable under
 * the official rules too; so a reply like `nan`, on which the official script crashes, counts as unreadable here.
 */
export const strictText = ({ outcome }: Row): string => (outcome.kind === "answered" ? outcome.reply : "");

const givenIn = ({ given }: Row): Pick<Pair, "given"> => (given === undefined ? {} : { given });

const lenientText = ({ outcome }: Row): string => (outcome.kind === "failed" ? "" : (outcome.lenient ?? ""));
