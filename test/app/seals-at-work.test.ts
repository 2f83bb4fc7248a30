import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { run } from "../../src/app/library.js";
import { readManifest, writeManifest } from "../../src/run/manifest.js";
import { RunRows } from "../../src/run/rows.js";
import { atWork, checkSeals, withoutKept } from "../../src/run/seals.js";
import type { Row } from "../../src/types/index.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { editRecords } from "../helpers/with-checks.js";

const cwd = suiteDir();
const type = (line: string) => runCommandLine(line, { cwd });
const work = (out: string) => `run --task lamp3 --method rag,pag --data data --out ${out}`;
const readers = (name: string) => [`report ${name}`, `compare ${name} --method rag`, `gate ${name} --baseline done`];
const rowsOf = (name: string): string => join(cwd, name, "rows.jsonl");
const otherReply = (text: string): string => text.replace(/"reply":"\d"/, '"reply":"5 stars"');

beforeAll(async () => {
  writeReviews(join(cwd, "data"), [reviewUser("ann"), reviewUser("bob")]);
  expect((await type(work("done"))).code).toBe(0);
});

function copy(name: string): string {
  cpSync(join(cwd, "done"), join(cwd, name), { recursive: true });
  return name;
}

function manifestOf(name: string) {
  const manifest = readManifest(join(cwd, name));
  if (manifest === undefined) throw new Error("no manifest");
  return manifest;
}

/** A finished run that was taken up again and killed. */
function takenUp(name: string): string {
  const folder = join(cwd, copy(name));
  writeManifest(folder, atWork(manifestOf(name), checkSeals(folder, manifestOf(name))));
  return name;
}

describe("a run that had ended and was taken up again", () => {
  test("and killed, keeps its seals: an edit made then is refused by all that shows numbers, and by the same command", async () => {
    const name = takenUp("edited");
    expect(manifestOf(name).records).toBeUndefined();
    editRecords(rowsOf(name), otherReply);
    for (const line of [...readers(name), work(name), work(name)]) {
      const { code, stderr } = await type(line);
      expect({ line, code }).toEqual({ line, code: 2 });
      expect(stderr).toContain("rows.jsonl was changed after the run had ended");
    }
    expect((await type(`verify ${name} --data data`)).stdout).toMatch(/FAILED +record files/);
    await type(`verify ${name} --accept-edit because`);
    expect((await type(`report ${name}`)).stdout).toContain("because");
  });

  test("ends like one that was never touched, whatever was written behind the sealed records", async () => {
    const name = takenUp("grown");
    const records = new RunRows(join(cwd, name));
    const row = JSON.parse(readFileSync(rowsOf(name), "utf8").split("\n")[0] ?? "") as Row;
    const { "#": _check, ...same } = row as Row & { "#"?: string };
    records.row({ ...same, outcome: { kind: "failed", error: "cut off" } });
    records.close();
    expect((await type(`report ${name}`)).code).toBe(0);
    expect((await type(work(name))).code).toBe(0);
    expect(comparable(join(cwd, name))).toEqual(comparable(join(cwd, "done")));
    expect(manifestOf(name).records?.["rows.jsonl"]).toBe(manifestOf("done").records?.["rows.jsonl"]);
    expect(manifestOf(name).kept).toBeUndefined();
  });

  test("and killed while its files were put in order, goes on", async () => {
    const name = takenUp("ordering");
    const folder = join(cwd, name);
    const records = new RunRows(folder);
    const { "#": _check, ...last } = JSON.parse(readFileSync(rowsOf(name), "utf8").split("\n")[0] ?? "");
    records.row({ ...last, outcome: { kind: "failed", error: "new" } });
    writeManifest(folder, withoutKept(manifestOf(name)));
    records.finish();
    expect((await type(work(name))).code).toBe(0);
    expect(comparable(folder)).toEqual(comparable(join(cwd, "done")));
  });

  test("is not sealed when its sealed records were changed while it worked", async () => {
    const name = copy("meanwhile");
    editRecords(join(cwd, name, "units.jsonl"), (text) => text.replace(/\n$/, "").replace(/[^\n]*$/, "damaged"));
    const settings = { task: "lamp3", method: ["rag", "pag"], data: "data", out: name };
    const onEvent = ({ kind }: { readonly kind: string }): void => {
      if (kind === "started") editRecords(rowsOf(name), otherReply);
    };
    await expect(run({ ...settings, onEvent }, { cwd })).rejects.toThrow(
      "rows.jsonl was changed after the run had ended",
    );
    expect((await type(work(name))).code).toBe(2);
    expect((await type(`report ${name}`)).code).toBe(2);
  });
});

test("records that were set aside by a process that died before it began are done again", async () => {
  const name = copy("aside");
  editRecords(join(cwd, name, "units.jsonl"), (text) => text.replace(/[^\n]*\n/, "damaged\n"));
  new RunRows(join(cwd, name)).close();
  expect((await type(work(name))).code).toBe(0);
  expect(comparable(join(cwd, name))).toEqual(comparable(join(cwd, "done")));
});
