import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Edit, Plant } from "./plant.js";

/** The TypeScript files under a folder, with their texts. */
export function sourcesUnder(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return new Map(names.map((name) => [join(folder, name), readFileSync(join(folder, name), "utf8")]));
}

/** The one file in which the text to change stands, once. Throws an Error where it does not. */
export function placeOf({ find }: Edit, { name }: Pick<Plant, "name">, sources: ReadonlyMap<string, string>): string {
  const places = [...sources].flatMap(([file, text]) =>
    text
      .split(find)
      .slice(1)
      .map(() => file),
  );
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Error(`${name}: its text stands ${places.length} times in src, not once: ${JSON.stringify(find)}`);
  return place;
}
