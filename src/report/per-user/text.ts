import { groupBy } from "../../results/grouped.js";
import { headingMark, simulatedLegend } from "../simulated.js";
import { type ColumnOf, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatGain, formatScore } from "../tables/format.js";
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

export const perUserTables = (items: readonly TitledPerUser[]): Table[] =>
  [...groupBy(items, ({ title, dataset }) => `${title.split(":")[0]} · ${dataset} data`)].map(([title, ofTask]) => ({
    title: `${title}${headingMark(ofTask)}`,
    keys: 2,
    ...rowsOfItems(
      columnsOf(ofTask),
      ofTask.flatMap(({ method, found }) =>
        found.groups.map((group, at) => ({ method, group, name: nameOf(found.groups, at) })),
      ),
    ),
    legend: [...LEGEND, ...simulatedLegend(ofTask)],
  }));

const LEGEND = [
  "history: past interactions seen; quartiles by it of all users of the task, the same for every method; users with equal histories stay together",
  `cold start: users with at most ${COLD_START_MOST} interactions; worst decile: the tenth of the method's own users with the worst scores, chosen by them, so without an interval; a group without users has no line`,
  `gain: over the reference on the questions both answered, counted upwards; W/T/L: users who do better, equally well, worse; intervals over users, a dash below 10`,
];

interface Line {
  readonly method: string;
  readonly group: UserGroup;
  readonly name: string;
}

function columnsOf(items: readonly TitledPerUser[]): ColumnOf<Line>[] {
  const references = [...new Set(items.flatMap(({ reference }) => reference ?? []))];
  return [
    { title: "method", cell: ({ method }) => method },
    { title: "group", cell: ({ name }) => name },
    { title: "users", format: formatAmount, cell: ({ group }) => group.users.length },
    {
      title: "history",
      align: "right",
      cell: ({ group: { history } }) =>
        history === undefined ? undefined : `${formatAmount(history.low)}..${formatAmount(history.high)}`,
    },
    { title: "n", format: formatAmount, cell: ({ group }) => group.questions },
    {
      title: items[0]?.found.metric ?? "score",
      format: formatScore,
      interval: true,
      cell: ({ group: { score, interval } }) => ({ value: score, interval }),
    },
    {
      key: "gain",
      title: references.length === 0 ? "gain" : `gain over ${references.join(", ")}`,
      format: formatGain,
      interval: true,
      cell: ({ group: { gain } }) => gain,
    },
    {
      title: "W/T/L",
      align: "right",
      cell: ({ group: { gain } }) => gain && `${gain.wins}/${gain.ties}/${gain.losses}`,
    },
  ];
}

/** Groups of one name are numbered: `history quartile 1 of 4` holds the shortest histories. */
function nameOf(groups: readonly UserGroup[], at: number): string {
  const name = groups[at]?.name ?? "";
  const places = groups.flatMap((group, place) => (group.name === name ? [place] : []));
  return places.length === 1 ? name : `${name} ${places.indexOf(at) + 1} of ${places.length}`;
}
