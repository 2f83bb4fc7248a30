import cliProgress from "cli-progress";
import { regionLines } from "./live-region.js";
import type { LiveRun } from "./live-run.js";
import type { Screen } from "./screen.js";

/** The live region of a run on a terminal. */
export interface LiveDisplay {
  /** Draws now; the terminal may have another height. */
  tick(): void;
  /** Puts a line above the region. */
  say(line: string): void;
  /** The last frame stays. */
  stop(): void;
}

/** Draws four times a second, over itself: each line of the region is a bar of cli-progress with a formatter of its own. */
export function liveDisplay(run: LiveRun, screen: Screen): LiveDisplay {
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
      match();
      region.update();
    },
    say: (line) => region.log(`${line}\n`),
    stop() {
      region.update(); // what was said last stands above the last frame
      region.stop();
    },
  };
}
