import { fromYaml } from "./from-yaml.js";
/** An article of the built-in encyclopedia: own text, found under a name. */
export interface Article {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** Of a kind of film or a section of a newspaper: words that are usual in it, and the kind that stands nearest. */
  readonly usual?: readonly string[];
  readonly beside?: string;
}

export const ARTICLES: readonly Article[] = fromYaml("articles.yaml");
