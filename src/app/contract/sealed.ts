import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import crypto from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import os from "node:os";
import process from "node:process";
import tls from "node:tls";
import threads from "node:worker_threads";

/** Sees what jobs reach for, from its opening on: code that is loaded under it can take hold of nothing unseen. */
export interface Watch {
  /**
   * Runs a job and names what it reached for that methods are not given: files, network, programs, the clock, unseeded chance.
   * Each is refused with an error and kept; what runs beside the job has them as ever.
   */
  reachedFor(job: () => Promise<unknown>): Promise<string[]>;
  /** Runs a job that has clock, chance and environment as ever; files, network and programs are refused with an error. */
  harmless<T>(job: () => Promise<T>): Promise<T>;
  close(): void;
}

/** Only one watch may be open at a time. */
export function openWatch(): Watch {
  const inside = new AsyncLocalStorage<Set<string> | "harmless">();
  const close = watch((what) => {
    const reached = inside.getStore();
    if (reached === undefined) return;
    if (reached !== "harmless") reached.add(what);
    else if (![FILE, NETWORK, PROGRAM].some((harm) => what.startsWith(harm))) return;
    throw new Forbidden(`a method may not reach for ${what}`);
  });
  return {
    close,
    harmless: (job) => inside.run("harmless", job),
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

class Forbidden extends Error {}

/** Functions of a module, a global or a prototype, and what reaching for one is called. */
type Watched = readonly [owner: object, names: readonly string[], what: string];

/** All functions of it, or those whose names begin so; `Stats` and the like are no reach. What is fixed only leads to others. */
const named = (owner: object, form = /^(?!(constructor|Stats|Dirent|_))/): string[] =>
  Object.entries(Object.getOwnPropertyDescriptors(owner)).flatMap(([name, { configurable }]) =>
    configurable === true && form.test(name) && typeof Reflect.get(owner, name) === "function" ? name : [],
  );
const all = (owner: object, what: string, form?: RegExp): Watched => [owner, named(owner, form), what];
const some = (owner: object, names: string, what: string): Watched => [
  owner,
  names.split(" ").filter((name) => typeof Reflect.get(owner, name) === "function"),
  what,
];

const [FILE, NETWORK, PROGRAM, CHANCE, CLOCK] = [
  "a file",
  "the network",
  "another program",
  "unseeded chance",
  "the clock",
];
const SENDS = /^(connect|create|request|get$|listen|send|bind|lookup|resolve|reverse|ClientRequest)/;
const DRAWS = /^(random|getRandomValues|generate)/;

const watched = (): readonly Watched[] => [
  all(fs, FILE),
  all(fs.promises, FILE),
  ...[http, https, http2, net, tls, dgram, dns, dns.promises].map((owner) => all(owner, NETWORK, SENDS)),
  ...[net.Socket, net.Server, dgram.Socket, dns.Resolver, dns.promises.Resolver].flatMap(({ prototype }) => [
    all(prototype, NETWORK, SENDS),
    all(Object.getPrototypeOf(prototype), NETWORK, /^(resolve|reverse)/),
  ]),
  some(globalThis, "fetch WebSocket EventSource", NETWORK),
  all(childProcess, PROGRAM),
  some(threads, "Worker", PROGRAM),
  some(process, "kill dlopen", PROGRAM),
  all(crypto, CHANCE, DRAWS),
  all(Object.getPrototypeOf(crypto.webcrypto), CHANCE, DRAWS),
  all(Object.getPrototypeOf(crypto.webcrypto.subtle), CHANCE, DRAWS),
  some(Math, "random", CHANCE),
  some(Date, "now", CLOCK),
  some(Object.getPrototypeOf(globalThis.performance), "now mark measure toJSON", CLOCK),
  some(process.hrtime, "bigint", CLOCK),
  some(process, "hrtime uptime cpuUsage resourceUsage", CLOCK),
  some(os, "uptime", CLOCK),
];

/** Tells of every use before it happens; an error of `onReach` prevents it. Returns the end of the watch. */
function watch(onReach: (what: string) => void): () => void {
  const undo: (() => void)[] = [];
  const replace = (owner: object, name: string, by: PropertyDescriptor): void => {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, { configurable: true, ...by });
    undo.unshift(() => {
      if (before === undefined) Reflect.deleteProperty(owner, name);
      else Object.defineProperty(owner, name, before);
    });
  };
  for (const [owner, names, what] of watched())
    for (const name of names) {
      const tell = (first?: unknown) => {
        if (!isPrinting(name, first)) onReach(`${what} (${name})`);
      };
      replace(owner, name, { writable: true, value: told(Reflect.get(owner, name), tell) });
    }
  watchDates(replace, onReach);
  replace(process, "env", { writable: true, enumerable: true, value: toldEnvironment(process.env, onReach) });
  syncBuiltinESMExports();
  return () => {
    for (const restore of undo) restore();
    syncBuiltinESMExports();
  };
}

type Replace = (owner: object, name: string, by: PropertyDescriptor) => void;

/** What a console does where its output goes to a file. */
const isPrinting = (name: string, to: unknown): boolean => /^write(Sync)?$/.test(name) && (to === 1 || to === 2);

/** The same function or class, with `tell` before it is called or made. */
function told<T extends object>(real: T, tell: (...given: unknown[]) => void): T {
  return new Proxy(real, {
    apply(target, self, given) {
      tell(...given);
      return Reflect.apply(target as () => unknown, self, given);
    },
    construct(target, given, caller) {
      tell(...given);
      return Reflect.construct(target as new () => object, given, caller);
    },
  });
}

/** Dates and formats of dates that are made of now, since no time is given to them. */
function watchDates(replace: Replace, onReach: (what: string) => void): void {
  const Clock = globalThis.Date;
  const Told = new Proxy(Clock, {
    apply(target, self, given) {
      onReach(`${CLOCK} (Date)`);
      return Reflect.apply(target, self, given);
    },
    construct(target, given, caller) {
      if (given.length === 0) onReach(`${CLOCK} (Date)`);
      return Reflect.construct(target, given, caller);
    },
  });
  replace(globalThis, "Date", { writable: true, value: Told });
  replace(Clock.prototype, "constructor", { writable: true, value: Told });
  const formats = Intl.DateTimeFormat.prototype;
  const tell = (time?: unknown) => {
    if (time === undefined) onReach(`${CLOCK} (DateTimeFormat)`);
  };
  const format = Object.getOwnPropertyDescriptor(formats, "format")?.get;
  replace(formats, "format", {
    get(this: Intl.DateTimeFormat) {
      return told(format?.call(this), tell);
    },
  });
  replace(formats, "formatToParts", { writable: true, value: told(formats.formatToParts, tell) });
}

/** Variables, told where they are read; Node reads some by itself (for the colours of a console, say). */
function toldEnvironment(env: NodeJS.ProcessEnv, onReach: (what: string) => void): NodeJS.ProcessEnv {
  const tell = (key: string | symbol) => {
    const [, , , caller = ""] = (new Error("who asks").stack ?? "").split("\n");
    if (typeof key === "string" && !caller.includes("node:internal")) onReach(`the environment (${key})`);
  };
  return new Proxy(env, {
    get(target, key) {
      tell(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      tell(key);
      return Reflect.has(target, key);
    },
    ownKeys(target) {
      tell("all of it");
      return Reflect.ownKeys(target);
    },
    set: (target, key, value) => Reflect.set(target, key, value),
  });
}
