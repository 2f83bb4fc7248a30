import { TOO_NARROW } from "../compare/compare.js";
import { groupBy } from "../grouped.js";
import { headingMark } from "../simulated.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { COLD_START_MOST, type PerUser, type UserGroup } from "./per-user.js";

/** One method on one task, with what its reader must know. */
export interface TitledPerUser {
  /** `LaMP-3: ...`. */
  readonly title: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** The method that gains are over; undefined where the run has none. */
  readonly reference: string | undefined;
  readonly simulated: boolean;
  readonly found: PerUser;
}

/** Groups of users, one table a task. */
export function renderPerUser(items: readonly TitledPerUser[], form: "text" | "markdown"): string {
  const blocks = [...groupBy(items, ({ title, dataset }) => `${title} · data: ${dataset}`)].map(([heading, ofData]) => {
    const mark = headingMark(ofData);
    const table = perUserTable(ofData);
    return form === "text"
      ? [`${heading}${mark}`, renderText(table)].join("\n")
      : [`### ${heading}${mark}`, "", renderMarkdown(table)].join("\n");
  });
  return [...blocks, perUserLegend.join(form === "text" ? "\n" : "  \n")].join("\n\n");
}

/** What the columns mean. */
export const perUserLegend = [
  "history: past interactions seen; quartiles by it of all users of the task, the same for every method; users with equal histories stay together",
  `cold start: users with at most ${COLD_START_MOST} interactions; worst decile: the tenth of the method's own users with the worst scores, chosen by them, so without an interval; a group without users has no line`,
  `gain: over the reference on the questions both answered, counted upwards; W/T/L: users who do better, equally well, worse; intervals over users, a dash below 10; those of gains ${TOO_NARROW}`,
];

/** The groups of users of some methods on one task. */
export function perUserTable(items: readonly TitledPerUser[]): Table {
  const metric = items[0]?.found.metric ?? "score";
  const references = [...new Set(items.map(({ reference }) => reference).filter((name) => name !== undefined))];
  const over = references.length === 0 ? "gain" : `gain over ${references.join(", ")}`;
  const right = ["users", "history", "n", `${metric} [95 %]`, `${over} [95 %]`, "W/T/L"];
  return {
    columns: [
      { title: "method", align: "left" },
      { title: "group", align: "left" },
      ...right.map((title) => ({ title, align: "right" as const })),
    ],
    rows: items.flatMap((item) =>
      item.found.groups.map((group, at) => rowOf(item.method, group, nameOf(item.found.groups, at))),
    ),
  };
}

/** Groups of one name are numbered: `history quartile 1 of 4` holds the shortest histories. */
function nameOf(groups: readonly UserGroup[], at: number): string {
  const name = groups[at]?.name ?? "";
  const places = groups.flatMap((group, place) => (group.name === name ? [place] : []));
  return places.length === 1 ? name : `${name} ${places.indexOf(at) + 1} of ${places.length}`;
}

function rowOf(
  method: string,
  { users, history, questions, score, interval, gain }: UserGroup,
  name: string,
): string[] {
  return [
    method,
    name,
    String(users.length),
    history === undefined ? dash : `${formatAmount(history.low)}..${formatAmount(history.high)}`,
    String(questions),
    `${formatScore(score)} ${bounds(interval, formatScore)}`,
    gain === undefined ? dash : `${signed(gain.value)} ${bounds(gain.interval, signed)}`,
    gain === undefined ? dash : `${gain.wins}/${gain.ties}/${gain.losses}`,
  ];
}

const bounds = (interval: UserGroup["interval"], form: (value: number) => string): string =>
  interval === undefined ? `[${dash}]` : `[${form(interval.low)}, ${form(interval.high)}]`;

function signed(value: number): string {
  const text = formatScore(value);
  if (/^-?[.0]+$/.test(text)) return formatScore(0);
  return value > 0 ? `+${text}` : text;
}
