import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const source = resolve(dirname(fileURLToPath(import.meta.url)), "../../src");

const plan = readFileSync(resolve(source, "../docs/ARCHITECTURE.md"), "utf8");

/** The rows of the table in docs/ARCHITECTURE.md, from the highest down. */
const layers = [...plan.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].map(([, arm = ""]) =>
  [...arm.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name),
);
const layerOf = (room: string): number => layers.findIndex((rooms) => rooms.includes(room));
const lowest = layers.length - 1;

/** Rooms that reach neither files nor network by themselves. */
const sealed = [
  "agent",
  "memory",
  "methods",
  "metrics",
  "net",
  "report",
  "results",
  "retrievers",
  "selectors",
  "tasks",
];
const outside = /^node:(fs|http|https|net|child_process|dgram|dns|tls|worker_threads|os|process)\b/;

const banned: readonly (readonly [string, RegExp])[] = [
  ["process.env", /\bprocess\.env\b/],
  ["console", /\bconsole\./],
  ["Date.now", /\bDate\.now\b/],
  ["new Date()", /\bnew Date\(\s*\)/],
  ["performance.now", /\bperformance\.now\b/],
  ["Math.random", /\bMath\.random\b/],
];

const terminalLibraries = ["commander", "cli-progress"];

/** The process itself, and what it ends with. */
const PROCESS = /\bprocess\.(exit|exitCode|argv|stdout|stderr)\b|\bexitCodes?\b/g;

/** Ways to tell a thing apart by its name. */
const nameTests: readonly RegExp[] = [
  /(?<!typeof )\b(task|method|provider|model)(\.name|\.id)?\s*[!=]==\s*(?!.string\b)["'`]\w+/,
  /\b(task|method|provider|model)(\.name|\.id)?\)?\??\.(startsWith|endsWith)\(\s*["'`]/,
];

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({
    name: name.split(sep).join("/"),
    code: withoutComments(readFileSync(join(source, name), "utf8")),
  }));

describe("the tree is the architecture", () => {
  test("there is source to look at", () => expect(files.length).toBeGreaterThan(50));

  test("every file imports only from lower layers", () => {
    expect(layers.length).toBeGreaterThan(10);
    const offences = offendersOf(inRooms(), (file) => {
      const room = roomOf(file.name);
      return targetsOf(file)
        .map(roomOf)
        .filter((target) => target !== room && layerOf(target) <= layerOf(room) && layerOf(target) !== lowest);
    });
    expect(offences).toEqual({});
  });

  test("docs/ARCHITECTURE.md lists every module", () => {
    const rooms = new Set(files.filter(({ name }) => name.includes("/")).map(({ name }) => roomOf(name)));
    expect([...rooms].filter((room) => layerOf(room) === -1)).toEqual([]);
  });

  test("no file imports itself in a circle, types included", () => {
    expect(circlesOf(new Map(files.map((file) => [file.name, targetsOf(file)])))).toEqual([]);
  });

  test("a circle is named by its path", () => {
    const imports = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts", "d.ts"]],
      ["c.ts", ["d.ts"]],
      ["d.ts", ["b.ts"]],
    ]);
    expect(circlesOf(imports)).toEqual(["b.ts -> c.ts -> d.ts -> b.ts"]);
    expect(targetsOf({ name: "a/b.ts", code: 'import type { X } from "../c/d.js"' })).toEqual(["c/d.ts"]);
  });

  test("sealed rooms reach no file and no network", () => {
    const sealedFiles = files.filter(({ name }) => sealed.includes(roomOf(name)));
    expect(offendersOf(sealedFiles, ({ code }) => importsOf(code).filter((target) => outside.test(target)))).toEqual(
      {},
    );
  });

  test("chance, time, environment and printing are handed in everywhere but in commands", () => {
    const offences = offendersOf(outsideCommands(), ({ code }) =>
      banned.filter(([, pattern]) => pattern.test(code)).map(([what]) => what),
    );
    expect(offences).toEqual({});
  });

  test("files are written, renamed and removed by the disk room, the log, its lock, rows and downloads alone, all others only look", () => {
    const looks =
      `existsSync readFileSync readdirSync statSync statfsSync fstatSync realpathSync readlinkSync accessSync constants
      createReadStream closeSync readSync readFile readdir stat FileHandle`.split(/\s+/);
    const times = ["utimesSync"]; // changes no content
    const opens = ["open", "openSync"]; // to read, see below
    const known = new Set([...looks, ...times, ...opens]);
    const writers = ["log/log.ts", "log/lock.ts", "record/rows.ts", "data/download.ts"];
    const others = files.filter(({ name }) => roomOf(name) !== "disk" && !writers.includes(name));
    const taken = (code: string): string[] =>
      [...code.matchAll(/import ([^;]*?) from "(?:node:)?fs(?:\/promises)?"/g)].flatMap(([, names = ""]) =>
        (names.match(/\w+/g) ?? []).filter((name) => name !== "type" && !known.has(name)),
      );
    const opened = (code: string): string[] =>
      /from "(?:node:)?fs/.test(code) ? (code.match(/(?<!\.)\bopen(Sync)?\((?![\w.#]+(, "r")?\))[^)]*/g) ?? []) : [];
    const loaded = (code: string): string[] => code.match(/(import|require)\("(node:)?fs[^)]*/g) ?? [];
    expect(offendersOf(others, ({ code }) => [...taken(code), ...opened(code), ...loaded(code)])).toEqual({});
    expect(
      taken('import { type FileHandle, open, rm } from "node:fs/promises"; import * as fs from "node:fs"'),
    ).toEqual(["rm", "as", "fs"]);
    expect(opened('import { open } from "node:fs/promises"; await open(path); await open(path, "a")')).toHaveLength(1);
  });

  test("commander, the progress bars and the process are known to commands only", () => {
    const named = offendersOf(outsideCommands(), ({ code }) => [
      ...importsOf(code).filter((target) => terminalLibraries.includes(target)),
      ...(code.match(PROCESS) ?? []),
    ]);
    expect(named).toEqual({});
  });

  test("no task, method or model is told apart by its name outside commands", () => {
    expect(
      offendersOf(outsideCommands(), ({ code }) =>
        nameTests.flatMap((pattern) => pattern.exec(code)?.slice(0, 1) ?? []),
      ),
    ).toEqual({});
  });

  test("no name is exported twice, and no more of those that still are", () => {
    const all = files.flatMap(({ code }) => [...new Set([...code.matchAll(EXPORTED)].map(([, name = ""]) => name))]);
    const twice = [...new Set(all.filter((name, at) => all.indexOf(name) !== at))];
    expect(twice.filter((name) => !TWICE.includes(name))).toEqual([]);
  });

  test("the bans can fail", () => {
    const sins = "process.env console.log(Date.now(), new Date(), performance.now(), Math.random())";
    expect(banned.every(([, pattern]) => pattern.test(sins))).toBe(true);
    const names = ['if (task.name === "lamp3")', 'String(armSpec.model).startsWith("offline/")'];
    expect(names.map((code) => nameTests.findIndex((pattern) => pattern.test(code)))).toEqual([0, 1]);
    expect("process.exit(exitCodes.done)".match(PROCESS)).toHaveLength(2);
    expect(withoutComments("a /* Math.random */ b // console.log\nc 'http://x'")).not.toMatch(/Math|console/);
    expect(importsOf('import a from "./a.js"; await import("./b.js"); export * from "./c.js"')).toHaveLength(3);
  });
});

interface SourceFile {
  readonly name: string;
  readonly code: string;
}

/** The library face shows every room, so it stands in none. */
const inRooms = () => files.filter(({ name }) => name !== "index.ts");
const outsideCommands = () => files.filter(({ name }) => roomOf(name) !== "commands");

function offendersOf(
  of: readonly SourceFile[],
  check: (file: SourceFile) => readonly string[],
): Record<string, readonly string[]> {
  return Object.fromEntries(
    of.map((file) => [file.name, check(file)] as const).filter(([, found]) => found.length > 0),
  );
}

function roomOf(name: string): string {
  return (name.includes("/") ? name.slice(0, name.indexOf("/")) : name).replace(/\.[jt]s$/, "");
}

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["']([\w@./:-]+)["']/g)].map((match) => match[1] ?? "");
}

const EXPORTED = /^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm;

/** Names that are still exported twice, and those of `library.ts`, which are the commands' own for programs. */
const TWICE = [
  "Asked Cut Estimate Overlap Pair TableForm integer longlamp openai oppu pairOf personachat personamem",
  "ranked readJson readQuery readText titleOf words",
  "compare estimateRun gate report reproduce run score verify writeBaseline",
].flatMap((names) => names.split(" "));

/** The files of ours that a file imports, types included. */
function targetsOf({ name, code }: SourceFile): string[] {
  return importsOf(code)
    .filter((target) => target.startsWith("."))
    .map((target) => relative(source, resolve(source, dirname(name), target)))
    .map((target) => target.split(sep).join("/").replace(/\.js$/, ".ts"));
}

/** The circles that a walk along the imports meets, each as its path. Empty where there are none. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const walk = (name: string): void => {
    const start = path.indexOf(name);
    if (start >= 0) circles.push([...path.slice(start), name].join(" -> "));
    if (start >= 0 || done.has(name)) return;
    path.push(name);
    for (const target of imports.get(name) ?? []) walk(target);
    path.pop();
    done.add(name);
  };
  for (const name of imports.keys()) walk(name);
  return circles;
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[\s;{}()])\/\/.*$/gm, "$1");
}
