import { accessSync, constants, statfsSync } from "node:fs";
import { checkWikipedia, wikiOptions } from "../agent/tools/wikipedia.js";
import { USE_LITE_INSTALL } from "../embedders/use-lite.js";
import { complete, readOptions } from "../registry/options.js";
import type { Io } from "../run/io.js";
import { oneLine } from "../text/file-trouble.js";

/** One thing that the doctor looked at. */
export interface Check {
  readonly name: string;
  /** `warn`: something does not work that not every run needs; `skipped`: not asked for. */
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly text: string;
}

/** Looks at what a run needs of this machine: Node, keys, an encoder, Wikipedia, the disk. Asks Wikipedia alone. */
export async function checkMachine(offline: boolean, io: Io): Promise<Check[]> {
  return [
    checkNode(io.node),
    ...Object.entries(KEYS).map(([provider, names]) => checkKey(provider, names, io.env)),
    checkEncoder(),
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

/** Whether an encoder of sentences is installed: MiniLM, as the papers, or the one that needs no download from a hub. */
function checkEncoder(): Check {
  const name = "sentence encoder";
  if (isThere("@huggingface/transformers"))
    return { name, state: "ok", text: "--set embedder=onnx/all-MiniLM-L6-v2, as the papers" };
  if (isThere("@energetic-ai/embeddings")) return { name, state: "ok", text: "--set embedder=use-lite/en" };
  const text = `the default compares words, not meanings; for --set embedder=use-lite/en: ${USE_LITE_INSTALL}; for the papers' own: npm install @huggingface/transformers (its model comes from Hugging Face)`;
  return { name, state: "warn", text };
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
