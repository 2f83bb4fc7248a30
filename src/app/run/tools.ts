import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  formatWikiFixture,
  parseWikiFixture,
  recordedSearches,
  type WikiEntry,
  type WikiFixture,
  wikiFixture,
} from "../../agent/tools/wiki-fixture.js";
import { type WikiSettings, wikiOptions } from "../../agent/tools/wiki-options.js";
import { checkWikipedia, wikipediaTool } from "../../agent/tools/wikipedia.js";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { complete, readOptions } from "../../options.js";
import { sha256 } from "../../text/content-id.js";
import type { Json, OptionValue, Tool } from "../../types.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";

/** The tools that a run provides to its methods. */
export interface RunTools {
  tool(name: string): Tool | undefined;
  /** Tries what is outside once, before the first model call. Throws UsageError naming the way out. */
  check(): Promise<void>;
  /** What a reader must know, e.g. where Wikipedia's answers come from. */
  readonly remarks: readonly string[];
  /** Content id of what is replayed: part of the plan. */
  readonly fixture: string | undefined;
  /** Hands every search that was made from now on to `put`, with what it gave. */
  keepSearches(put: (search: object) => void): void;
}

/** Searches of a cassette, which stand in for everything outside. */
export interface RecordedTools {
  readonly shown: string;
  readonly searches: readonly Json[];
  /** The recorded plan's `fixture`. */
  readonly fixture: string | undefined;
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
 * Opens the tools of a run. `replay` reads its fixture here; `record` writes it after every new search. With `recorded`
 * nothing outside is reached, whatever the mode.
 */
export function openRunTools(given: Readonly<Record<string, OptionValue>>, io: Io, recorded?: RecordedTools): RunTools {
  const settings = readOptions(wikiOptions, complete(wikiOptions, given));
  if (recorded !== undefined && settings["wiki.mode"] !== "off") return recordedTools(settings, io, recorded);
  const mode = settings["wiki.mode"];
  const access = {
    fetch: globalThis.fetch,
    clock: io.clock,
    userAgent: userAgent(io),
    tell: io.tell,
    ...endpointOf(io),
  };
  const file = fixtureFile(settings, io);
  const known = mode === "replay" || mode === "record" ? readFixture(file, mode) : undefined;
  const searches = searchTap();
  const wikipedia = wikipediaTool({
    settings,
    access,
    onSearch: searches.onSearch,
    ...(known === undefined ? {} : { fixture: known }),
    ...(mode === "record" && known !== undefined ? { record: recorder(file, known) } : {}),
  });
  return {
    tool: (name) => (name === wikipedia?.name ? wikipedia : undefined),
    check: () => checkWikipedia(settings, access),
    remarks: [`wikipedia: ${mode}${mode === "replay" && known !== undefined ? ` (${datesOf(known)})` : ""}`],
    fixture: mode === "replay" && known !== undefined ? sha256(formatWikiFixture(known.entries)) : undefined,
    keepSearches: searches.keep,
  };
}

// --- internal ---

function recordedTools(settings: WikiSettings, io: Io, { shown, searches: known, fixture }: RecordedTools): RunTools {
  const searches = searchTap();
  const wikipedia = wikipediaTool({
    settings: { ...settings, "wiki.mode": "replay" },
    access: { fetch: () => Promise.reject(new Error("a replay reaches nothing")), clock: io.clock, userAgent: "" },
    fixture: recordedSearches(known, shown),
    onSearch: searches.onSearch,
  });
  return {
    tool: (name) => (name === wikipedia?.name ? wikipedia : undefined),
    check: async () => undefined,
    remarks: [`wikipedia: ${settings["wiki.mode"]}, replayed from the cassette`],
    fixture,
    keepSearches: searches.keep,
  };
}

/** Passes searches on to whoever keeps them, once there is someone. */
function searchTap() {
  let put: ((search: object) => void) | undefined;
  return {
    onSearch: (entry: WikiEntry) => put?.(entry),
    keep(to: (search: object) => void): void {
      put = to;
    },
  };
}

/** Wikimedia's policy asks for a contact: the variable names the person who runs this. */
function userAgent(io: Io): string {
  const contact = io.env.LAMP_EVAL_CONTACT ?? "npm package lamp-eval; set LAMP_EVAL_CONTACT to your address";
  return `lamp-eval/${version()} (${contact})`;
}

/** Another MediaWiki server for all languages (a mirror, or a test's). */
function endpointOf(io: Io): { endpoint?: () => string } {
  const url = io.env.LAMP_EVAL_MEDIAWIKI_URL;
  return url === undefined ? {} : { endpoint: () => url };
}

function fixtureFile(settings: WikiSettings, io: Io): string {
  const named = settings["wiki.fixture"];
  if (named !== "") return resolve(io.cwd, named);
  if (settings["wiki.mode"] === "record")
    throw new UsageError("wiki.mode=record: name the file to record into: --set wiki.fixture=FILE");
  return fileURLToPath(new URL("../../../datasets/demo/wikipedia.json", import.meta.url));
}

function readFixture(file: string, mode: "replay" | "record"): WikiFixture {
  try {
    return parseWikiFixture(readFileSync(file, "utf8"), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    if (mode === "record") return wikiFixture([]);
    throw new UsageError(`wiki.fixture=${file}: there is no such file; make one with --set wiki.mode=record`);
  }
}

function recorder(file: string, known: WikiFixture): (entry: WikiEntry) => void {
  const entries = [...known.entries];
  return (entry) => {
    entries.push(entry);
    writeWhole(file, formatWikiFixture(entries), { shared: true });
  };
}

function datesOf({ entries }: WikiFixture): string {
  const dates = entries.map(({ retrieved }) => retrieved).sort();
  const [first, last] = [dates[0] ?? "empty", dates.at(-1) ?? "empty"];
  return first === last ? `retrieved: ${first}` : `retrieved ${first} to ${last}`;
}
