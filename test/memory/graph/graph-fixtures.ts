import { type GraphSettings, graphOptions } from "../../../src/memory/graph/shared-graph.js";
import { complete, readOptions } from "../../../src/registry/options.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Event, OptionValue, Question } from "../../../src/types/index.js";

export const news = tasks.get("lamp2n");

export const article = (id: string, text: string, category: string, date?: string): Event =>
  news.event({ id, text, title: "", category, ...(date === undefined ? {} : { date }) });

export const asked = (id: string, text: string, date?: string): Question =>
  news.question({ id, input: `Which category? article: ${text}`, ...(date === undefined ? {} : { date }) });

export const settings = (given: Readonly<Record<string, OptionValue>> = {}): GraphSettings =>
  readOptions(graphOptions, complete(graphOptions, { "graph.concepts": "named", ...given }));

/** Two topics that share no concept, by three writers; each text twice mentioned names. */
export const pool: readonly { readonly owner: string; readonly event: Event }[] = [
  { owner: "ann", event: article("a1", "The march for Parkland filled Florida streets", "politics", "2018-01-01") },
  { owner: "ann", event: article("a2", "Survivors from Parkland ask Florida for gun laws", "politics", "2018-02-01") },
  { owner: "ben", event: article("b1", "A march from Parkland reaches Florida lawmakers", "crime", "2018-03-01") },
  { owner: "ben", event: article("b2", "Bake bread in Tuscany with Mario", "food & drink", "2018-01-05") },
  { owner: "cat", event: article("c1", "Pasta from Tuscany by Mario", "food & drink", "2018-02-05") },
  { owner: "cat", event: article("c2", "The wines that Mario found in Tuscany", "travel", "2018-03-05") },
  { owner: "ann", event: article("a3", "Nothing here is like anything else", "women", "2018-03-09") },
  { owner: "ben", event: article("b3", "Quiet rivers and slow boats", "travel", "2018-03-10") },
  { owner: "cat", event: article("c3", "Some thoughts about mornings", "women", "2018-03-11") },
  { owner: "ann", event: article("a4", "Old trains rust away", "travel", "2018-03-12") },
  { owner: "ben", event: article("b4", "Seven reasons to sleep", "healthy living", "2018-03-13") },
  { owner: "cat", event: article("c4", "Winter coats on sale", "style & beauty", "2018-03-14") },
  { owner: "ann", event: article("a5", "Dogs bark at mail", "women", "2018-03-15") },
  { owner: "ben", event: article("b5", "Cheap phones compared", "business", "2018-03-16") },
  { owner: "cat", event: article("c5", "Garden pests in spring", "women", "2018-03-17") },
];
