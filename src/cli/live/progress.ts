import cliProgress from "cli-progress";
import type { RunEvent } from "../../app/run/events.js";
import {
  begunText,
  doneText,
  failedText,
  lastErrorText,
  longestWait,
  questionsText,
  sofarText,
  totalsTexts,
  unparsedText,
} from "../../app/run/progress-text.js";
import type { Screen, Terminal } from "../terminal.js";
import { regionLines } from "./live-region.js";
import { etaText, isOver, type LiveArm, type LiveRun, openLiveRun, sumOf } from "./live-run.js";

/** What shows how far a run is. */
interface Progress {
  show(event: RunEvent): void;
  /** A message on stderr: above the live region, as long as there is one. */
  say(text: string): void;
}

/** How a run is shown. */
interface Display {
  /** Called every second. */
  tick(): void;
  /** A question of this arm has ended. */
  moved(arm: LiveArm): void;
  say(line: string): void;
  stop(): void;
}

/** Shows how far a run is, on stderr: one live region on a terminal; elsewhere plain lines, at least every 30 s. */
export function progress(io: Terminal): Progress {
  let shown: { readonly display: Display; readonly hear: ReturnType<typeof openLiveRun>["hear"] } | undefined;
  let timer: NodeJS.Timeout | undefined;
  return {
    say(text) {
      if (shown === undefined) io.err(text);
      else shown.display.say(text);
    },
    show(event) {
      if (event.kind === "started") {
        const { run, hear } = openLiveRun(event, () => io.clock.monotonic());
        const display = io.screen === undefined ? plainLines(run, io.err) : liveDisplay(run, io.screen);
        shown = { display, hear };
        timer = setInterval(display.tick, TICK_MS).unref();
      } else if (event.kind === "stopped") {
        clearInterval(timer);
        shown?.display.stop();
        shown = undefined;
      } else {
        const arm = shown?.hear(event);
        if (arm !== undefined) shown?.display.moved(arm);
      }
    },
  };
}

const TICK_MS = 1_000;
/** Without a terminal, ticks between two lines. */
const LINE_TICKS = 30;
/** Shorter waits are told of on a terminal only. */
const LONG_WAIT_MS = 30_000;
/** Characters of an error in a line. */
const LONGEST_ERROR = 200;

/** One line at the start, one at each quarter of an arm, and one every 30 s. */
function plainLines(run: LiveRun, err: (line: string) => void): Display {
  const { arms, totals } = run;
  const questions = sumOf(arms, (arm) => arm.questions);
  const done = (): number => sumOf(arms, (arm) => arm.done);
  let ticks = 0;
  err(begunText(done(), questions, arms.length));
  return {
    tick() {
      ticks += 1;
      if (ticks % LINE_TICKS !== 0) return;
      const failed = failedText(sumOf(arms, (arm) => arm.failed));
      const [calls] = totalsTexts(totals);
      const counts = [`${questionsText(done(), questions)} done`, failed, unparsedText(totals.unparsed), calls];
      const error = run.lastError();
      const more = [
        run.workers?.(),
        longestWait(run.waiting(), LONG_WAIT_MS),
        error && lastErrorText(error, LONGEST_ERROR),
      ];
      err([[...counts, `ETA ${etaText(run)}`].join(", "), ...more.filter(Boolean)].join("; "));
    },
    moved(arm) {
      const step = Math.max(1, Math.ceil(arm.questions / 4));
      if ((arm.done + arm.failed) % step !== 0 && !isOver(arm)) return;
      const failed = arm.failed === 0 ? "" : `, ${failedText(arm.failed)}`;
      err(`${arm.title}: ${doneText(arm.done, arm.questions)}${failed} (${sofarText(totals)})`);
    },
    say: err,
    stop: () => undefined,
  };
}

/** Draws four times a second, over itself: each line of the region is a bar of cli-progress with a formatter of its own. */
export function liveDisplay(run: LiveRun, screen: Screen): Display {
  let lines: readonly string[] = [];
  const region = new cliProgress.MultiBar({
    stream: screen,
    fps: 4,
    hideCursor: true,
    forceRedraw: true,
    clearOnComplete: false,
    stopOnComplete: false,
    format: (_options, _params, { line }: { line: number }) => lines[line] ?? "",
  });
  const bars: cliProgress.SingleBar[] = [];
  const layOut = (): void => {
    lines = regionLines(run, { columns: screen.columns || 80, rows: screen.rows || 24 }); // some terminals say 0
  };
  const match = (): void => {
    layOut();
    while (bars.length > lines.length) region.remove(bars.pop()!);
    while (bars.length < lines.length) bars.push(region.create(1, 0, { line: bars.length }));
  };
  region.on("update-pre", layOut);
  region.on("stop-pre-clear", layOut);
  match();
  return {
    tick() {
      match(); // the terminal may have another height
      region.update();
    },
    moved: () => undefined,
    say: (line) => region.log(`${line}\n`),
    stop() {
      region.update(); // what was said last stands above the last frame, which stays
      region.stop();
    },
  };
}
