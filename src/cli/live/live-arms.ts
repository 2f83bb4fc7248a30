import { doneText, moreArmsText } from "../../app/run/progress-text.js";
import type { LiveArm, LiveRun } from "./live-run.js";
import { bar, flow, pieces } from "./live-text.js";

/** The lines of arms, and of how many are not shown. */
export function armLines(run: LiveRun, columns: number, room: number): string[] {
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

const isDone = (arm: LiveArm): boolean => arm.done >= arm.questions;
const stage = (arm: LiveArm): number => (isDone(arm) ? 1 : arm.done > 0 ? 0 : 2);

function more(hidden: readonly LiveArm[]): string {
  const done = hidden.filter(isDone).length;
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
  const widths = { title: widest(({ title }) => title), count: widest(full), score: widest(fullScore) };
  const cells = (arm: LiveArm): string[] => [
    doneText(arm.done, arm.questions).padStart(widths.count),
    scoreOf(arm).padEnd(widths.score),
  ];
  const plain = widths.title + 2 + widths.count + 2 + widths.score;
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
