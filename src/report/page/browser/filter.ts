import type { PackedRows } from "../packed.js";

export const shows = ["all", "wrong", "right", "unparsed", "failed", "flipped", "gained", "lost"] as const;
type Show = (typeof shows)[number];

/** Whether rows are shown by how they differ from another method's. */
export const isComparing = (show: Show): boolean => ["flipped", "gained", "lost"].includes(show);

/** Which rows the list has. An empty text means any. */
export interface Filter {
  readonly text: string;
  readonly task: string;
  /** Label of an arm. */
  readonly method: string;
  readonly user: string;
  readonly show: Show;
  /** Label of the arm that flipped, gained and lost rows differ from. */
  readonly against: string;
  readonly order: Order;
}

/** `run`: as packed. Rows without a score stand last in the others. */
export const orders = ["run", "worst", "best"] as const;
type Order = (typeof orders)[number];

export const noFilter: Filter = { text: "", task: "", method: "", user: "", show: "all", against: "", order: "run" };

/**
 * The indexes of the rows that pass the filter, in the order asked for. `inTranscripts`: rows whose transcript holds the
 * text, where transcripts were searched. One pass over the columns; a text that many rows share is looked at once.
 */
export function filterRows(rows: PackedRows, filter: Filter, inTranscripts?: Uint8Array): number[] {
  const arms = rows.arms.map(
    ({ task, label }) =>
      (filter.task === "" || task === filter.task) && (filter.method === "" || label === filter.method),
  );
  const cells = rows.cells.map(({ arm }) => arms[arm] === true);
  const user = filter.user === "" ? -1 : rows.users.indexOf(filter.user);
  const holdsText = textTest(rows, filter.text, inTranscripts);
  const shown = showTest(rows, filter);
  const found: number[] = [];
  for (let r = 0; r < rows.cell.length; r++)
    if (
      cells[rows.cell[r]!] === true &&
      (filter.user === "" || rows.user[r] === user) &&
      shown(r) &&
      (holdsText === undefined || holdsText(r))
    )
      found.push(r);
  return filter.order === "run" ? found : ordered(rows, found, filter.order === "best" ? -1 : 1);
}

/** Whether the answer is the right one; undefined where it has no score, or answers are texts, more or less alike. */
export function isRight(rows: PackedRows, row: number): boolean | undefined {
  const value = rows.value[row];
  const metric = armOf(rows, row)?.metric;
  if (metric?.exact !== true || value === null || value === undefined) return undefined;
  return value === (metric.better === "lower" ? 0 : 1);
}

export const armOf = (rows: PackedRows, row: number) => rows.arms[rows.cells[rows.cell[row]!]?.arm ?? -1];

/** The rows of the same question and repeat on the same data, by label of their arm. */
export function sameQuestion(rows: PackedRows, row: number): Map<string, number> {
  const keys = questionKeys(rows);
  const key = keys(row);
  const found = new Map<string, number>();
  for (let r = 0; r < rows.cell.length; r++) if (keys(r) === key) found.set(armOf(rows, r)?.label ?? "", r);
  return found;
}

function ordered(rows: PackedRows, found: readonly number[], sign: number): number[] {
  const goodness = rows.value.map((value, r) => {
    if (value === null) return Number.NaN;
    return armOf(rows, r)?.metric?.better === "lower" ? -value : value;
  });
  const isScored = (r: number) => !Number.isNaN(goodness[r]);
  const scored = found.filter(isScored).sort((a, b) => sign * (goodness[a]! - goodness[b]!) || a - b);
  return [...scored, ...found.filter((r) => !isScored(r))];
}

/** One number for the rows of the same question and repeat on the same data. */
function questionKeys(rows: PackedRows): (row: number) => number {
  const groups = new Map<string, number>();
  const ofCell = rows.cells.map(({ arm, repeat }) => {
    const name = `${rows.arms[arm]?.task}\t${rows.arms[arm]?.dataset}\t${repeat}`;
    groups.set(name, groups.get(name) ?? groups.size);
    return groups.get(name) ?? 0;
  });
  return (row) => (ofCell[rows.cell[row]!] ?? 0) * rows.questions.length + rows.question[row]!;
}

function textTest(rows: PackedRows, text: string, inTranscripts?: Uint8Array): ((row: number) => boolean) | undefined {
  const needle = text.trim().toLowerCase();
  if (needle === "") return undefined;
  const hits = (texts: readonly string[]) => lowered(texts).map((one) => one.includes(needle));
  const [texts, users] = [hits(rows.texts), hits(rows.users)];
  const [questions, asked] = [hits(rows.questions), hits(rows.askedTexts)];
  return (r) =>
    texts[rows.reply[r]!] === true ||
    texts[rows.gold[r]!] === true ||
    texts[rows.reading[r]!] === true ||
    users[rows.user[r]!] === true ||
    questions[rows.question[r]!] === true ||
    asked[rows.asked[r]!] === true ||
    inTranscripts?.[r] === 1;
}

const loweredTexts = new WeakMap<readonly string[], readonly string[]>();

/** The texts in lower case, made once: a search runs at every key. */
function lowered(texts: readonly string[]): readonly string[] {
  const made = loweredTexts.get(texts) ?? texts.map((one) => one.toLowerCase());
  loweredTexts.set(texts, made);
  return made;
}

function showTest(rows: PackedRows, { show, against }: Filter): (row: number) => boolean {
  const tests: Readonly<Record<Show, (row: number) => boolean>> = {
    all: () => true,
    wrong: (r) => isRight(rows, r) === false,
    right: (r) => isRight(rows, r) === true,
    unparsed: (r) => rows.kind[r] === "u",
    failed: (r) => rows.kind[r] === "f",
    flipped: () => false,
    gained: () => false,
    lost: () => false,
  };
  if (show !== "flipped" && show !== "gained" && show !== "lost") return tests[show];
  const gains = gainsAgainst(rows, against);
  return (r) => {
    const gain = gains[r]!;
    return gain !== 0 && (show === "flipped" || gain > 0 === (show === "gained"));
  };
}

/** How much better each row is than the same question by that arm; 0 where either has no score. */
function gainsAgainst(rows: PackedRows, against: string): Float64Array {
  const values = new Map<number, number>();
  const keys = questionKeys(rows);
  const each = (visit: (r: number, value: number) => void): void => {
    for (let r = 0; r < rows.cell.length; r++) {
      const value = rows.value[r];
      if (typeof value === "number") visit(r, value);
    }
  };
  each((r, value) => {
    if (armOf(rows, r)?.label === against) values.set(keys(r), value);
  });
  const gains = new Float64Array(rows.cell.length);
  each((r, value) => {
    const other = values.get(keys(r));
    if (other !== undefined) gains[r] = armOf(rows, r)?.metric?.better === "lower" ? other - value : value - other;
  });
  return gains;
}
