import { afterEach, expect, test, vi } from "vitest";
import { type StartTimer, withDeadline } from "../../src/net/deadline.js";

afterEach(() => void vi.useRealTimers());

/** A timer fired by hand. */
function handTimer() {
  const state = { fire: () => {}, delays: [] as number[], cancelled: 0 };
  const startTimer: StartTimer = (delayMs, fire) => {
    state.delays.push(delayMs);
    state.fire = fire;
    return () => void state.cancelled++;
  };
  return { state, deadline: { ms: 7, error: () => new Error("late"), startTimer } };
}

test("a call in time gives its value, ends its timer and no longer listens", async () => {
  const { state, deadline } = handTimer();
  const controller = new AbortController();
  let own: AbortSignal | undefined;
  const call = async (signal: AbortSignal) => {
    own = signal;
    return "value";
  };
  await expect(withDeadline(call, controller.signal, deadline)).resolves.toBe("value");
  expect(state).toMatchObject({ delays: [7], cancelled: 1 });
  controller.abort();
  expect(own?.aborted).toBe(false);
});

test("a call that fails, at once or later, fails with its own error and ends its timer", async () => {
  const { state, deadline } = handTimer();
  const { signal } = new AbortController();
  const atOnce = (): Promise<string> => {
    throw new Error("own");
  };
  await expect(withDeadline(atOnce, signal, deadline)).rejects.toThrow("own");
  await expect(withDeadline(() => Promise.reject(new Error("later")), signal, deadline)).rejects.toThrow("later");
  expect(state.cancelled).toBe(2);
});

test("a late call fails with the deadline's error, and is told so by its signal", async () => {
  const { state, deadline } = handTimer();
  let own: AbortSignal | undefined;
  const late = withDeadline(
    (signal) => {
      own = signal;
      return new Promise(() => {});
    },
    new AbortController().signal,
    deadline,
  );
  state.fire();
  await expect(late).rejects.toThrow("late");
  expect(own?.reason).toMatchObject({ message: "late" });
});

test("the caller's abort ends the call and its timer, with the caller's reason", async () => {
  const { state, deadline } = handTimer();
  const controller = new AbortController();
  let own: AbortSignal | undefined;
  const call = withDeadline(
    (signal) => {
      own = signal;
      return new Promise(() => {});
    },
    controller.signal,
    deadline,
  );
  controller.abort(new Error("Ctrl-C"));
  await expect(call).rejects.toThrow("Ctrl-C");
  expect(own?.reason).toMatchObject({ message: "Ctrl-C" });
  expect(state.cancelled).toBeGreaterThan(0);
});
