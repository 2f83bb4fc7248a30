import type { ContextNote } from "../../notes/note.js";
import { html } from "../html.js";
import { label, type Picture, pathOf, seriesDot, strokedPath, textWidth } from "./svg.js";

interface Node {
  readonly text: string;
  readonly series: number;
  /** Places of what it is joined to in the next column. */
  readonly to: readonly number[];
}

/** Pixels, and the characters of a label; a pointer on its dot is told the whole text. */
const [ROW, GAP, MARGIN, LONGEST] = [22, 80, 12, 44];
const LABEL_X = 12;

/** Draws what a prompt took from the knowledge graph, in columns: users, their events, concepts and communities. */
export function neighbourhood(user: string, note: ContextNote): Picture {
  const { own, global, preferences, communities } = note;
  const events = [...own, ...global];
  const owners = [...new Set([user, ...events.map(({ owner }) => owner)])];
  const concepts = [...new Set([...note.concepts, ...communities.flatMap((community) => community.concepts)])];
  const seriesOf = (owner: string): number => (owner === user ? 0 : 1);
  const preferred = preferences.map((one) => `${one.label} ${one.share.toFixed(2)}`).join(", ");
  const columns: readonly (readonly Node[])[] = [
    owners.map((owner) => ({
      text: owner === user && preferred !== "" ? `${owner} (${preferred})` : owner,
      series: seriesOf(owner),
      to: placesIn(events, (event) => event.owner === owner),
    })),
    events.map(({ owner, text, label, concepts: held }) => ({
      text: label === undefined ? text : `${label}: ${text}`,
      series: seriesOf(owner),
      to: placesIn(concepts, (concept) => held.includes(concept)),
    })),
    concepts.map((concept) => ({
      text: concept,
      series: 2,
      to: placesIn(communities, (community) => community.concepts.includes(concept)),
    })),
    communities.map(({ report }) => ({ text: report, series: 3, to: [] })),
  ];
  return drawn(columns.filter(({ length }) => length > 0));
}

const placesIn = <T>(all: readonly T[], isOne: (one: T) => boolean): number[] =>
  all.flatMap((one, place) => (isOne(one) ? [place] : []));

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`);

/** Draws columns from left to right, a row a node. Lines go from the end of a label to the dots of the next column. */
function drawn(columns: readonly (readonly Node[])[]): Picture {
  const height = Math.max(...columns.map(({ length }) => length)) * ROW + 2 * MARGIN;
  const widths = columns.map((nodes) => LABEL_X + Math.max(...nodes.map(({ text }) => textWidth(cut(text)))));
  const lefts = widths.map((_, c) => widths.slice(0, c).reduce((sum, width) => sum + width + GAP, 2 * MARGIN));
  const place = (c: number, n: number) => [lefts[c]!, (height * (n + 0.5)) / columns[c]!.length] as const;
  const nodes = columns.flatMap((column, c) =>
    column.map(({ text, series, to }, n) => {
      const [x, y] = place(c, n);
      const end = [x + LABEL_X + textWidth(cut(text)), y] as const;
      const edges = to.map((other) => strokedPath(pathOf([end, place(c + 1, other)]), "muted"));
      return html`${edges}${seriesDot([x, y], series, { says: text })}${label(x + LABEL_X, y, cut(text))}`;
    }),
  );
  return { width: lefts.at(-1)! + widths.at(-1)! + MARGIN, height, body: html`${nodes}` };
}
