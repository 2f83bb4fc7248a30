import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SRC = "src";

/** Things that are counted in messages, tables and pages. */
const THINGS = `accuracies answers arms articles calls categories characters communities comparisons concepts configs
days dialogues differences edges entries errors events facts failures files folders golds graphs hits hours ids interactions items keys
labels lines machines memories metrics minutes models nodes numbers pages pairs people personas pictures predictions profiles prompts
questions ratings readings records references repeats replies reports requests rows runs samples searches seconds servers shards slots
spans subsets summaries tables tasks terms texts titles tries turns units users values vectors waves words years`.split(
  /\s+/,
);

/**
 * `${count} users` in a text: `1 users` is wrong English, so src/text/count.ts words it. Not `3 of ${all} users`, and not constants, whose
 * value is known (`${MOST} users`).
 */
const BARE = new RegExp(
  `(?<!\\bof )\\$\\{(?![A-Z_]+(?:\\.length)?\\})(?:[^{}]|\\{[^{}]*\\})*\\} (?:(?!has|holds|of|from|names|over|with|checks|lists|names|judges)[a-z-]+ ){0,2}?(?:${THINGS.join("|")})\\b`,
  "g",
);

/** Before these words stands never 1, or it goes to a model, whose prompts stay as they are, or the line says 1 in another way. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: pieces of source
const FINE = new Set([
  "report/gate/text.ts: ${formatAmount(deciding)} users", // more than the users of a run
  "app/contract/options.ts: ${high} calls", // low to high
  "app/data/data.ts: ${settings.users} users", // 3 of the 8 users
  'app/data/data.ts: ${String(manifest["users in the files"])} users',
  "cli/text/explain-text.ts: ${calls.pastEvents} past events", // a sample that is fixed
  "app/graph/of-run.ts: ${others.size} graphs", // from 2 on
  "app/report/runs.ts: ${folders.length} runs",
  'app/plugins/callers.ts: ${[...lengths].join(", ")} numbers',
  "app/run/config/config-file.ts: ${content.length} characters", // of a file that is too long
  "app/run/estimate/estimate-text.ts: ${runs.length} configs",
  "app/validate/plan-without-data.ts: ${settings.repeats} repeats",
  "data/fetch-file.ts: ${tries} tries",
  "methods/icl.ts: ${vectors.length} vectors", // an error in this program
  "models/batch/batches.ts: ${keys.length} requests",
  "models/offline/summarize.ts: ${mean} words", // a prompt
  "models/offline/summarize.ts: ${total} items",
  "report/charts/arms.ts: ${span(arms.map(({ summary }) => summary.counts.scored))} scored answers", // of all arms
  "report/charts/per-user.ts: ${users} users",
  "report/charts/utilities.ts: ${drawn.length} questions",
  "report/gate/gate.ts: ${leftOut.noGold} questions",
  "report/gate/text.ts: ${formatAmount(needed.users)} users", // from 10 on
  "report/page/drawn-sections.ts: ${figures.length} pictures",
  "report/reproduce/published-text.ts: ${fitting === answers.length ? `all ${fitting}` : `${fitting} of ${answers.length}`} accuracies",
  "report/reproduce/published-text.ts: ${count} ratings", // of a test set
  "net/model-call.ts: ${tries} tries", // told from the second on
  "selectors/file.ts: ${asked.size} questions",
]);
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: pieces of source

test("a number in front of a plural is worded by src/text/count.ts, so that no text says `1 users`", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const found = files
    .filter((name) => !name.endsWith("script.js.ts"))
    .flatMap((name) =>
      readFileSync(join(SRC, name), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line))
        .flatMap((line) => [...line.matchAll(BARE)].map(([text]) => ({ name, text }))),
    )
    .filter(({ text }) => !/=== 1|countOf|nounOf/.test(text))
    .map(({ name, text }) => `${name}: ${text}`);
  expect(found.filter((one) => !FINE.has(one))).toEqual([]);
});
