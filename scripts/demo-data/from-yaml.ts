import { readFileSync } from "node:fs";
import { parse } from "yaml";

/** What a file beside this one holds: words, themes and people of the demo data. */
export const fromYaml = <T>(name: string): T => parse(readFileSync(new URL(name, import.meta.url), "utf8")) as T;
