import type { Row, UnitRecord } from "./runs.js";

/** A line of `rows.jsonl`. Lines are sorted by cell, unit and question; what prepared a user stands before its questions. */
export type RowLine = (Row & { readonly kind: "question" }) | (UnitRecord & { readonly kind: "user" | "shared" });
