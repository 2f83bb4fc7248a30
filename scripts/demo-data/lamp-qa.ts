import { fromYaml } from "./from-yaml.js";

type Aspect = readonly [aspect: string, reason: string, evidence: string];

interface Asker {
  readonly question: string;
  readonly narrative: string;
  readonly aspects: readonly Aspect[];
  readonly posts: readonly string[];
}

/** Returns the test files of LaMP-QA's form, one a category. */
export function lampQaFiles(): [string, string][] {
  const categories = fromYaml<Readonly<Record<string, readonly Asker[]>>>("lamp-qa.yaml");
  return Object.entries(categories).map(([category, askers]) => [
    `lamp-qa/${category}_test.json`,
    `[\n${askers.map((asker, at) => JSON.stringify(recordOf(asker, `${category.slice(0, 3).toLowerCase()}${at + 1}`, category))).join(",\n")}\n]\n`,
  ]);
}

const recordOf = ({ question, narrative, aspects, posts }: Asker, id: string, category: string) => ({
  id,
  question,
  narrative,
  profile: posts.map((text, at) => ({ id: `${id}-p${at + 1}`, text, category })),
  rubric_aspects: aspects.map(([aspect, reason, evidence]) => ({ aspect, reason, evidence })),
});
