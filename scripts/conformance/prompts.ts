import { recencyOrder } from "../../src/retrievers/recency.js";
import { after } from "../../src/tasks/format.js";
import { quotedStrings } from "../../src/tasks/lamp1.js";
import { addAfterTitle } from "../../src/tasks/styles/lamp.js";
import { oppu } from "./oppu.js";
import { query } from "./query.js";
import { difference, each, expectError, type Sections } from "./section.js";

/** The prompt sections: query extraction, LaMP retrieval texts and in-prompt augmentation, recency order, OPPU prompts. */
export const sections: Sections = {
  extract: each<ExtractVector>(checkExtract, ({ s }) => s.slice(0, 60)),
  query,
  recency: each<RecencyVector>(checkRecency, ({ dates }) => JSON.stringify(dates)),
  oppu,
};

/** Beside these three: the text behind `{name}:` for every other key. */
interface ExtractVector {
  readonly s: string;
  readonly quotes: readonly string[];
  readonly add_after_title: string;
  readonly colon: string | null;
}

function checkExtract({ s: text, ...expected }: ExtractVector): string | undefined {
  const actual: Record<string, unknown> = {
    quotes: quotedStrings(text),
    colon: after(text, ":") ?? null,
    add_after_title: addAfterTitle(text, '"X", and "Y"'),
  };
  for (const name of Object.keys(expected)) if (!(name in actual)) actual[name] = after(text, `${name}:`) ?? null;
  return difference(actual, expected);
}

interface RecencyVector {
  readonly dates: readonly (string | number | null)[];
  readonly order?: readonly string[];
  readonly error?: unknown;
}

function checkRecency({ dates, order, error }: RecencyVector): Promise<string | undefined> | string | undefined {
  const run = (): string[] => recencyOrder(dates.map(String)).map(String);
  return error === undefined ? difference(run(), order) : expectError(run);
}
