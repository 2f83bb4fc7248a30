import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  formatWikiFixture,
  parseWikiFixture,
  type WikiEntry,
  type WikiFixture,
  wikiFixture,
} from "../agent/tools/wiki-fixture.js";
import {
  checkWikipedia,
  NotRecorded,
  reasonOf,
  type SearchOnce,
  type WikiSettings,
  wikiOptions,
  wikipediaTool,
} from "../agent/tools/wikipedia.js";
import { UsageError } from "../errors.js";
import type { Kind, Once } from "../outside/once.js";
import { type Io, version } from "../plan/io.js";
import type { Arm, Plan } from "../plan/types.js";
import type { ReusedRun } from "../record/reused.js";
import { complete, readOptions } from "../registry/options.js";
import { contentId, sha256 } from "../text/content-id.js";
import { withoutMark } from "../text/file-trouble.js";
import { defined } from "../text/json.js";
import type { Json } from "../types/index.js";
import { withWikiMode } from "./data.js";
import type { ToolOf } from "./kit.js";

/** The tools of a run: `wikipedia`. */
export interface RunTools {
  /** Returns the tools by name. Each search is bought once. */
  toolOf(once: Once): ToolOf;
  /** Makes one call to the server of each tool. Throws UsageError if a tool cannot be used. */
  check(): Promise<void>;
  /** Remarks for the report: where Wikipedia's answers come from. */
  readonly remarks: readonly string[];
  /** Content id of the recorded pages that are replayed; undefined if there are none. */
  readonly fixture: string | undefined;
}

/** The tools of a run without any method that calls tools. */
const noTools: RunTools = {
  toolOf: () => () => undefined,
  check: async () => undefined,
  remarks: [],
  fixture: undefined,
};

interface ToolInputs {
  readonly io: Io;
  /** The run whose log answers all searches: none is sent. */
  readonly replay: ReusedRun | undefined;
}

/** Opens the tools that arms call. Throws UsageError on a missing recording of Wikipedia. */
export function openRunTools(plan: Plan, arms: readonly Arm[], { io, replay }: ToolInputs): RunTools {
  const callers = arms.filter(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0);
  if (callers.length === 0) return noTools;
  if (callers.every(({ spec }) => spec.options["wiki.mode"] === "off"))
    return { ...noTools, remarks: ["wikipedia: off"] };
  const searching = [...new Set(callers.map(({ method }) => method.name))];
  const settings = readOptions(wikiOptions, complete(wikiOptions, withWikiMode(plan.options, plan)));
  const mode = settings["wiki.mode"];
  const endpoint = io.env.LAMP_EVAL_MEDIAWIKI_URL; // another MediaWiki server: a mirror, or a test's
  /** Wikimedia's User-Agent policy asks for the address of the person who runs a program. */
  const contact = io.env.LAMP_EVAL_CONTACT ?? "npm package lamp-eval; set LAMP_EVAL_CONTACT to your address";
  const access = {
    fetch: replay === undefined ? globalThis.fetch : () => Promise.reject(new Error("not in the recording")),
    clock: io.clock,
    userAgent: `lamp-eval/${version()} (${contact})`,
    tell: io.tell,
    ...defined({ endpoint }),
  };
  const isRecorded = replay === undefined && mode === "replay";
  const fixture = isRecorded ? readFixture(settings, io.cwd, plan.data === undefined) : wikiFixture([]);
  return {
    toolOf(once) {
      const search: SearchOnce = async (query, { find, signal }) => {
        const buy = async () => ({ value: (await find()) as unknown as Json });
        const { value } = await once.one(searchKey(query), searchKind, buy, signal);
        return value;
      };
      const wikipedia = wikipediaTool({ settings, access, search, fixture });
      return (name) => (name === wikipedia?.name ? wikipedia : undefined);
    },
    check: () => checkWikipedia(settings, access, searching),
    remarks: [`wikipedia: ${mode}${isRecorded ? ` (${datesOf(fixture)})` : ""}`],
    fixture: isRecorded ? sha256(formatWikiFixture(fixture.entries)) : replay?.manifest.identity.wikipedia,
  };
}

/** Searches of Wikipedia, kept with the pages that they found. */
const searchKind: Kind<WikiEntry> = {
  name: "search",
  read: ({ kind, value }) => (kind === "search" ? (value as unknown as WikiEntry) : undefined),
  failure: (error) =>
    error instanceof UsageError || error instanceof NotRecorded ? undefined : { error: reasonOf(error) },
};

/** `query`: as the tool sends it. */
const searchKey = (query: string): string => contentId({ wikipedia: query });

/** Reads the recorded pages that an option names; without one those of the demo data. */
function readFixture({ "wiki.fixture": named }: WikiSettings, cwd: string, demo: boolean): WikiFixture {
  if (named === "" && !demo)
    throw new UsageError(
      "wiki.mode=replay: name a recorded file with --set wiki.fixture=FILE, or use --set wiki.mode=live or off; the built-in recording is about the demo data",
    );
  const builtIn = fileURLToPath(new URL("../../datasets/demo/wikipedia.json", import.meta.url));
  const file = named === "" ? builtIn : resolve(cwd, named);
  if (!existsSync(file)) throw new UsageError(`wiki.fixture=${file}: there is no such file`);
  return parseWikiFixture(withoutMark(readFileSync(file, "utf8")), file);
}

function datesOf({ entries }: WikiFixture): string {
  const dates = entries.map(({ retrieved }) => retrieved).sort();
  const first = dates[0] ?? "empty";
  const last = dates.at(-1) ?? "empty";
  return first === last ? `retrieved: ${first}` : `retrieved ${first} to ${last}`;
}
