import { formatWikiFixture, type WikiEntry } from "../../src/agent/tools/wiki-fixture.js";
import { citationQuestion } from "../../src/tasks/lamp1.js";
import { ARTICLES, type Article } from "./articles.js";
import { FIELDS } from "./fields.js";
import type { DemoUser } from "./people.js";
import { PRODUCTS } from "./reviews.js";
import { typicalWords } from "./typical-words.js";

/** Past items that an agent rehearses with: their searches are recorded too. */
const REHEARSED = 3;
/** Words of a text that the embedded model looks up. */
const WORDS_LOOKED_UP = 2;

/**
 * The recorded Wikipedia of the demo data: articles that are found by name, and for the texts of LaMP-1 and LaMP-3 what a search
 * with their first words finds: the article on the paper's field, or on the product.
 */
export function encyclopedia(researchers: readonly DemoUser[], reviewers: readonly DemoUser[]): string {
  return formatWikiFixture([
    ...textsOf(reviewers, "text", (input) => input.slice(input.indexOf("review:") + "review:".length)).flatMap(
      onProduct,
    ),
    ...textsOf(researchers, "title", (input) => citationQuestion(input)?.title ?? "").flatMap(onField),
    ...ARTICLES.map((article) => entry(article.name, article.title, summaryOf(article))),
  ]);
}

const entry = (query: string, title: string, summary: string): WikiEntry => ({
  query,
  retrieved: "own text",
  pages: [{ title, summary }],
});

function summaryOf({ name, summary, usual, beside }: Article): string {
  const neighbour = ARTICLES.find((article) => article.name === beside);
  if (usual === undefined || neighbour?.usual === undefined) return summary;
  const typical = (of: string, words: readonly string[]): string => `Typical words of "${of}": ${words.join(", ")}.`;
  return [
    `${summary} See also: ${neighbour.name}.`,
    typical(name, usual),
    typical(neighbour.name, neighbour.usual),
  ].join("\n");
}

/** The texts whose searches are recorded: of every user those asked about and the latest past ones. */
function textsOf(users: readonly DemoUser[], field: string, asked: (input: string) => string): string[] {
  return users.flatMap(({ profile, query }) => [
    ...query.map(({ input }) => asked(String(input)).trim()),
    ...profile.slice(-REHEARSED).map((item) => String(item[field])),
  ]);
}

const searchFor = (text: string): string => typicalWords([text], [text], WORDS_LOOKED_UP).join(" ");

function onProduct(text: string): WikiEntry[] {
  const product = PRODUCTS.find(({ thing }) => text.includes(thing));
  if (product === undefined) return [];
  const { thing } = product;
  const title = thing.charAt(0).toUpperCase() + thing.slice(1);
  const told = `What is sold as a ${thing}, its parts and its care.`;
  return [entry(searchFor(text), title, told)];
}

function onField(text: string): WikiEntry[] {
  const lower = text.toLowerCase();
  const field = FIELDS.find(({ problems }) => problems.some((problem) => lower.includes(problem.toLowerCase())));
  if (field === undefined) return [];
  const [problem = ""] = field.problems.filter((known) => lower.includes(known.toLowerCase()));
  const title = problem.charAt(0).toUpperCase() + problem.slice(1);
  return [entry(searchFor(text), title, `Work on ${problem} uses ${field.methods.join(", ")}.`)];
}
