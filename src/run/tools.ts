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
import { withDemoFixture } from "./data.js";
import type { ToolOf } from "./kit.js";

export interface RunTools {
  /** Returns the tools by name; what they find outside is bought once. */
  toolOf(once: Once): ToolOf;
  /** Tries what is outside once, before the first model call. Throws UsageError naming the way out. */
  check(): Promise<void>;
  /** What a reader must know, e.g. where Wikipedia's answers come from. */
  readonly remarks: readonly string[];
  /** Content id of what is replayed: part of the plan. */
  readonly fixture: string | undefined;
}

/** Of a run whose methods call none: nothing is opened, tried or recorded. */
const noTools: RunTools = {
  toolOf: () => () => undefined,
  check: async () => undefined,
  remarks: [],
  fixture: undefined,
};

/** Opens the tools that arms call. With a `replay`, whose log answers, nothing outside is reached. Throws UsageError on a missing recording. */
export function openRunTools(plan: Plan, arms: readonly Arm[], io: Io, replay: ReusedRun | undefined): RunTools {
  const callers = arms.filter(({ method, options }) => (method.needs?.(options).tools.length ?? 0) > 0);
  if (callers.length === 0) return noTools;
  const searching = [...new Set(callers.map(({ method }) => method.name))];
  const settings = readOptions(wikiOptions, complete(wikiOptions, withDemoFixture(plan.options, plan)));
  const mode = settings["wiki.mode"];
  const { LAMP_EVAL_MEDIAWIKI_URL: endpoint } = io.env;
  /** Wikimedia's policy asks for one: the variable names the person who runs this. */
  const { LAMP_EVAL_CONTACT: contact = "npm package lamp-eval; set LAMP_EVAL_CONTACT to your address" } = io.env;
  const access = {
    fetch: replay === undefined ? globalThis.fetch : () => Promise.reject(new Error("not in the recording")),
    clock: io.clock,
    userAgent: `lamp-eval/${version()} (${contact})`,
    tell: io.tell,
    ...defined({ endpoint }), // another MediaWiki server: a mirror, or a test's
  };
  const ofFixture = replay === undefined && mode === "replay";
  const known = ofFixture ? readFixture(settings, io.cwd, plan.data === undefined) : wikiFixture([]);
  return {
    toolOf(once) {
      const search: SearchOnce = async (query, { find, signal }) => {
        const buy = async () => ({ value: (await find()) as unknown as Json });
        const { value } = await once.one(searchKey(query), searchKind, buy, signal);
        return value;
      };
      const wikipedia = wikipediaTool({ settings, access, search, fixture: known });
      return (name) => (name === wikipedia?.name ? wikipedia : undefined);
    },
    check: () => checkWikipedia(settings, access, searching),
    remarks: [`wikipedia: ${mode}${ofFixture ? ` (${datesOf(known)})` : ""}`],
    fixture: ofFixture ? sha256(formatWikiFixture(known.entries)) : replay?.manifest.identity.wikipedia,
  };
}

/** Searches, by the query as the tool sends it. */
const searchKind: Kind<WikiEntry> = {
  name: "search",
  read: ({ kind, value }) => (kind === "search" ? (value as unknown as WikiEntry) : undefined),
  failure: (error) =>
    error instanceof UsageError || error instanceof NotRecorded ? undefined : { error: reasonOf(error) },
};

const searchKey = (query: string): string => contentId({ wikipedia: query });

/** Reads the recorded pages that an option names, else, for the demo data, those that the package brings. */
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
  const [first, last] = [dates[0] ?? "empty", dates.at(-1) ?? "empty"];
  return first === last ? `retrieved: ${first}` : `retrieved ${first} to ${last}`;
}
