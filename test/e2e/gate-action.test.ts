import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { seeded } from "../../src/random/seeded.js";
import { plantGated } from "../helpers/gate-run.js";
import { startProviderServer } from "../helpers/provider-server.js";
import { chatReply, fakeKey } from "../helpers/rated-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { startCli } from "./cli-process.js";

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const action = parse(readFileSync(fileOf("action.yml"), "utf8")) as Action;
const cwd = suiteDir();

beforeAll(() => {
  mkdirSync(join(cwd, "temp"));
  const command = join(cwd, "temp", "lamp-eval");
  writeFileSync(command, `#!/usr/bin/env bash\nexec "${process.execPath}" "${fileOf("bin/lamp-eval.js")}" "$@"\n`);
  chmodSync(command, 0o755);
});

/** Runs the steps of the action that come after its installation, with a shell, as a job would. */
async function job(given: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const outputs = new Map<string, string>();
  const valued = (text: string): string =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, names: string) =>
      names
        .split(" || ")
        .map((name) =>
          name.startsWith("inputs.")
            ? (given[name.slice("inputs.".length)] ?? action.inputs[name.slice("inputs.".length)]?.default ?? "")
            : (outputs.get(name) ?? ""),
        )
        .reduce((found, value) => found || value, ""),
    );
  let code = 0;
  let log = "";
  for (const { id = "", name, if: condition = "", run, env: own = {} } of action.runs.steps) {
    if (run === undefined || name === "Install lamp-eval") continue;
    if (condition.includes("folder != ''") && !outputs.get("steps.run.outputs.folder")) continue;
    if (code !== 0 && !condition.includes("always()")) continue;
    const file = join(cwd, "outputs.txt");
    writeFileSync(file, "");
    const step = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
      cwd,
      env: {
        PATH: process.env.PATH,
        RUNNER_TEMP: join(cwd, "temp"),
        GITHUB_OUTPUT: file,
        GITHUB_ACTIONS: "true",
        ...env,
        ...Object.fromEntries(Object.entries(own).map(([key, text]) => [key, valued(text)])),
      },
    });
    for (const stream of [step.stdout, step.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        log += text;
      });
    const [status] = await once(step, "close");
    code ||= status ?? 1;
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
      const at = line.indexOf("=");
      outputs.set(`steps.${id}.outputs.${line.slice(0, at)}`, line.slice(at + 1));
    }
  }
  return { code, log, verdict: valued(action.outputs.verdict!.value) };
}

const lampEval = async (line: string, env: Record<string, string> = {}) => {
  const { code, stderr } = await startCli(line.split(" "), { cwd, env }).exit;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
};

describe("a job that gates runs of 24 users", () => {
  const said = { 3: "[1]", 5: "[2]" };
  const plant = (name: string, loss: number) => {
    const random = seeded(name);
    const anew = [...BASE].map((sign) => (random.next() < 0.1 ? (random.next() < 2 / 3 ? "3" : "5") : sign));
    const replies = [anew.map((sign) => (random.next() < loss * 1.5 ? "5" : sign)).join("")];
    plantGated(cwd, name, { task: "lamp1", said, perUser: 7, replies });
  };
  const BASE = "3353353".repeat(24);
  beforeAll(async () => {
    plantGated(cwd, "base", { task: "lamp1", said, perUser: 7, replies: [BASE] });
    await lampEval("gate base --write-baseline base.json");
  });
  const gated = (out: string) => job({ run: "", out, baseline: "base.json" });

  test("fails on a planted loss of .14, with the verdict of the command", async () => {
    plant("lost", 0.14);
    const { code, log, verdict } = await gated("lost");
    expect({ code, verdict }).toEqual({ code: 10, verdict: "fail" });
    expect(log).toMatch(/^FAIL: lamp1 rag: accuracy/m);
    expect(log).toMatch(/^::error title=lamp-eval gate::FAIL: lamp1 rag: accuracy/m);
  });

  test("says why its run ended, where that is no matter for the gate", async () => {
    const { code, log } = await job({ run: "--task lamp2m --users none", out: "wrong", baseline: "base.json" });
    expect(code).toBe(2);
    expect(log).toMatch(/^::error title=lamp-eval run::exit code 2: lamp-eval: --users none: /m);
  });

  test("lets unchanged runs with other sampling through", async () => {
    for (const name of ["again", "and-again"]) {
      plant(name, 0);
      const { code, verdict } = await gated(name);
      expect({ code, isFail: verdict === "fail" }).toEqual({ code: 0, isFail: false });
    }
  });
});

describe("a job whose pack lacks calls", () => {
  const env = { OPENAI_API_KEY: fakeKey };
  let server: Awaited<ReturnType<typeof startProviderServer>>;
  let asked = "";
  beforeAll(async () => {
    server = await startProviderServer({ reply: (request) => chatReply(request, "comedy") });
    asked = `--task lamp2m --method prompt --limit 12 --model openai/gpt-4.1-mini --base-url ${server.url}/v1`;
    await lampEval(`run ${asked} --out recorded`, env);
    await lampEval("gate recorded --write-baseline recorded.json");
    await lampEval("export recorded --form pack --out tape");
  });
  afterAll(() => server.close());
  const replayed = (out: string, run: string, more: Record<string, string> = {}, keys = {}) =>
    job({ run, out, replay: "tape", baseline: "recorded.json", ...more }, keys);
  const longer = () => asked.replace("--limit 12", "--limit 14");

  test("needs no key where it lacks none", async () => {
    expect(await replayed("whole", asked, { "max-usd": "1" })).toMatchObject({ code: 0, verdict: "pass" });
  });

  test("is stale where nothing may be bought, and not measured where there is no key", async () => {
    expect(await replayed("stale", longer())).toMatchObject({ code: 14, verdict: "stale-pack" });
    const { code, log, verdict } = await replayed("keyless", longer().replace(/ --base-url \S+/, ""), {
      "max-usd": "1",
    });
    expect({ code, verdict }).toEqual({ code: 0, verdict: "not-measured" });
    expect(log).toMatch(/^::warning .*not measured/m);
  });

  test("buys those calls and no others", async () => {
    const before = server.requests.length;
    const { code, verdict } = await replayed("lacking", longer(), { "max-usd": "1" }, env);
    expect(server.requests.length - before).toBe(2);
    expect({ code, verdict }).toEqual({ code: 0, verdict: "pass" });
  });
});
