import { UsageError } from "../errors.js";
import { countOf } from "../text/count.js";
import type { Selecting, Selector } from "../types/index.js";

export const file: Selector = {
  name: "file",
  summary: "what a file says, by question: rankings made elsewhere compete (file:PATH)",
  source: "none: rankings of trained retrievers (ROPG, Salemi et al. 2024a) and of one's own",
  options: {},
  takes: "file",
  async open(history, _options, { argument = "" }, unitKit) {
    const known = new Map(history.map((event) => [event.id, event]));
    const rankings = readRankings(unitKit.file(argument), argument);
    const selecting: Selecting = async ({ question, k }) => {
      const ids = rankings.get(question.id);
      if (ids === undefined) return { chosen: [], abstained: `${argument} does not name the question` };
      const events = ids.slice(0, k).map((id) => known.get(id));
      const chosen = events.flatMap((event, at) => (event ? [{ event, reason: `rank ${at + 1}` }] : []));
      return { chosen };
    };
    selecting.add = async (event) => void known.set(event.id, event);
    return selecting;
  },
  checkFile(text, name, units) {
    const rankings = readRankings(text, name);
    const asked = new Set<string>();
    for (const { user, examples } of units) {
      const visible = new Set(user.history.map(({ id }) => id));
      for (const { question } of examples) {
        asked.add(question.id);
        const hidden = rankings.get(question.id)?.find((id) => !visible.has(id));
        if (hidden !== undefined)
          throw new UsageError(
            `select=file:${name}: question ${question.id}: event ${hidden} is not in its visible past (unknown, or later than the question)`,
          );
      }
    }
    const others = [...rankings.keys()].filter((id) => !asked.has(id));
    if (asked.size > 0 && others.length === rankings.size)
      throw new UsageError(
        `select=file:${name}: names ${asked.size === 1 ? "not the question" : `none of the ${asked.size} questions`} of the data`,
      );
    const [first] = others;
    if (first === undefined) return undefined;
    return `select=file:${name}: ${countOf(others.length, "question")} of ${rankings.size} not asked here, so not looked at: ${first}${others.length > 1 ? ", ..." : ""}`;
  },
};

/** `{ "question id": ["event id", ...] }`, best first; or what people chose, as labels have it: `{ "question id": { "items": [...] } }`. */
function readRankings(text: string, name: string): ReadonlyMap<string, readonly string[]> {
  const value = parsed(text, name);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = (isObject ? Object.entries(value) : []).map(([question, said]): [string, unknown] => [
    question,
    Array.isArray(said) ? said : (said as { readonly items?: unknown } | null)?.items,
  ]);
  const wrong = entries.find(([, ids]) => !Array.isArray(ids) || ids.some((id) => typeof id !== "string"));
  if (entries.length === 0 || wrong !== undefined)
    throw new UsageError(
      `select=file:${name}: expected { "question id": ["event id", ...] }${wrong === undefined ? "" : `; ${wrong[0]} is not such a list`}`,
    );
  const rankings = new Map(entries as [string, string[]][]); // every list was looked at
  for (const [question, ids] of rankings) {
    const twice = ids.find((id, at) => ids.indexOf(id) < at);
    if (twice !== undefined)
      throw new UsageError(`select=file:${name}: question ${question} names event ${twice} twice`);
  }
  return rankings;
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`select=file:${name}: not JSON`);
  }
}
