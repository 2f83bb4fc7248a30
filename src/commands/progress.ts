import cliProgress from "cli-progress";
import type { RunEvent } from "../run/events.js";
import { type Counts, countsOf } from "./counts.js";
import type { Screen, Terminal } from "./terminal.js";
import { inert } from "./terminal.js";

/** Shows how far a run is. */
interface Progress {
  show(event: RunEvent): void;
  /** Prints a message on stderr, above the bars where there are some. */
  say(text: string): void;
}

interface Display {
  /** Is called every second. */
  tick(): void;
  say(text: string): void;
  stop(): void;
}

/** Draws bars on a terminal. Elsewhere, under CI and on a dumb terminal: a line at the start and one every 30 s. */
export function progress(io: Terminal): Progress {
  const { screen, env, err } = io;
  const isDrawn = !env.CI && env.TERM !== "dumb";
  let counter: ReturnType<typeof countsOf> | undefined;
  let display: Display | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    say(text) {
      if (display === undefined) err(text);
      else display.say(text);
    },
    show(event) {
      if (event.kind === "started") {
        counter = countsOf(event, () => io.clock.monotonic());
        display = isDrawn && screen !== undefined ? bars(counter.counts, screen) : lines(counter.counts, err);
        timer = setInterval(display.tick, TICK_MS).unref();
      } else if (event.kind === "stopped") {
        clearInterval(timer);
        display?.stop();
        display = undefined;
      } else counter?.hear(event);
    },
  };
}

const TICK_MS = 1_000;
/** Ticks between two lines. */
const LINE_TICKS = 30;
/** A line names waits of this length and longer. */
const LONG_WAIT_MS = 30_000;

function lines({ run, tasks, state, lastError, done }: Counts, err: (line: string) => void): Display {
  let ticks = 0;
  err(`run started: ${done()}, tasks: ${tasks.length}`);
  return {
    tick() {
      ticks += 1;
      if (ticks % LINE_TICKS !== 0) return;
      const error = lastError();
      const last = error === undefined ? [] : [`last error: ${error.replaceAll(/\s+/g, " ").slice(0, 200)}`];
      err([done(), `${run.failed} failed`, ...state(LONG_WAIT_MS), ...last].map(inert).join(", "));
    },
    say: err,
    stop: () => undefined,
  };
}

/** One bar for the run and one a task, as many as there is room for. */
function bars({ run, tasks, state }: Counts, screen: Screen): Display {
  const counts = tasks.length === 1 ? [run] : [run, ...tasks];
  const width = Math.max(...counts.map(({ title }) => inert(title).length));
  const region = new cliProgress.MultiBar(
    {
      stream: screen,
      fps: 4,
      forceRedraw: true,
      hideCursor: true,
      clearOnComplete: false,
      stopOnComplete: false,
      format: "{title} {bar} {value}/{total}{more}",
    },
    cliProgress.Presets.shades_classic,
  );
  const most = Math.max(1, (screen.rows || 24) - 4); // some terminals say 0
  const shown = counts.slice(0, most).map((count) => [count, region.create(count.questions, count.done)] as const);
  const tick = (): void => {
    for (const [count, bar] of shown) {
      const failed = count.failed === 0 ? [] : [`${count.failed} failed`];
      const more = [...failed, ...(count === run ? state(0) : [])].map((text) => `, ${inert(text)}`).join("");
      bar.update(count.done, { title: inert(count.title).padEnd(width), more });
    }
  };
  tick();
  return {
    tick,
    say: (text) => region.log(`${text}\n`),
    stop() {
      tick();
      region.update(); // prints what was said last, above the last bars
      region.stop();
    },
  };
}
