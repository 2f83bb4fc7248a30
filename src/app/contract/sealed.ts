import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/** Sees what jobs reach for, from its opening on: code that is loaded under it can take hold of nothing unseen. */
export interface Watch {
  /**
   * Runs a job and names what it reached for that methods are not given: files, network, programs, the clock, unseeded chance.
   * Each is refused with an error and kept; what runs beside the job has them as ever.
   */
  reachedFor(job: () => Promise<unknown>): Promise<string[]>;
  close(): void;
}

/** Only one watch may be open at a time. */
export function openWatch(): Watch {
  const inside = new AsyncLocalStorage<Set<string>>();
  const close = watch((what) => {
    const reached = inside.getStore();
    if (reached === undefined) return;
    reached.add(what);
    throw new Forbidden(`a method may not reach for ${what}`);
  });
  return {
    close,
    async reachedFor(job) {
      const reached = new Set<string>();
      try {
        await inside.run(reached, job);
      } catch (error) {
        if (!(error instanceof Forbidden)) {
          if (reached.size === 0) throw error;
          reached.add(`it failed then: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      return [...reached].sort();
    },
  };
}

/** The same for one job. What it took hold of before is not seen. */
export async function reachedFor(job: () => Promise<unknown>): Promise<string[]> {
  const open = openWatch();
  try {
    return await open.reachedFor(job);
  } finally {
    open.close();
  }
}

// --- internal ---

class Forbidden extends Error {}

/** A function of a module or a global, and what reaching for it is called. */
type Watched = readonly [owner: object, names: readonly string[], what: string];

const watched: readonly Watched[] = [
  [
    fs,
    [
      ..."readFileSync writeFileSync appendFileSync openSync readdirSync statSync existsSync mkdirSync rmSync".split(
        " ",
      ),
      ..."readFile writeFile appendFile open readdir stat createReadStream createWriteStream".split(" "),
    ],
    "a file",
  ],
  [fs.promises, ["readFile", "writeFile", "appendFile", "open", "readdir", "stat"], "a file"],
  [http, ["request", "get"], "the network"],
  [https, ["request", "get"], "the network"],
  [net, ["connect", "createConnection"], "the network"],
  [globalThis, ["fetch"], "the network"],
  [childProcess, ["spawn", "spawnSync", "exec", "execSync", "execFile", "execFileSync", "fork"], "another program"],
  [Math, ["random"], "unseeded chance"],
  [Date, ["now"], "the clock"],
  [globalThis.performance, ["now"], "the clock"],
];

/** Tells of every use before it happens; an error of `onReach` prevents it. Returns the end of the watch. */
function watch(onReach: (what: string) => void): () => void {
  const undo = watched.flatMap(([owner, names, what]) =>
    names.map((name) => {
      const before = Object.getOwnPropertyDescriptor(owner, name);
      const real: unknown = Reflect.get(owner, name);
      if (typeof real !== "function") throw new Error(`there is no ${name} to watch`);
      const seen = new Proxy(real, {
        apply(target, self, given) {
          onReach(`${what} (${name})`);
          return Reflect.apply(target, self, given);
        },
      });
      Object.defineProperty(owner, name, { configurable: true, writable: true, value: seen });
      return () => {
        if (before === undefined) Reflect.deleteProperty(owner, name);
        else Object.defineProperty(owner, name, before);
      };
    }),
  );
  const Clock = globalThis.Date;
  globalThis.Date = new Proxy(Clock, {
    construct(target, given, caller) {
      if (given.length === 0) onReach("the clock (Date)");
      return Reflect.construct(target, given, caller);
    },
  });
  syncBuiltinESMExports();
  return () => {
    globalThis.Date = Clock;
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  };
}
