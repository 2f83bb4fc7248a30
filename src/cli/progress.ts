import cliProgress from "cli-progress";
import { variantOf } from "../report/arms.js";
import type { Arm } from "../run/plan.js";
import type { Outcome, Usage } from "../types.js";
import type { Terminal } from "./terminal.js";

/** Shows how far each arm is: bars on a terminal, elsewhere a plain line at each quarter. */
export interface Progress {
  question(arm: Arm, outcome: Outcome): void;
  call(usage: Usage): void;
  retry(): void;
  stop(): void;
}

/** Begins to show on stderr. `done`: questions of an arm that an earlier process has answered. `stop` must be called. */
export function openProgress(arms: readonly Arm[], done: (arm: Arm) => number, io: Terminal): Progress {
  const totals = { calls: 0, tokens: 0, retries: 0 };
  const counted = {
    call: (usage: Usage) => {
      totals.calls += 1;
      totals.tokens += usage.in + usage.out;
    },
    retry: () => {
      totals.retries += 1;
    },
  };
  return { ...counted, ...(io.isTTY ? bars(arms, done, totals) : lines(arms, done, totals, io)) };
}

// --- internal ---

interface Totals {
  readonly calls: number;
  readonly tokens: number;
  readonly retries: number;
}

type Display = Pick<Progress, "question" | "stop">;

/** The name of an arm, with what tells it from others of its method. */
function titles(arms: readonly Arm[]): (arm: Arm) => string {
  const cells = arms.map(({ cell }) => cell);
  const known = new Map(
    cells.map((cell) => {
      const words = [cell.task, cell.method, variantOf(cell, cells), cell.repeat > 0 ? `#${cell.repeat + 1}` : ""];
      return [cell.id, words.filter((word) => word !== "").join(" ")];
    }),
  );
  return ({ cell }) => known.get(cell.id) ?? cell.method;
}

const size = ({ loaded }: Arm): number => loaded.units.reduce((sum, unit) => sum + unit.examples.length, 0);

function bars(arms: readonly Arm[], done: (arm: Arm) => number, totals: Totals): Display {
  const screen = new cliProgress.MultiBar({
    format: "{title} {bar} {value}/{total} ETA {eta_formatted} · {calls} calls {tokens} tok {retries} retries",
    hideCursor: true,
    clearOnComplete: false,
    stopOnComplete: false,
  });
  const title = titles(arms);
  const width = Math.max(...arms.map((arm) => title(arm).length));
  const byCell = new Map(
    arms.map((arm) => [
      arm.cell.id,
      screen.create(size(arm), done(arm), { title: title(arm).padEnd(width), ...totals }),
    ]),
  );
  return {
    question: (arm) => byCell.get(arm.cell.id)?.increment(1, { ...totals }),
    stop: () => screen.stop(),
  };
}

function lines(arms: readonly Arm[], done: (arm: Arm) => number, totals: Totals, io: Terminal): Display {
  const title = titles(arms);
  const counts = new Map(arms.map((arm) => [arm.cell.id, done(arm)]));
  return {
    question(arm) {
      const total = size(arm);
      const count = (counts.get(arm.cell.id) ?? 0) + 1;
      counts.set(arm.cell.id, count);
      const step = Math.max(1, Math.ceil(total / 4));
      if (count % step !== 0 && count !== total) return;
      const retries = totals.retries > 0 ? `, ${totals.retries} retries` : "";
      io.err(`${title(arm)}: ${count}/${total} (${totals.calls} calls, ${totals.tokens} tokens${retries} so far)`);
    },
    stop: () => undefined,
  };
}
