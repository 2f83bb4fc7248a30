import { type Catalogue, catalogueOf } from "../catalogue.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry.js";
import { renderText } from "../report/tables/table.js";
import { allOptions } from "./common/all-options.js";
import type { Io } from "./io.js";

/** What can be listed, in the order of the list. */
export const listKinds = ["tasks", "methods", "retrievers", "providers", "options"] as const;

/** One section for each kind, ready to print: names and summaries. Throws UsageError for an unknown kind. */
export function list(kind: string | undefined, io: Pick<Io, "catalogue">): string[] {
  if (kind !== undefined && !listKinds.some((known) => known === kind))
    throw new UsageError(`list ${kind}: no such kind${suggest(kind, listKinds)}; kinds: ${listKinds.join(", ")}`);
  const catalogue = catalogueOf(io);
  return listKinds.filter((known) => kind === undefined || kind === known).map((known) => sectionOf(known, catalogue));
}

// --- internal ---

type Listing = readonly { readonly name: string; readonly summary: string }[];

function sectionOf(kind: (typeof listKinds)[number], catalogue: Catalogue): string {
  if (kind === "options") return optionList(catalogue);
  if (kind === "tasks")
    return section(
      kind,
      catalogue.tasks.all.map(({ name, title }) => ({ name, summary: title })),
    );
  return section(kind, catalogue[kind].all);
}

function section(title: string, listing: Listing): string {
  const width = Math.max(...listing.map(({ name }) => name.length));
  return `${title}\n${listing.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join("\n")}\n`;
}

function optionList(catalogue: Catalogue): string {
  const column = (title: string) => ({ title, align: "left" }) as const;
  return `options (--set name=value)\n${renderText({
    columns: [column("name"), column("default"), column("accepts"), column("meaning")],
    rows: Object.entries(allOptions(catalogue)).map(([name, { default: value, accepts, help }]) => [
      name,
      String(value),
      accepts,
      help,
    ]),
  })}`;
}
