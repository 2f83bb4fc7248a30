import cliProgress from "cli-progress";
import type { ArmProgress, RunEvent } from "../app/run/events.js";
import { inert } from "./inert.js";
import type { Terminal } from "./terminal.js";
import { longestWait, type Waits } from "./waits.js";

/** Shows how far each arm of a run is, on stderr: bars on a terminal, elsewhere a plain line at each quarter. */
export function progress(io: Terminal): (event: RunEvent) => void {
  const totals: Totals = { calls: 0, tokens: 0, retries: 0 };
  let display: Display | undefined;
  let timer: NodeJS.Timeout | undefined;
  return (event) => {
    switch (event.kind) {
      case "started":
        display = io.isTTY ? bars(event.arms, totals, event.waiting) : lines(event.arms, totals, io, event.waiting);
        timer = setInterval(display.tick, TICK_MS).unref();
        break;
      case "call":
        totals.calls += 1;
        totals.tokens += event.usage.in + event.usage.out;
        break;
      case "retry":
        totals.retries += 1;
        break;
      case "question":
        display?.question(event.cell);
        break;
      case "stopped":
        clearInterval(timer);
        display?.stop();
        break;
    }
  };
}

// --- internal ---

const TICK_MS = 1_000;
/** Shorter waits are told of on a terminal only, and these no more often. */
const LONG_WAIT_MS = 30_000;

interface Totals {
  calls: number;
  tokens: number;
  retries: number;
}

interface Display {
  question(cell: string): void;
  /** Time has passed. */
  tick(): void;
  stop(): void;
}

function bars(arms: readonly ArmProgress[], totals: Totals, waits: Waits): Display {
  const screen = new cliProgress.MultiBar({
    format: "{title} {bar} {value}/{total} ETA {eta_formatted} · {calls} calls {tokens} tok {retries} retries{waits}",
    hideCursor: true,
    clearOnComplete: false,
    stopOnComplete: false,
  });
  const width = Math.max(...arms.map(({ title }) => title.length));
  const byCell = new Map(
    arms.map(({ cell, title, questions, done }) => [
      cell,
      screen.create(questions, done, { title: inert(title).padEnd(width), ...totals, waits: "" }),
    ]),
  );
  const last = [...byCell.values()].at(-1);
  return {
    tick() {
      const waiting = longestWait(waits(), 0);
      last?.update({ ...totals, waits: waiting === undefined ? "" : ` · ${inert(waiting)}` });
    },
    question: (cell) => byCell.get(cell)?.increment(1, { ...totals }),
    stop: () => screen.stop(),
  };
}

function lines(arms: readonly ArmProgress[], totals: Totals, io: Terminal, waits: Waits): Display {
  const byCell = new Map(arms.map((arm) => [arm.cell, { ...arm }]));
  let ticks = 0;
  return {
    tick() {
      ticks += 1;
      const waiting = ticks * TICK_MS < LONG_WAIT_MS ? undefined : longestWait(waits(), LONG_WAIT_MS);
      if (waiting === undefined) return;
      ticks = 0;
      io.err(waiting);
    },
    question(cell) {
      const arm = byCell.get(cell);
      if (arm === undefined) return;
      arm.done += 1;
      const step = Math.max(1, Math.ceil(arm.questions / 4));
      if (arm.done % step !== 0 && arm.done !== arm.questions) return;
      const retries = totals.retries > 0 ? `, ${totals.retries} retries` : "";
      const sofar = `${totals.calls} calls, ${totals.tokens} tokens${retries} so far`;
      io.err(`${arm.title}: ${arm.done}/${arm.questions} (${sofar})`);
    },
    stop: () => undefined,
  };
}
