import { readFileSync } from "node:fs";
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
  type KnownSearches,
  type WikiSettings,
  wikiOptions,
  wikipediaTool,
} from "../agent/tools/wikipedia.js";
import { UsageError } from "../errors.js";
import { complete, readOptions } from "../registry/options.js";
import { contentId, sha256 } from "../text/content-id.js";
import { withoutMark } from "../text/file-trouble.js";
import type { OptionValue } from "../types/index.js";
import type { Io } from "./io.js";
import type { ToolOf } from "./kit.js";
import type { Answers } from "./outside/answers.js";
import { version } from "./version.js";

export interface RunTools {
  tool: ToolOf;
  /** Tries what is outside once, before the first model call. Throws UsageError naming the way out. */
  check(): Promise<void>;
  /** What a reader must know, e.g. where Wikipedia's answers come from. */
  readonly remarks: readonly string[];
  /** Content id of what is replayed: part of the plan. */
  readonly fixture: string | undefined;
  /** From now on searches are answered from there where they can be, and kept there. */
  keepSearches(answers: Answers): void;
}

interface ToolUsers {
  /** The run is on the built-in demo data: the built-in recording, which is about them, may serve. */
  readonly demo: boolean;
  /** The methods that search. */
  readonly searching: readonly string[];
  /** A run whose answers stand in for everything outside: the content id of what it replayed itself. */
  readonly recorded?: { readonly fixture: string | undefined } | undefined;
}

/** Of a run whose methods call none: nothing is opened, tried or recorded. */
export const noTools: RunTools = {
  tool: () => undefined,
  check: async () => undefined,
  remarks: [],
  fixture: undefined,
  keepSearches: () => undefined,
};

/**
 * Opens the tools of a run. `replay` reads its fixture here. With `recorded`
 * nothing outside is reached, whatever the mode.
 */
export function openRunTools(
  given: Readonly<Record<string, OptionValue>>,
  io: Io,
  { demo, searching, recorded }: ToolUsers,
): RunTools {
  const settings = readOptions(wikiOptions, complete(wikiOptions, given));
  const mode = settings["wiki.mode"];
  const access = {
    fetch: recorded === undefined ? globalThis.fetch : () => Promise.reject(new Error("not in the recording")),
    clock: io.clock,
    userAgent: userAgent(io),
    tell: io.tell,
    ...endpointOf(io),
  };
  const ofFixture = recorded === undefined && mode === "replay";
  const known = ofFixture ? readFixture(fixtureFile(settings, io, demo)) : wikiFixture([]);
  let searches: KnownSearches | undefined;
  const wikipedia = wikipediaTool({
    settings,
    access,
    searches: () => searches,
    fixture: known,
  });
  return {
    tool: (name) => (name === wikipedia?.name ? wikipedia : undefined),
    check: () => checkWikipedia(settings, access, searching),
    remarks: [`wikipedia: ${mode}${ofFixture ? ` (${datesOf(known)})` : ""}`],
    fixture: ofFixture ? sha256(formatWikiFixture(known.entries)) : recorded?.fixture,
    keepSearches(answers) {
      searches = searchesIn(answers);
    },
  };
}

/** The searches of a run's log. */
const searchesIn = (answers: Answers): KnownSearches => ({
  found: (query) => answers.get(searchKey(query))?.value as WikiEntry | undefined, // kept below
  failure: (query) => answers.failed(searchKey(query))?.error,
  async keep(entry) {
    const end = await answers.end({ t: "got", key: searchKey(entry.query), kind: "search", value: entry });
    if (end.t === "no") throw new Error(end.error);
    return end.value as unknown as WikiEntry; // the same, or another process's
  },
  async keepFailure(query, error) {
    const end = await answers.end({ t: "no", key: searchKey(query), billed: "none", error, final: true });
    return end.t === "no" ? undefined : (end.value as unknown as WikiEntry);
  },
});

const searchKey = (query: string): string => contentId({ wikipedia: query });

/** Wikimedia's policy asks for a contact: the variable names the person who runs this. */
function userAgent(io: Io): string {
  const contact = io.env.LAMP_EVAL_CONTACT ?? "npm package lamp-eval; set LAMP_EVAL_CONTACT to your address";
  return `lamp-eval/${version()} (${contact})`;
}

/** Another MediaWiki server (a mirror, or a test's). */
function endpointOf(io: Io): { endpoint?: string } {
  const url = io.env.LAMP_EVAL_MEDIAWIKI_URL;
  return url === undefined ? {} : { endpoint: url };
}

function fixtureFile(settings: WikiSettings, io: Io, demo: boolean): string {
  const named = settings["wiki.fixture"];
  if (named !== "") return resolve(io.cwd, named);
  if (!demo)
    throw new UsageError(
      "wiki.mode=replay: name a recorded file with --set wiki.fixture=FILE, or use --set wiki.mode=live or off; the built-in recording is about the demo data",
    );
  return fileURLToPath(new URL("../../datasets/demo/wikipedia.json", import.meta.url));
}

function readFixture(file: string): WikiFixture {
  try {
    return parseWikiFixture(withoutMark(readFileSync(file, "utf8")), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new UsageError(`wiki.fixture=${file}: there is no such file`);
  }
}

function datesOf({ entries }: WikiFixture): string {
  const dates = entries.map(({ retrieved }) => retrieved).sort();
  const [first, last] = [dates[0] ?? "empty", dates.at(-1) ?? "empty"];
  return first === last ? `retrieved: ${first}` : `retrieved ${first} to ${last}`;
}
