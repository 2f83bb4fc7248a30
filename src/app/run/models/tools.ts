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
} from "../../../agent/tools/wiki-fixture.js";
import { checkWikipedia, type WikiSettings, wikiOptions, wikipediaTool } from "../../../agent/tools/wikipedia.js";
import { writeWhole } from "../../../disk/whole-file.js";
import { UsageError } from "../../../errors.js";
import type { FailedSearch } from "../../../notes/note.js";
import { complete, readOptions } from "../../../registry/options.js";
import type { Asked } from "../../../run/cassette/cassette.js";
import type { ToolOf } from "../../../run/kit.js";
import { originKey } from "../../../run/rows.js";
import { runFiles } from "../../../run/run-files.js";
import { sha256 } from "../../../text/content-id.js";
import { withoutMark } from "../../../text/file-trouble.js";
import type { Json, OptionValue } from "../../../types/index.js";
import { version } from "../../common/version.js";
import type { Io } from "../../io.js";

export interface RunTools {
  tool: ToolOf;
  /** Tries what is outside once, before the first model call. Throws UsageError naming the way out. */
  check(): Promise<void>;
  /** What a reader must know, e.g. where Wikipedia's answers come from. */
  readonly remarks: readonly string[];
  /** Content id of what is replayed: part of the plan. */
  readonly fixture: string | undefined;
  /** Hands every search that was made from now on to `put`, with what it gave; what `found` has is not asked for again. */
  keepSearches(log: KeptSearches): void;
}

interface KeptSearches {
  put(search: object): void;
  found?(): Iterable<object>;
}

type Origin = Parameters<ToolOf>[1];

/** Searches of a cassette, which stand in for everything outside. */
export interface RecordedTools {
  readonly shown: string;
  readonly searches: readonly Json[];
  /** Who made which searches that failed. */
  readonly askedFor: (at: Origin) => Asked | undefined;
  /** The recorded plan's `fixture`. */
  readonly fixture: string | undefined;
}

interface ToolUsers {
  /** The run is on the built-in demo data: the built-in recording, which is about them, may serve. */
  readonly demo: boolean;
  /** The methods that search. */
  readonly searching: readonly string[];
  readonly recorded?: RecordedTools | undefined;
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
export function openRunTools(
  given: Readonly<Record<string, OptionValue>>,
  io: Io,
  { demo, searching, recorded }: ToolUsers,
): RunTools {
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
  const file = mode === "replay" || mode === "record" ? fixtureFile(settings, io, demo) : "";
  const known = mode === "replay" || mode === "record" ? readFixture(file, mode) : undefined;
  const searches = searchTap();
  const wikipedia = wikipediaTool({
    settings,
    access,
    onSearch: searches.onSearch,
    ...(mode === "live" ? { earlier: searches.earlier } : {}),
    ...(known === undefined ? {} : { fixture: known }),
    ...(mode === "record" && known !== undefined ? { record: recorder(file, known) } : {}),
  });
  return {
    tool: (name) => (name === wikipedia?.name ? wikipedia : undefined),
    check: () => checkWikipedia(settings, access, searching),
    remarks: [`wikipedia: ${mode}${mode === "replay" && known !== undefined ? ` (${datesOf(known)})` : ""}`],
    fixture: mode === "replay" && known !== undefined ? sha256(formatWikiFixture(known.entries)) : undefined,
    keepSearches: searches.keep,
  };
}

function recordedTools(settings: WikiSettings, io: Io, recorded: RecordedTools): RunTools {
  const { shown, searches: known, fixture, askedFor } = recorded;
  const searches = searchTap();
  const setup = {
    settings: { ...settings, "wiki.mode": "replay" },
    access: { fetch: () => Promise.reject(new Error("a replay reaches nothing")), clock: io.clock, userAgent: "" },
    fixture: recordedSearches(known, shown),
    onSearch: searches.onSearch,
  } as const;
  const failures = failedSearches(askedFor);
  return {
    tool: (name, at) => {
      const wikipedia = wikipediaTool({ ...setup, failed: (query) => failures(at, query) });
      return name === wikipedia?.name ? wikipedia : undefined;
    },
    check: async () => undefined,
    remarks: [`wikipedia: ${settings["wiki.mode"]}, replayed from the cassette`],
    fixture,
    keepSearches: searches.keep,
  };
}

/** Why a search of one preparation or question failed: each recorded failure once, in order. */
function failedSearches(askedFor: RecordedTools["askedFor"]): (at: Origin, query: string) => string | undefined {
  const left = new Map<string, FailedSearch[]>();
  return (at, query) => {
    const key = originKey(at);
    const failures = left.get(key) ?? [...(askedFor(at)?.failed ?? [])];
    left.set(key, failures);
    const next = failures.findIndex((failure) => failure.query === query);
    return next === -1 ? undefined : failures.splice(next, 1)[0]?.reason;
  };
}

/** Passes searches on to whoever keeps them, once there is someone. */
function searchTap() {
  let log: KeptSearches | undefined;
  let found: WikiFixture | undefined;
  return {
    onSearch: (entry: WikiEntry) => log?.put(entry),
    earlier(query: string): WikiEntry | undefined {
      const entry = found?.find(query);
      return entry?.query === query ? entry : undefined; // another spelling is another search
    },
    keep(to: KeptSearches): void {
      log = to;
      found = to.found === undefined ? undefined : recordedSearches([...to.found()], runFiles.searches);
    },
  };
}

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
  if (settings["wiki.mode"] === "record")
    throw new UsageError("wiki.mode=record: name the file to record into: --set wiki.fixture=FILE");
  if (!demo)
    throw new UsageError(
      "wiki.mode=replay: name a recorded file with --set wiki.fixture=FILE (wiki.mode=record makes one), or use --set wiki.mode=live or off; the built-in recording is about the demo data",
    );
  return fileURLToPath(new URL("../../../../datasets/demo/wikipedia.json", import.meta.url));
}

function readFixture(file: string, mode: "replay" | "record"): WikiFixture {
  try {
    return parseWikiFixture(withoutMark(readFileSync(file, "utf8")), file);
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
