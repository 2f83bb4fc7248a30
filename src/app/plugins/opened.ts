import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs";
import { createRequire, register, syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads";

/**
 * Does the loading of `entry` and gives with it every file that this opened: modules, by whatever name they are imported or
 * required, and what they read while they are loaded. What an earlier loading of the same file opened counts, too: modules are
 * loaded once. Real paths. What is opened later is not seen.
 */
export async function opening<T>(entry: string, load: () => Promise<T>): Promise<{ value: T; opened: string[] }> {
  const path = fs.realpathSync(entry);
  const read = reads.get(path) ?? new Set<string>();
  reads.set(path, read);
  importsSince(() => undefined);
  const unwatch = watchReads();
  try {
    const value = await reading.run(read, load);
    importsSince((from, to) => imports.set(from, (imports.get(from) ?? new Set()).add(to)));
    return { value, opened: reached(path) };
  } finally {
    unwatch();
  }
}

/** What was read while a file was loaded, by that file. */
const reads = new Map<string, Set<string>>();
/** What modules import, by path. */
const imports = new Map<string, Set<string>>();
const reading = new AsyncLocalStorage<Set<string>>();
const required = createRequire(import.meta.url).cache;

/** A file, what it read while it was loaded, what it imports or requires, and so on. */
function reached(entry: string): string[] {
  const found = new Set([entry]);
  for (const path of found) {
    const read = [...(reads.get(path) ?? [])].flatMap((one) => (fs.existsSync(one) ? fs.realpathSync(one) : []));
    const children = required[path]?.children.map(({ filename }) => filename) ?? [];
    for (const next of [...read, ...(imports.get(path) ?? []), ...children]) found.add(next);
  }
  return [...found];
}

/** Runs beside Node's own loader, and tells which module imports which. */
const HOOK = `let port;
const initialize = (given) => { port = given.port; };
async function resolve(name, context, next) {
  const found = await next(name, context);
  port.postMessage([context.parentURL ?? "", found.url]);
  return found;
}
export { initialize, resolve };`;
let told: MessagePort | undefined;

/** Every import since the last asking, as paths. */
function importsSince(each: (from: string, to: string) => void): void {
  if (told === undefined) {
    const { port1, port2: port } = new MessageChannel();
    register(`data:text/javascript,${encodeURIComponent(HOOK)}`, { data: { port }, transferList: [port] });
    port1.unref();
    told = port1;
  }
  for (let one = receiveMessageOnPort(told); one !== undefined; one = receiveMessageOnPort(told)) {
    const [from = "", to = ""] = one.message as string[];
    if (from.startsWith("file:") && to.startsWith("file:")) each(fileURLToPath(from), fileURLToPath(to));
  }
}

const READS = ["readFileSync", "openSync", "readFile", "open", "createReadStream"] as const;
let watching = 0;
let restore = (): void => undefined;

/** Notes what is read by loadings, until the last of them ends. */
function watchReads(): () => void {
  watching += 1;
  if (watching === 1) {
    const undo = [fs, fs.promises].flatMap((owner) => READS.flatMap((name) => noted(owner, name)));
    restore = () => {
      for (const one of undo) one();
    };
    syncBuiltinESMExports();
  }
  return () => {
    watching -= 1;
    if (watching > 0) return;
    restore();
    syncBuiltinESMExports();
  };
}

function noted(owner: object, name: string): (() => void)[] {
  const real: unknown = Reflect.get(owner, name);
  if (typeof real !== "function") return [];
  const seen = new Proxy(real, {
    apply(target, self, given) {
      const [path] = given;
      const isPath = typeof path === "string" || path instanceof URL || Buffer.isBuffer(path);
      if (isPath) reading.getStore()?.add(path instanceof URL ? fileURLToPath(path) : resolve(String(path)));
      return Reflect.apply(target, self, given);
    },
  });
  Reflect.set(owner, name, seen);
  return [() => Reflect.set(owner, name, real)];
}
