import * as z from "zod";
import { UsageError } from "../errors.js";
import { countOf } from "../text/count.js";
import { readJson } from "../text/schema-issue.js";
import type { OpenSelector, Selector } from "../types/index.js";

export const file: Selector = {
  name: "file",
  summary: "rankings from a file, by question (file:PATH)",
  source: "none: rankings of trained retrievers (ROPG, Salemi et al. 2024a) and of one's own",
  options: {},
  takes: "file",
  async open(history, _options, { argument = "" }, unitKit) {
    const known = new Map(history.map((event) => [event.id, event]));
    const rankings = readRankings(unitKit.file(argument), argument);
    const selecting: OpenSelector = async ({ question, k }) => {
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
    const questionIds = new Set<string>();
    for (const { user, examples } of units) {
      const visible = new Set(user.history.map(({ id }) => id));
      for (const { question } of examples) {
        questionIds.add(question.id);
        const hidden = rankings.get(question.id)?.find((id) => !visible.has(id));
        if (hidden !== undefined)
          throw new UsageError(
            `select=file:${name}: question ${question.id}: event ${hidden} is not in its visible history (unknown, or later than the question)`,
          );
      }
    }
    const others = [...rankings.keys()].filter((id) => !questionIds.has(id));
    if (questionIds.size > 0 && others.length === rankings.size)
      throw new UsageError(`select=file:${name}: none of its question ids is in the data`);
    const [first] = others;
    if (first === undefined) return undefined;
    return `select=file:${name}: ignored ${others.length} of ${countOf(rankings.size, "question")} that are not in this run: ${first}${others.length > 1 ? ", ..." : ""}`;
  },
};

const ids = z.array(z.string());
const rankingsSchema = z
  .record(z.string(), z.union([ids, z.object({ items: ids })]))
  .refine((rankings) => Object.keys(rankings).length > 0, "no question");

/** Reads `{ "question id": ["event id", ...] }`, best first; or what people chose, as labels have it: `{ "question id": { "items": [...] } }`. */
function readRankings(text: string, name: string): ReadonlyMap<string, readonly string[]> {
  const where = `select=file:${name}`;
  const said = Object.entries(readJson(rankingsSchema, text, where, 'expected { "question id": ["event id", ...] }'));
  const rankings = new Map(said.map(([question, ids]) => [question, "items" in ids ? ids.items : ids]));
  for (const [question, ids] of rankings) {
    const twice = ids.find((id, at) => ids.indexOf(id) < at);
    if (twice !== undefined) throw new UsageError(`${where}: question ${question} names event ${twice} twice`);
  }
  return rankings;
}
