import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { keepAliveFetch } from "../../src/models/wire/http.js";
import { boundedText, type StartTimer, withDeadline } from "../../src/net/deadline.js";

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

const MIB = 1024 * 1024;
const piece = Buffer.alloc(MIB, "x");
let taken = 0;
/** Sends without end. */
const server = createServer((_, response) => {
  const more = (): void => {
    taken += 1;
    response.write(piece, (failed) => {
      if (!failed) more(); // Node 26 calls back at once where the other side has left, and destroys the response later
    });
  };
  more();
});
const url = await new Promise<string>((resolve) => {
  server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
});
afterAll(() => server.close());

test("a model's reply without end is broken off, and no more of it is held than any reply has", async () => {
  await expect(keepAliveFetch(1)(url, { method: "POST", body: "{}" })).rejects.toThrow(
    "the reply has more than 64 MiB",
  );
  expect(taken).toBeLessThan(200);
});

test("so are those of embedders and of Wikipedia", async () => {
  await expect(boundedText(await fetch(url), MIB)).rejects.toThrow("the reply has more than 1 MiB");
  expect(await boundedText(new Response("größer"), MIB)).toBe("größer");
  expect(await boundedText(new Response(null), MIB)).toBe("");
});
