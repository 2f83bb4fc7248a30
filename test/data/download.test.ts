import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DownloadSettings, download, LAMP_SITE, remoteFiles } from "../../src/data/download.js";
import { UsageError } from "../../src/errors.js";
import { tasks } from "../../src/tasks/index.js";
import { type DownloadSite, downloadSite } from "../helpers/download-site.js";
import { fullDisk } from "../helpers/failing-disk.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { tempDir } from "../helpers/temp-dir.js";

const QUESTIONS = JSON.stringify(
  Array.from({ length: 200 }, (_, i) => ({ id: `91${i}`, input: "x".repeat(200), profile: [] })),
);
const OUTPUTS = JSON.stringify({ task: "LaMP_3", golds: [{ id: "910", output: "5" }] });
const PATHS = { questions: "time/LaMP_3/dev/dev_questions.json", outputs: "time/LaMP_3/dev/dev_outputs.json" };

const site = (): Promise<DownloadSite> => downloadSite({ [PATHS.questions]: QUESTIONS, [PATHS.outputs]: OUTPUTS });

function fetchTo(folder: string, server: DownloadSite, clock = fakeClock(), more: Partial<DownloadSettings> = {}) {
  return download({
    task: tasks.get("lamp3"),
    split: "time",
    parts: ["dev"],
    folder,
    site: server.url,
    clock,
    tell: () => undefined,
    onProgress: (_file, bytes) => void (bytes >= Math.floor(QUESTIONS.length / 2) && server.cut()),
    ...more,
  });
}

const read = (folder: string, name: string): Promise<string> => readFile(join(folder, name), "utf8");

describe("a download on a disk that is full", () => {
  it("ends in one line, keeps what came, and the same command goes on from there", async () => {
    const folder = tempDir();
    const server = await site();
    const disk = fullDisk(15_000);
    await expect(fetchTo(folder, server)).rejects.toThrow(
      /no space is left on the disk; what came so far is safe; make some/,
    );
    disk.restore();
    const [questions] = remoteFiles(tasks.get("lamp3"), "time", ["dev"], server.url);
    const name = questions?.name ?? "";
    const came = (await read(folder, `${name}.part`)).length;
    expect(came).toBeGreaterThan(10_000);
    await fetchTo(folder, server);
    expect(await read(folder, name)).toBe(QUESTIONS);
    expect(server.requests.map(({ range }) => range)).toContain(`bytes=${came}-`);
  });
});

describe("the addresses", () => {
  it("are those of the official site: time/ in front, movies under new/, no outputs of test", () => {
    const urls = (task: string, split: "time" | "user", part: "dev" | "test") =>
      remoteFiles(tasks.get(task), split, [part], LAMP_SITE).map(({ url }) => url);
    expect(urls("lamp2m", "user", "dev")).toEqual([
      "https://ciir.cs.umass.edu/downloads/LaMP/LaMP_2/new/dev/dev_questions.json",
      "https://ciir.cs.umass.edu/downloads/LaMP/LaMP_2/new/dev/dev_outputs.json",
    ]);
    expect(urls("lamp2n", "user", "dev")[0]).toBe(
      "https://ciir.cs.umass.edu/downloads/LaMP/LaMP_2/dev/dev_questions.json",
    );
    expect(urls("lamp3", "time", "test")).toEqual([
      "https://ciir.cs.umass.edu/downloads/LaMP/time/LaMP_3/test/test_questions.json",
    ]);
  });
});

describe("a download", () => {
  it("writes the files and their sha256, and verifies them on the second run without fetching", async () => {
    const server = await site();
    const folder = tempDir();
    expect((await fetchTo(folder, server)).map(({ state }) => state)).toEqual(["fetched", "fetched"]);
    expect(await read(folder, "dev_questions.json")).toBe(QUESTIONS);
    const manifest = JSON.parse(await read(folder, "download.json")) as {
      files: { sha256: string; records: number }[];
    };
    expect(manifest.files[0]).toMatchObject({
      sha256: createHash("sha256").update(QUESTIONS).digest("hex"),
      records: 200,
      url: server.url + PATHS.questions,
      fetchedAt: "1970-01-01T00:00:00.000Z",
    });
    expect((await fetchTo(folder, server)).map(({ state }) => state)).toEqual(["verified", "verified"]);
    expect(server.requests).toHaveLength(2);
    expect((await readdir(folder)).sort()).toEqual(["dev_outputs.json", "dev_questions.json", "download.json"]);
  });

  it("refuses a file that is no longer what was recorded", async () => {
    const server = await site();
    const folder = tempDir();
    await fetchTo(folder, server);
    await writeFile(join(folder, "dev_questions.json"), QUESTIONS.replace("910", "919"));
    await expect(fetchTo(folder, server)).rejects.toThrow(/dev_questions\.json: sha256 .* delete it/);
  });

  it("goes on where the connection broke, asking for the same version", async () => {
    const server = await site();
    const folder = tempDir();
    server.script("cuts");
    await fetchTo(folder, server);
    expect(await read(folder, "dev_questions.json")).toBe(QUESTIONS);
    expect(server.requests[1]).toMatchObject({ range: `bytes=${Math.floor(QUESTIONS.length / 2)}-` });
    expect(server.requests[1]?.ifRange).toBeDefined();
  });

  it("starts again where the server ignores ranges, refuses them, or has another file by now", async () => {
    for (const [second, changed] of [["ignores-range"], ["refuses-range"], ["honest", true]] as const) {
      const server = await site();
      const folder = tempDir();
      server.script("cuts", "missing");
      await expect(fetchTo(folder, server)).rejects.toThrow(/HTTP 404/);
      const text = changed === true ? QUESTIONS.replace("910", "919") : QUESTIONS;
      server.put(PATHS.questions, text);
      server.script(second);
      await fetchTo(folder, server);
      expect(server.requests[2]?.range).toBeDefined();
      expect(await read(folder, "dev_questions.json")).toBe(text);
    }
  });

  it("gives up in the end, keeping what came, and says how to go on", async () => {
    const server = await site();
    const folder = tempDir();
    server.script("cuts", "error", "error", "error", "error", "error");
    await expect(fetchTo(folder, server)).rejects.toThrow(
      /gave up after 6 tries \(HTTP 500\); run the same command again/,
    );
    await fetchTo(folder, server);
    expect(server.requests.at(-2)?.range).toMatch(/^bytes=[1-9]/);
    expect(await read(folder, "dev_questions.json")).toBe(QUESTIONS);
  });

  it.each([
    ["page", /dev_questions\.json: the server answers with a page, not JSON .*check --split/],
    ["page-as-json", /dev_questions\.json\.part: not valid JSON at line 1/],
  ] as const)("does not take a %s for data", async (lie, message) => {
    const server = await site();
    const folder = tempDir();
    server.script(lie);
    const fetching = fetchTo(folder, server);
    await expect(fetching).rejects.toThrow(UsageError);
    await expect(fetching).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual([]);
  });

  it("does not take a silently cut file for data, and starts clean the next time", async () => {
    const server = await site();
    const folder = tempDir();
    server.script("cuts-silently");
    await expect(fetchTo(folder, server)).rejects.toThrow(/not valid JSON/);
    expect(existsSync(join(folder, "dev_questions.json"))).toBe(false);
    await fetchTo(folder, server);
    expect(await read(folder, "dev_questions.json")).toBe(QUESTIONS);
  });
});
