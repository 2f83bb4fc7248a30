import type { ArmProgress, RunEvent } from "../../app/run/events.js";
import { longestWait, type RunTotals, sofarText } from "../../app/run/progress-text.js";
import type { Terminal } from "../terminal.js";
import { type LiveDisplay, liveDisplay } from "./live-display.js";
import { openLiveRun } from "./live-run.js";

/** What shows how far a run is. */
interface Progress {
  show(event: RunEvent): void;
  /** A message on stderr: above the live region, as long as there is one. */
  say(text: string): void;
}

/** Shows how far a run is, on stderr: one live region on a terminal, elsewhere a plain line at each quarter of an arm. */
export function progress(io: Terminal): Progress {
  const totals: Totals = { calls: 0, tokens: 0, retries: 0 };
  let display: Display | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    say(text) {
      if (display === undefined) io.err(text);
      else display.say(text);
    },
    show(event) {
      switch (event.kind) {
        case "started":
          display =
            io.screen === undefined ? lines(event.arms, totals, io, event.waiting) : live(event, totals, io, io.screen);
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
          display = undefined;
          break;
      }
    },
  };
}

const TICK_MS = 1_000;
/** Shorter waits are told of on a terminal only, and these no more often. */
const LONG_WAIT_MS = 30_000;

type Totals = { -readonly [K in keyof RunTotals]: RunTotals[K] };

type Started = Extract<RunEvent, { readonly kind: "started" }>;

interface Display extends LiveDisplay {
  question(cell: string): void;
}

function live(started: Started, totals: Totals, io: Terminal, screen: NonNullable<Terminal["screen"]>): Display {
  const { run, question } = openLiveRun(started, totals, () => io.clock.monotonic());
  return { ...liveDisplay(run, screen), question };
}

function lines(arms: readonly ArmProgress[], totals: Totals, io: Terminal, waits: Started["waiting"]): Display {
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
      io.err(`${arm.title}: ${arm.done}/${arm.questions} (${sofarText(totals)})`);
    },
    say: (line) => io.err(line),
    stop: () => undefined,
  };
}
