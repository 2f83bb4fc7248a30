import type { Listed, ListedOption, Listing } from "../app/list.js";
import { wrapText } from "./wrap.js";

/** The names of each kind, which fit one screen: of the options only how many there are. */
export function renderNames(listing: Listing, width: number): string {
  const column = Math.max(...Object.keys(listing).map((kind) => kind.length)) + 2;
  const lines = Object.entries(listing).flatMap(([kind, things]) => {
    const names = kind === "options" ? `${things.length} options` : things.map(({ name }) => name).join(", ");
    return indented(`${kind.padEnd(column)}${names}`, 0, width, column);
  });
  const ways = [
    ["lamp-eval list methods", "a line about each"],
    ["lamp-eval list rag", "explain one: source, calls, options"],
    ["lamp-eval list options --method rag", "only the options that this method reads"],
  ];
  return [...lines, "", ...ways.map(([typed = "", does]) => `${typed.padEnd(37)}${does}`)].join("\n");
}

/** The list for a terminal of so many columns: a block for each kind. */
export const renderListing = (listing: Listing, width: number): string[] =>
  Object.entries(listing).map(([kind, things]) =>
    kind === "options"
      ? `options (--set name=value)\n${renderOptions(things as readonly ListedOption[], width)}\n`
      : `${kind}\n${renderThings(things as readonly Listed[], width)}\n`,
  );

/** An option: name, default and what it takes on one line, its meaning below. */
const renderOptions = (options: readonly ListedOption[], width: number): string =>
  options
    .map(({ name, default: value, accepts, help }) =>
      [
        ...indented(`${name}=${value === "" ? '""' : value}  (${accepts})`, 2, width, 6),
        ...indented(help, 6, width),
      ].join("\n"),
    )
    .join("\n");

/** Text broken into lines of at most `width` characters behind `indent` blanks, later lines behind `later`. */
export const indented = (text: string, indent: number, width: number, later = indent): string[] =>
  wrapText(text, width - later).map((line, index) => " ".repeat(index === 0 ? indent : later) + line);

function renderThings(things: readonly Listed[], width: number): string {
  const column = Math.max(0, ...things.map(({ name }) => name.length)) + 4;
  return things
    .flatMap(({ name, summary, group }, index) => [
      ...(group === undefined || group === things[index - 1]?.group ? [] : [`${group}:`]),
      ...indented(`${name.padEnd(column - 2)}${summary}`, group === undefined ? 0 : 2, width, column),
    ])
    .join("\n");
}
