import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { main } from "../../src/commands/main.js";
import { realClock } from "../../src/commands/terminal.js";
import { lineReader } from "../../src/extend/exec/child.js";
import { findCommand, splitWords } from "../../src/extend/exec/command.js";
import { rowsOf } from "../../src/record/rows.js";
import type { Row } from "../../src/types/index.js";
import { writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { tempDir } from "../helpers/temp-dir.js";
import { type TestIo, testIo } from "../helpers/test-io.js";

const child = fileURLToPath(new URL("../fixtures/exec/child.mjs", import.meta.url));
const example = (name: string): string => fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
const hasPython = spawnSync("python3", ["--version"]).status === 0;
/** By its name: the binary of node by its path would be hashed for every run. */
const node = `node "${child}"`;
const PATH = [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly rows: readonly Row[];
  readonly folder: string;
}

/** `lamp-eval run` of a program on six questions, with a real clock: a fake one would end every timeout at once. */
async function run(method: string, args: readonly string[] = [], set: RunSet = {}): Promise<Ran> {
  const { cwd = tempDir(), onIo, task = "lamp2m", env } = set;
  const io = { ...testIo({ cwd, env: { PATH, ...env } }), clock: realClock };
  onIo?.(io);
  const code = await main(["run", "--task", task, "--limit", "6", "--method", method, "--out", "r", ...args], io);
  const folder = join(cwd, "r");
  return { code, out: io.printed.join("\n"), err: io.messages.join("\n"), rows: rowsOf(folder), folder };
}

interface RunSet {
  readonly cwd?: string;
  readonly task?: string;
  readonly env?: Readonly<Record<string, string>>;
  onIo?(io: TestIo): void;
}

const kinds = (rows: readonly Row[]) => rows.map(({ outcome }) => outcome.kind);
const errors = (rows: readonly Row[]) =>
  rows.flatMap(({ outcome }) => (outcome.kind === "failed" ? [outcome.error] : []));

/** A process that was killed and that nobody has waited for still has its number. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

/** A user of LaMP-4 whose golds stand nowhere else. */
const headlineWriter = (user: string) => ({
  user_id: user,
  profile: [0, 1].map((i) => ({
    id: `${user}-p${i}`,
    text: `article ${i} of ${user}`,
    title: `a past headline of ${user}`,
    date: `2019-0${i + 1}-01`,
  })),
  query: [0, 1].map((i) => ({
    id: `${user}-q${i}`,
    input: `Generate a headline for the following article: question ${i} of ${user}`,
    gold: `SECRET ${i} of ${user}`,
    date: `2020-0${i + 1}-01`,
  })),
});

describe("a program that answers", () => {
  test("leaves nothing behind that could hold the run: heirs of its pipes are killed, or cut off", async () => {
    const cwd = tempDir();
    const heirs = join(cwd, "heirs");
    const { code, rows } = await run(`exec:${node} heir "${heirs}"`, [], { cwd });
    const [inGroup = 0, apart = 0] = readFileSync(heirs, "utf8").trim().split("\n").map(Number);
    const apartLived = isRunning(apart);
    process.kill(apart, "SIGKILL");
    expect({ code, kinds: kinds(rows) }).toEqual({ code: 0, kinds: Array(6).fill("answered") });
    expect(apartLived).toBe(true); // so the run has not waited for it
    expect(isRunning(inGroup)).toBe(false);
  });

  test("its answers are read and scored like any other's, and its costs are unknown, not zero", async () => {
    const { code, out, rows } = await run(`exec:${node} plain`);
    expect(code).toBe(0);
    expect(kinds(rows)).toEqual(Array(6).fill("answered"));
    expect(rows.every(({ outcome }) => outcome.kind === "answered" && outcome.reply === "comedy")).toBe(true);
    expect(out).toMatch(/ 6 +- +-$/m);
    expect(out).not.toContain("SIMULATED");
  });

  test("numbers become the text of an answer", async () => {
    const { rows } = await run(`exec:${node} number`, [], { task: "lamp3" });
    expect(rows.map(({ outcome }) => outcome.kind === "answered" && outcome.reply)).toEqual(Array(6).fill("3"));
  });

  test("it is sent the visible history and the question, and never a gold answer", async () => {
    const cwd = tempDir();
    const log = join(cwd, "sent.jsonl");
    writeReviews(join(cwd, "data"), ["u1", "u2", "u3"].map(headlineWriter));
    const { rows } = await run(`exec:${node} plain ${log}`, ["--data", "data"], { cwd, task: "lamp4" });
    const bytes = readFileSync(log, "utf8");
    const messages = bytes
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (type: string) => messages.filter((message) => message.type === type);
    expect(of("hello")).toHaveLength(1);
    expect(of("hello")[0]).toMatchObject({ protocol: 1, task: { name: "lamp4", kind: "text" } });
    expect(
      of("question")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(rows.map(({ question }) => question).sort());
    const fields = new Set(of("question").flatMap((message) => Object.keys(message)));
    expect([...fields].sort()).toEqual(["content", "date", "id", "text", "type", "unit"]);
    expect(new Set(of("user").flatMap((message) => Object.keys(message)))).toEqual(
      new Set(["type", "unit", "user", "history"]),
    );
    expect(rows.every(({ gold }) => gold?.startsWith("SECRET") === true)).toBe(true);
    expect(bytes).toContain("a past headline of u3");
    expect(bytes).not.toContain("SECRET");
    const told = messages.flatMap(({ type, unit }) => (type === "user" ? [unit] : []));
    expect(new Set(told).size).toBe(told.length); // once, and before the first question that sees it
    for (const [at, { type, unit }] of messages.entries())
      if (type === "question")
        expect(messages.findIndex((one) => one.type === "user" && one.unit === unit)).toBeLessThan(at);
    const pasts = of("user").map(({ history }) => history as { id: string; label?: string }[]);
    expect(pasts.flat().every(({ label }) => typeof label === "string")).toBe(true);
    const asked = new Set(rows.map(({ question }) => question));
    expect(pasts.flat().filter(({ id }) => asked.has(id))).toEqual([]);
  });

  test("several processes share the users out", async () => {
    const cwd = tempDir();
    const log = join(cwd, "sent.jsonl");
    const { rows } = await run(`exec:${node} plain ${log}`, ["--set", "exec.processes=2"], { cwd });
    expect(kinds(rows)).toEqual(Array(6).fill("answered"));
    expect(readFileSync(`${log}.pids`, "utf8").trim().split("\n")).toHaveLength(2);
  });

  test("its requests to the run's model are counted, stored and marked like any other's", async () => {
    const { rows, out, folder } = await run(`exec:${node} ask`, ["--model", "offline/lexical"]);
    expect(kinds(rows)).not.toContain("failed");
    expect(rows.every(({ spend, spendUnknown }) => spend.answer?.calls === 1 && spendUnknown === true)).toBe(true);
    expect(out).toMatch(/ 6 +≥\d+$/m); // it does not say that it makes no others
    expect(rows.every(({ simulated }) => simulated === true)).toBe(true);
    expect(out).toContain("SIMULATED");
    const log = readFileSync(join(folder, "log.jsonl"), "utf8");
    for (const kind of ["reply", "program"]) expect(log.split(`"kind":"${kind}"`)).toHaveLength(7);
  });

  const examples = [
    { name: "mine.mjs", interpreter: "node", there: true },
    { name: "mine.py", interpreter: "python3", there: hasPython },
  ];
  for (const { name, interpreter, there } of examples)
    test.skipIf(!there)(`the example ${name} of the documentation does better than chance`, async () => {
      const args = ["--model", "offline/lexical", "--limit", "30"];
      const { rows } = await run(`exec:${interpreter} "${example(name)}"`, args);
      const right = rows.filter(({ gold, outcome }) => outcome.kind === "answered" && outcome.reply === gold);
      expect(rows).toHaveLength(30);
      expect(right.length).toBeGreaterThan(6);
    });

  test("a dry run starts nothing", async () => {
    const cwd = tempDir();
    const log = join(cwd, "sent.jsonl");
    const { code } = await run(`exec:${node} plain ${log}`, ["--dry-run"], { cwd });
    expect(code).toBe(0);
    expect(() => readFileSync(log)).toThrow(/ENOENT/);
  });
});

describe("secrets of the environment", () => {
  const KEY = "sk-exec-0123456789abcdef";
  const env = {
    OPENAI_API_KEY: KEY,
    MY_TOKEN: "tok-0123456789",
    HF_HOME: "/models",
    HTTPS_PROXY: "http://u:proxy-word@p:1",
  };

  test("do not reach the program, but for what --exec-env adds; other variables do", async () => {
    const names = "OPENAI_API_KEY:MY_TOKEN:HF_HOME:HTTPS_PROXY:PATH";
    const seen = async (...more: string[]) => {
      const { rows } = await run(`exec:${node} leak ${names}`, more, { env });
      const { outcome } = rows[0]!;
      return outcome.kind === "failed" ? outcome : JSON.parse(outcome.reply);
    };
    const plain = await seen();
    expect(plain).toMatchObject({ OPENAI_API_KEY: "-", MY_TOKEN: "-", HF_HOME: "/models", PATH });
    expect(plain.HTTPS_PROXY).toBe("http://u:[redacted]@p:1"); // it was given whole; only its echo is cut
    const config = join(tempDir(), "run.yaml");
    const endpoint = { provider: "openai", baseUrl: "http://127.0.0.1:9/v1", keyEnv: "HF_HOME" };
    writeFileSync(config, JSON.stringify({ endpoints: { lab: endpoint } }));
    expect(await seen("--config", config)).toMatchObject({ HF_HOME: "-" }); // a key by what the config says of it
    expect(await seen("--set", "exec.env=MY_TOKEN")).toMatchObject({ OPENAI_API_KEY: "-", MY_TOKEN: "[redacted]" });
  });

  test("are taken out of its answers and of its stderr", async () => {
    const { rows, folder, out, err } = await run(
      `exec:${node} echo ${Buffer.from(KEY).toString("hex")}`,
      ["--concurrency", "1"],
      { env },
    );
    const all = [JSON.stringify(rows), out, err, readFileSync(join(folder, "rows.jsonl"), "utf8")].join("\n");
    expect(all).toContain("[redacted]");
    expect(errors(rows)[0]).toMatch(/its stderr ends: key was .*\[redacted\]/);
    expect(all).not.toContain(KEY);
  });
});

describe("a program that breaks", () => {
  test("a crash fails the question that it had open, with its code and the end of stderr; others go on", async () => {
    const { code, rows } = await run(`exec:${node} crash`, ["--concurrency", "1"]);
    expect(code).toBe(1);
    expect(kinds(rows).filter((kind) => kind === "failed")).toHaveLength(2);
    expect(errors(rows)[0]).toBe(
      "the program ended with code 3; its stderr ends: Traceback | ValueError: no such movie",
    );
  });

  test("after its restarts it is given up, and every further question says why", async () => {
    const cwd = tempDir();
    const log = join(cwd, "sent.jsonl");
    const { rows } = await run(`exec:${node} chatty ${log}`, [], { cwd });
    expect(kinds(rows)).toEqual(Array(6).fill("failed"));
    expect(errors(rows).filter((error) => error.includes("given up after 4 starts"))).toHaveLength(2);
    expect(readFileSync(`${log}.pids`, "utf8").trim().split("\n")).toHaveLength(4);
  });

  test.each([
    ["chatty", /printed "loading the model \.\.\.", which is no message/],
    ["wrong-id", /answered "another", which is no question that it has open/],
    ["refuse", /the program says: too long for my model/],
    ["ask-foreign", /answered "another", which is no question that it has open/],
    ["ask-odd", /the program says: request: Unrecognized key: "topP"/],
  ])("%s is a failed row that says what happened", async (mode, message) => {
    const { rows, code } = await run(`exec:${node} ${mode}`, ["--limit", "1"]);
    expect(code).toBe(1);
    expect(errors(rows)).toEqual([expect.stringMatching(message)]);
  });

  test("silence is ended by exec.timeoutSeconds", async () => {
    const set = ["--set", "exec.timeoutSeconds=0.2", "--limit", "2"];
    const { rows } = await run(`exec:${node} hang`, set);
    expect(errors(rows)).toEqual(Array(2).fill("the program gave no answer within exec.timeoutSeconds=0.2"));
  });

  test("asking for a model that there is none of stops the run and names the flag", async () => {
    const { code, err, rows } = await run(`exec:${node} ask`);
    expect(code).toBe(2);
    expect(err).toContain("add --model PROVIDER/ID");
    expect(rows).toEqual([]);
  });

  test("Ctrl-C finishes what is out, gives up what waits, and leaves no process behind", async () => {
    const cwd = tempDir();
    const log = join(cwd, "sent.jsonl");
    const press = (io: TestIo) => {
      const wait = setInterval(() => {
        if (rowsOf(join(cwd, "r")).length === 0) return;
        clearInterval(wait);
        io.interrupt();
      }, 5);
    };
    const first = await run(`exec:${node} slow ${log}`, [], { cwd, onIo: press });
    expect(first.code).toBe(130);
    expect(first.rows.length).toBeGreaterThan(0);
    expect(first.rows.length).toBeLessThan(6);
    expect(errors(first.rows)).toEqual([]);
    const pid = Number(readFileSync(`${log}.pids`, "utf8"));
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    const second = await run(`exec:${node} slow ${log}`, [], { cwd });
    expect(second.code).toBe(0);
    expect(kinds(second.rows)).toEqual(Array(6).fill("answered"));
  });
});

describe("the command", () => {
  test("a changed script is a changed plan, an unchanged one is not", async () => {
    const cwd = tempDir();
    const script = join(cwd, "mine.mjs");
    const source = readFileSync(child, "utf8");
    writeFileSync(script, `#!${process.execPath}\n${source}`);
    chmodSync(script, 0o755);
    expect((await run("exec:./mine.mjs plain", [], { cwd })).code).toBe(0);
    expect((await run("exec:./mine.mjs plain", [], { cwd })).code).toBe(0);
    writeFileSync(script, `#!${process.execPath}\n${source}// changed\n`);
    const { code, err } = await run("exec:./mine.mjs plain", [], { cwd });
    expect(code).toBe(2);
    expect(err).toContain("exec.content");
    const arm = manifestIn(join(cwd, "r"))?.identity.arms[0];
    expect(arm).toMatchObject({ method: "exec:./mine.mjs plain", options: { "exec.command": "./mine.mjs plain" } });
  });

  test.each([
    ["exec:", "the command is missing"],
    ["exec:./nope.py", "there is no file"],
    ["exec:no-such-program-anywhere", "no program no-such-program-anywhere on PATH"],
    ["exec:'./open", "a ' is not closed"],
    ["exec:./plain.txt", "is not executable; chmod +x"],
  ])("%s is refused before anything", async (method, message) => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "plain.txt"), "x");
    const { code, err } = await run(method, [], { cwd });
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(manifestIn(join(cwd, "r"))).toBeUndefined();
  });

  test("words are cut as a shell cuts them, and nothing is expanded", () => {
    expect(splitWords(`python3 'a b.py' --k="2 3" c\\ d "" $HOME *`)).toEqual([
      "python3",
      "a b.py",
      "--k=2 3",
      "c d",
      "",
      "$HOME",
      "*",
    ]);
    expect(splitWords("  ")).toEqual([]);
  });

  test("the script counts for its content id; a file that it writes does not", () => {
    const cwd = tempDir();
    const write = (name: string, text: string) => writeFileSync(join(cwd, name), text, { mode: 0o755 });
    const id = (command: string) => findCommand(command, cwd, PATH).content;
    const ids = () => [id("node a.py log.txt"), id("./b.sh log.txt"), id("./c.bin a.py")];
    write("a.py", "1");
    write("b.sh", "#!/bin/sh");
    write("c.bin", "ELF");
    write("log.txt", "");
    const before = ids();
    write("log.txt", "written");
    expect(ids()).toEqual(before);
    for (const name of ["a.py", "b.sh", "c.bin"]) write(name, "#!/bin/sh\n# changed");
    expect(ids().filter((own, i) => own === before[i])).toEqual([]);
  });
});

test("a program that reads no input ends with the run, also where that is killed", async () => {
  const folder = tempDir();
  const started = `import { startChild } from ${JSON.stringify(fileURLToPath(new URL("../../src/extend/exec/child.js", import.meta.url)))};
    const program = { program: "/bin/sh", args: ["-c", "echo $$; exec sleep 100"] };
    const place = { cwd: ".", env: process.env, redact: { text: (text) => text } };
    startChild(program, place, { onLine: (line) => console.log(line), onGone() {} });`;
  writeFileSync(join(folder, "run.mts"), started);
  const running = spawn(process.execPath, ["--import", "tsx", join(folder, "run.mts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) => running.stdout.once("data", (text) => resolve(Number(text))));
  expect(isRunning(pid)).toBe(true);
  running.kill("SIGKILL");
  for (let tries = 0; tries < 100 && isRunning(pid); tries++) await realClock.sleep(50, new AbortController().signal);
  expect(isRunning(pid)).toBe(false);
});

test("lines of a program are cut at newlines only, across chunks and inside characters, and where they do not end", () => {
  const lines: string[] = [];
  const read = lineReader((line) => lines.push(line));
  const bytes = Buffer.from('{"a":"é\u2028b"}\r\n{"c":1}\nrest');
  for (const byte of bytes) read(Buffer.from([byte]));
  expect(lines).toEqual(['{"a":"é\u2028b"}', '{"c":1}']);
  for (let i = 0; i < 17; i++) read(Buffer.alloc(1 << 20, 0x61));
  expect(lines).toHaveLength(3);
});
