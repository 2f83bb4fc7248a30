import type { Cell, Row, Task } from "../../types.js";
import type { Summary } from "../summary.js";
import { formatAmount } from "../tables/table.js";
import { candidates, fitting, type Limits, type Share, type Shares } from "./choose-rows.js";
import { html, jsonText, type Markup } from "./markup.js";
import { orderRows, packRows } from "./pack-rows.js";
import { packTranscripts, type TranscriptMaterial } from "./pack-transcripts.js";
import type { PackedRows } from "./packed.js";

interface ListMaterial extends Pick<TranscriptMaterial, "traces" | "units" | "callsOf"> {
  readonly results: { readonly summaries: readonly Summary[] };
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly over?: string;
}

/** The list of answers as it stands in the page. */
interface PackedList {
  readonly rows: PackedRows;
  /** The same as a text for a data element. */
  readonly json: string;
  readonly rowTexts: readonly string[];
  readonly unitTexts: readonly string[];
  /** What of the run the list has, where it has not all. */
  readonly leftOut: Markup | undefined;
}

/** Packs the rows, which are in order: all, or within the limits as many of the most telling as fit. */
export function listOf(material: ListMaterial, rows: readonly Row[], limits: Limits): PackedList {
  if (rows.length <= limits.whole) return { ...pack(material, rows), leftOut: undefined };
  const { cells, task, over } = material;
  const against = over ?? cells[0]?.method ?? "";
  const wanted = candidates({ cells, task, rows, against, seed: cells[0]?.seed ?? 0, limits });
  const { count, made } = fitting(wanted.rows.length, limits.bytes, (count) =>
    pack(material, orderRows({ cells, rows: wanted.rows.slice(0, count) })),
  );
  return { ...made, leftOut: leftOutText(wanted.sharesOf(count), rows.length) };
}

function pack(material: ListMaterial, rows: readonly Row[]) {
  const { cells, task, results } = material;
  const { rowTexts, unitTexts, ...places } = packTranscripts({ ...material, rows });
  const packed = packRows({ cells, summaries: results.summaries, task, rows }, places);
  const json = jsonText(packed);
  const size = [...rowTexts, ...unitTexts].reduce((sum, { length }) => sum + length, Buffer.byteLength(json));
  return { rows: packed, json, rowTexts, unitTexts, size };
}

function leftOutText({ failed, flipped, others, against, seed }: Shares, all: number): Markup {
  const shown = failed.shown + flipped.shown + others.shown;
  const share = ({ shown, all }: Share): string =>
    shown === all ? `all ${formatAmount(all)}` : `${formatAmount(shown)} of ${formatAmount(all)}`;
  return html`<p class="banner" role="note" id="left-out"><strong>${formatAmount(shown)} of ${formatAmount(all)} answers</strong> This list has ${share(
    failed,
  )} that failed, ${share(flipped)} that flipped (score another than ${against}'s, and ${against}'s), and ${share(others)} others, drawn with seed ${seed}. ${formatAmount(all - shown)} are left out here; tables and charts count all. <code>lamp-eval show RUN --question ID</code> prints any.</p>
`;
}
