import cliProgress from "cli-progress";
import {
  doneText,
  failedText,
  flyingText,
  lastErrorText,
  longestWait,
  moreArmsText,
  questionsText,
  totalsTexts,
  unparsedText,
} from "../../app/run/progress-text.js";
import type { Size } from "../terminal.js";
import { inert } from "./inert.js";
import { etaText, isOver, type LiveArm, type LiveRun, sumOf } from "./live-run.js";

/**
 * What the live region shows, at most `rows` - 2 lines of at most `columns` characters: the whole run, its calls, its spend, then as
 * many arms as there is room for, those that move first, and how many more there are. Nothing is cut: fields that do not fit into a
 * line stand on the next one, and of a terminal that is too low the last lines are left out.
 */
export function regionLines(run: LiveRun, size: Size): string[] {
  const columns = Math.max(NARROWEST, size.columns);
  const room = Math.max(1, size.rows - 2);
  const head = [overall(run, columns), calls(run, columns), spend(run, columns), lastError(run, columns)].flat();
  const left = room - head.length;
  const lines = [...head, ...armLines(run, columns, left)];
  return lines.slice(0, room);
}

/** Nobody reads a narrower one. */
const NARROWEST = 16;
const WIDEST_BAR = 30;
const NARROWEST_BAR = 8;

function overall(run: LiveRun, columns: number): string[] {
  const { arms, totals } = run;
  const questions = sumOf(arms, (arm) => arm.questions);
  const done = sumOf(arms, (arm) => arm.done);
  const failed = sumOf(arms, (arm) => arm.failed);
  const fields = [
    questionsText(done, questions),
    `${questions === 0 ? 100 : Math.floor((100 * done) / questions)} %`,
    `ETA ${etaText(run)}`,
  ];
  const width = Math.min(WIDEST_BAR, columns - fields.join(" · ").length - 1);
  const [first = "", ...more] = flow(fields, columns);
  const lines = width < NARROWEST_BAR ? [first, ...more] : [`${bar(done, questions, width)} ${first}`, ...more];
  const wrong = [failed > 0 ? failedText(failed) : "", totals.unparsed > 0 ? unparsedText(totals.unparsed) : ""].filter(
    Boolean,
  );
  return wrong.length === 0 ? lines : [...lines, ...flow(wrong, columns)];
}

/** At most two lines. */
function lastError(run: LiveRun, columns: number): string[] {
  const error = run.lastError();
  return error === undefined ? [] : pieces(lastErrorText(error, 2 * columns), columns).slice(0, 2);
}

function calls(run: LiveRun, columns: number): string[] {
  const waiting = longestWait(run.waiting(), 0);
  const waits = waiting === undefined ? "none waits" : inert(waiting);
  return flow([flyingText(run.inFlight()), run.workers?.() ?? waits], columns);
}

function spend({ spentUsd, totals, isResumed }: LiveRun, columns: number): string[] {
  const usd = spentUsd();
  return flow(
    [
      usd === undefined
        ? "no price known"
        : `${dollars(usd)} spent${isResumed ? " since the run was taken up again" : ""}`,
      ...totalsTexts(totals),
    ],
    columns,
  );
}

const dollars = (usd: number): string => `$${usd.toFixed(usd < 1 ? 4 : 2)}`;

/** The lines of arms, and of how many are not shown. */
function armLines(run: LiveRun, columns: number, room: number): string[] {
  const layout = layoutOf(run, columns);
  const blocks = new Map(run.arms.map((arm) => [arm, layout(arm)]));
  const height = (some: readonly LiveArm[]): number =>
    some.reduce((sum, arm) => sum + (blocks.get(arm)?.length ?? 0), 0);
  if (height(run.arms) <= room) return run.arms.flatMap((arm) => blocks.get(arm) ?? []);
  const shown = new Set<LiveArm>();
  let left = room - 1;
  for (const arm of [...run.arms].sort(byNews)) {
    const lines = blocks.get(arm)?.length ?? 0;
    if (lines > left) break;
    shown.add(arm);
    left -= lines;
  }
  const hidden = run.arms.filter((arm) => !shown.has(arm));
  const rest = flow([more(hidden)], columns);
  return room < 1
    ? []
    : [...run.arms.filter((arm) => shown.has(arm)).flatMap((arm) => blocks.get(arm) ?? []), ...rest.slice(0, room)];
}

const ARM_BAR = 12;

/** Those at work, the last one that moved first; then those that are done, then those that have not begun. */
function byNews(a: LiveArm, b: LiveArm): number {
  return stage(a) - stage(b) || b.moved - a.moved;
}

const stage = (arm: LiveArm): number => (isOver(arm) ? 1 : arm.done + arm.failed > 0 ? 0 : 2);

function more(hidden: readonly LiveArm[]): string {
  const done = hidden.filter(isOver).length;
  const waiting = hidden.filter((arm) => stage(arm) === 2).length;
  const parts = [
    [hidden.length - done - waiting, "at work"],
    [done, "done"],
    [waiting, "to come"],
  ] as const;
  const told = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return `${moreArmsText(hidden.length)}: ${told.join(", ")}`;
}

/** One layout for all arms, so that columns stand still: on one line with a bar, without, or the title on lines of its own. */
function layoutOf({ arms: all }: LiveRun, columns: number): (arm: LiveArm) => string[] {
  const widest = (of: (arm: LiveArm) => string): number => Math.max(0, ...all.map((arm) => of(arm).length));
  const widths = {
    title: widest(({ title }) => title),
    count: widest(full),
    score: widest(fullScore),
    failed: widest(({ failed }) => (failed > 0 ? `  ${failedText(failed)}` : "")),
  };
  const cells = (arm: LiveArm): string[] => [
    doneText(arm.done, arm.questions).padStart(widths.count),
    scoreOf(arm).padEnd(widths.score),
    ...(arm.failed > 0 ? [failedText(arm.failed)] : []),
  ];
  const plain = widths.title + 2 + widths.count + 2 + widths.score + widths.failed;
  if (plain + 2 + ARM_BAR <= columns)
    return (arm) => [
      [arm.title.padEnd(widths.title), bar(arm.done, arm.questions, ARM_BAR), ...cells(arm)].join("  ").trimEnd(),
    ];
  if (plain <= columns) return (arm) => [[arm.title.padEnd(widths.title), ...cells(arm)].join("  ").trimEnd()];
  return (arm) => [
    ...pieces(arm.title, columns),
    ...flow(
      [
        bar(arm.done, arm.questions, ARM_BAR),
        ...cells(arm)
          .map((cell) => cell.trim())
          .filter(Boolean),
      ],
      columns - 2,
    ).map((line) => `  ${line}`),
  ];
}

const full = ({ questions }: LiveArm): string => doneText(questions, questions);
const fullScore = ({ metric }: LiveArm): string => (metric === undefined ? "" : `${metric} -1.000`);

function scoreOf({ metric, score }: LiveArm): string {
  const value = score();
  return metric === undefined || value === undefined ? "" : `${metric} ${value.toFixed(3).replace(/^(-?)0\./, "$1.")}`;
}

/** Fields joined by a dot, on as many lines as they need; a field wider than the line is broken at blanks. */
function flow(fields: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const piece of fields.flatMap((field) => pieces(field, columns))) {
    const last = lines.at(-1);
    const longer = last === undefined ? piece : `${last} · ${piece}`;
    if (last === undefined || longer.length > columns) lines.push(piece);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Broken at blanks; a longer word where the line ends. */
function pieces(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > columns && line !== "") lines.push(line);
    line = longer.length > columns ? word : longer;
    for (; line.length > columns; line = line.slice(columns)) lines.push(line.slice(0, columns));
  }
  return [...lines, line];
}

/** How far something is, in so many characters. */
const bar = (done: number, questions: number, width: number): string =>
  cliProgress.Format.BarFormat(questions === 0 ? 1 : Math.min(1, done / questions), {
    barsize: width,
    barCompleteString: "█".repeat(width),
    barIncompleteString: "░".repeat(width),
    barGlue: "",
  } as cliProgress.Options);
