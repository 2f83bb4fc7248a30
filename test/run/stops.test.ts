import { expect, test } from "vitest";
import type { StartTimer } from "../../src/net/deadline.js";
import { openStops } from "../../src/outside/stops.js";

/** A timer by hand. */
function hand() {
  const timers: { ms: number; fire: () => void }[] = [];
  const start: StartTimer = (ms, fire) => {
    const timer = { ms, fire };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  return { timers, start };
}

test("a signal stops new calls at once and drops those in flight when the time to finish them is over", () => {
  const { timers, start } = hand();
  const asking = new AbortController();
  const { stop, kill, drainWithin } = openStops({ signal: asking.signal }, start);
  drainWithin(30_000);
  expect([stop.signal.aborted, kill.aborted, timers.length]).toEqual([false, false, 0]);
  asking.abort();
  expect([stop.signal.aborted, kill.aborted]).toEqual([true, false]);
  expect(timers.map(({ ms }) => ms)).toEqual([30_000]);
  timers[0]!.fire();
  expect(kill.aborted).toBe(true);
});

test("a run that was asked to end before it began has its time too; one that ends leaves no timer behind", () => {
  const { timers, start } = hand();
  const release = openStops({ signal: AbortSignal.abort() }, start).drainWithin(5);
  expect(timers).toHaveLength(1);
  release();
  expect(timers).toHaveLength(0);
});

test("kill drops calls in flight without any time", () => {
  const { stop, kill } = openStops({ kill: AbortSignal.abort() }, hand().start);
  expect([stop.signal.aborted, kill.aborted]).toEqual([true, true]);
});
