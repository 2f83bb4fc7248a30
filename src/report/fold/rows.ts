import type { Metric, Pair, Row } from "../../types.js";
import { bytes, floats, integers, type Numbers } from "./numbers.js";
import { NO_TEXT, NOT_HELD, TaskPairs } from "./pairs.js";
import { Slots } from "./slots.js";
import { Spends } from "./spends.js";
import { Texts } from "./texts.js";

/** Where a row's record stands in its file. */
export interface RowSpan {
  readonly offset: number;
  readonly length: number;
}

/** What folding needs from outside. */
interface RowSource {
  /** The metrics that rows of a cell are scored by: one list for all cells of a task. */
  readonly metricsOf: (cell: string) => readonly Metric[];
  /** The row at a span, read again: texts that are long or seldom repeat are not held. */
  readonly read: (span: RowSpan) => Row;
}

/** How a row's answer is read: by the official rules, or by the forgiving ones. */
export type Reading = "strict" | "lenient";

/** The last row of every question, folded into numbers: a million take some 150 MB, whatever was replied. */
export class FoldedRows {
  readonly #source: RowSource;
  readonly #cells = new Texts();
  /** Of users, units and questions, which are often called alike. */
  readonly #ids = new Texts();
  readonly #incidentTexts = new Texts();
  readonly #incidentCounts: Row["incidents"][] = [];
  readonly #spends = new Spends();
  /** By number of a cell. */
  readonly #tasks: TaskPairs[] = [];
  readonly #taskOfMetrics = new Map<readonly Metric[], TaskPairs>();
  readonly #cell = integers();
  readonly #user = integers();
  readonly #unit = integers();
  readonly #question = integers();
  readonly #gold = integers();
  readonly #reply = integers();
  readonly #lenient = integers();
  readonly #pairs = { strict: integers(), lenient: integers() };
  readonly #incidents = integers();
  /** 0: none. */
  readonly #position = integers();
  /** Numbers that came with rows, by metric, and which rows have one. */
  readonly #given = new Map<string, GivenNumbers>();
  readonly #flags = bytes();
  readonly #offset = floats();
  readonly #length = integers();
  readonly #slots = new Slots();
  #size = 0;

  constructor(source: RowSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes a row in; one of the same cell and question takes the place of the earlier one. */
  add(row: Row, { offset, length }: RowSpan): void {
    const cell = this.#cells.of(row.cell);
    const r = this.#placeOf(cell, this.#ids.of(row.question));
    this.#user.set(r, this.#ids.of(row.user));
    this.#unit.set(r, this.#ids.of(row.unit));
    this.#offset.set(r, offset);
    this.#length.set(r, length);
    this.#position.set(r, row.position ?? 0);
    this.#flags.set(r, flagsOf(row));
    this.#spends.set(r, row.spend);
    this.#addIncidents(r, row.incidents);
    this.#addGiven(r, row.given);
    this.#addTexts(r, row, this.#taskOf(cell, row.cell));
  }

  cell = (r: number): string => this.#cells.at(this.#cell.at(r));
  user = (r: number): string => this.#ids.at(this.#user.at(r));
  unit = (r: number): string => this.#ids.at(this.#unit.at(r));
  question = (r: number): string => this.#ids.at(this.#question.at(r));
  /** Equal for equal users. */
  userNumber = (r: number): number => this.#user.at(r);
  /** Equal for equal questions. */
  questionNumber = (r: number): number => this.#question.at(r);
  /** Equal for equal pairs of a task; of scored rows. */
  pairNumber = (r: number, reading: Reading): number => this.#pairs[reading].at(r);
  /** Whether rows are scored by the same metrics. */
  areOfOneTask = (r: number, other: number): boolean =>
    this.#cell.at(r) === this.#cell.at(other) || this.#tasks[this.#cell.at(r)] === this.#tasks[this.#cell.at(other)];
  spend = (r: number): Row["spend"] => this.#spends.of(r);
  incidents = (r: number): Row["incidents"] => this.#incidentCounts[this.#incidents.at(r)] ?? {};
  /** Of `Flag`. */
  flags = (r: number): number => this.#flags.at(r);
  position = (r: number): number | undefined => this.#position.at(r) || undefined;
  isReadAlike = (r: number): boolean => this.#pairs.strict.at(r) === this.#pairs.lenient.at(r);
  hasGold = (r: number): boolean => this.#gold.at(r) !== NO_TEXT;

  /** Undefined where no number came with the row. */
  given(r: number): Row["given"] {
    const values = [...this.#given].flatMap(([metric, { there, numbers }]): [string, number][] =>
      there.at(r) === 0 ? [] : [[metric, numbers.at(r)]],
    );
    return values.length === 0 ? undefined : Object.fromEntries(values);
  }

  gold(r: number): string | undefined {
    const number = this.#gold.at(r);
    if (number === NO_TEXT) return undefined;
    return number === NOT_HELD ? this.#read(r).gold : this.#tasks[this.#cell.at(r)]?.gold(number);
  }

  /** The reply; of a failed row the error. */
  reply(r: number): string {
    return this.#replyText(r, this.#reply.at(r), replyOf) ?? "";
  }

  lenient(r: number): string | undefined {
    return this.#replyText(r, this.#lenient.at(r), lenientOf);
  }

  /** What a metric sees of a scored row. */
  pair(r: number, reading: Reading): Pair {
    const isRead = reading === "lenient" || (this.flags(r) & Flag.kinds) === Flag.answered;
    const text = reading === "lenient" ? this.lenient(r) : isRead ? this.reply(r) : "";
    return { prediction: text ?? "", gold: this.gold(r) ?? "" };
  }

  /** Adds to the sums what `metric.add` would for that pair, to the same bit. */
  addScore(r: number, reading: Reading, metric: Metric, sums: Float64Array, offset: number): void {
    if (metric.given === true) {
      metric.add({ prediction: "", gold: "", given: this.given(r) }, sums, offset);
      return;
    }
    const task = this.#tasks[this.#cell.at(r)];
    const number = this.#pairs[reading].at(r);
    if (task === undefined) metric.add(this.pair(r, reading), sums, offset);
    else if (!task.addTo(metric, number, sums, offset))
      task.addPair(metric, number, this.pair(r, reading), sums, offset);
  }

  #placeOf(cell: number, question: number): number {
    const hash = hashOf(cell, question);
    const known = this.#slots.find(hash, (r) => this.#cell.at(r) === cell && this.#question.at(r) === question);
    if (known !== undefined) return known;
    const r = this.#size++;
    this.#cell.set(r, cell);
    this.#question.set(r, question);
    this.#slots.add(hash, r, (other) => hashOf(this.#cell.at(other), this.#question.at(other)));
    return r;
  }

  #addTexts(r: number, row: Row, task: TaskPairs): void {
    const [reply, lenient] = [replyOf(row), lenientOf(row)];
    this.#gold.set(r, task.goldNumber(row.gold));
    this.#reply.set(r, task.replyNumber(reply));
    this.#lenient.set(r, task.replyNumber(lenient));
    if (row.gold === undefined || row.outcome.kind === "failed") return;
    const strict = row.outcome.kind === "answered" ? reply : "";
    const number = task.pairNumber({ prediction: strict, gold: row.gold });
    const forgiving = lenient ?? "";
    this.#pairs.strict.set(r, number);
    this.#pairs.lenient.set(
      r,
      forgiving === strict ? number : task.pairNumber({ prediction: forgiving, gold: row.gold }),
    );
  }

  #addGiven(r: number, given: Row["given"] = {}): void {
    for (const { there } of this.#given.values()) there.set(r, 0);
    for (const [metric, value] of Object.entries(given)) {
      const known = this.#given.get(metric) ?? { numbers: floats(), there: bytes() };
      this.#given.set(metric, known);
      known.numbers.set(r, value);
      known.there.set(r, 1);
    }
  }

  #addIncidents(r: number, incidents: Row["incidents"]): void {
    const number = this.#incidentTexts.of(JSON.stringify(incidents));
    this.#incidentCounts[number] ??= incidents;
    this.#incidents.set(r, number);
  }

  #taskOf(number: number, cell: string): TaskPairs {
    const known = this.#tasks[number];
    if (known !== undefined) return known;
    const metrics = this.#source.metricsOf(cell);
    const task = this.#taskOfMetrics.get(metrics) ?? new TaskPairs(metrics);
    this.#taskOfMetrics.set(metrics, task);
    this.#tasks[number] = task;
    return task;
  }

  #replyText(r: number, number: number, of: (row: Row) => string | undefined): string | undefined {
    if (number === NO_TEXT) return undefined;
    return number === NOT_HELD ? of(this.#read(r)) : this.#tasks[this.#cell.at(r)]?.reply(number);
  }

  #read = (r: number): Row => this.#source.read({ offset: this.#offset.at(r), length: this.#length.at(r) });
}

/** What else is known of a row, as bits. */
export const Flag = { answered: 0, unparsed: 1, failed: 2, kinds: 3, spendUnknown: 4, simulated: 8, real: 16 } as const;

interface GivenNumbers {
  readonly numbers: Numbers<Float64Array>;
  readonly there: Numbers<Uint8Array>;
}

const flagsOf = ({ outcome, spendUnknown, simulated }: Row): number =>
  Flag[outcome.kind] |
  (spendUnknown === true ? Flag.spendUnknown : 0) |
  (simulated === true ? Flag.simulated : simulated === false ? Flag.real : 0);

const replyOf = ({ outcome }: Row): string => (outcome.kind === "failed" ? outcome.error : outcome.reply);

const lenientOf = ({ outcome }: Row): string | undefined => (outcome.kind === "failed" ? undefined : outcome.lenient);

const hashOf = (cell: number, question: number): number => Math.imul(cell, 0x9e3779b1) ^ question;
