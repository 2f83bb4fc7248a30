import cliProgress from "cli-progress";
import type { ArmProgress, RunEvent } from "../app/run/events.js";
import { inert } from "./inert.js";
import type { Terminal } from "./terminal.js";

/** Shows how far each arm of a run is, on stderr: bars on a terminal, elsewhere a plain line at each quarter. */
export function progress(io: Terminal): (event: RunEvent) => void {
  const totals: Totals = { calls: 0, tokens: 0, retries: 0 };
  let display: Display | undefined;
  return (event) => {
    switch (event.kind) {
      case "started":
        display = io.isTTY ? bars(event.arms, totals) : lines(event.arms, totals, io);
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
        display?.stop();
        break;
    }
  };
}

// --- internal ---

interface Totals {
  calls: number;
  tokens: number;
  retries: number;
}

interface Display {
  question(cell: string): void;
  stop(): void;
}

function bars(arms: readonly ArmProgress[], totals: Totals): Display {
  const screen = new cliProgress.MultiBar({
    format: "{title} {bar} {value}/{total} ETA {eta_formatted} · {calls} calls {tokens} tok {retries} retries",
    hideCursor: true,
    clearOnComplete: false,
    stopOnComplete: false,
  });
  const width = Math.max(...arms.map(({ title }) => title.length));
  const byCell = new Map(
    arms.map(({ cell, title, questions, done }) => [
      cell,
      screen.create(questions, done, { title: inert(title).padEnd(width), ...totals }),
    ]),
  );
  return {
    question: (cell) => byCell.get(cell)?.increment(1, { ...totals }),
    stop: () => screen.stop(),
  };
}

function lines(arms: readonly ArmProgress[], totals: Totals, io: Terminal): Display {
  const byCell = new Map(arms.map((arm) => [arm.cell, { ...arm }]));
  return {
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
