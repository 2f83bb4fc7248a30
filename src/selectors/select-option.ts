import { UsageError } from "../errors.js";
import { allOnlyWhere, onlyWhere } from "../registry/options.js";
import type { Option, Options, OptionTable, OptionValue, Registry, Selector, Task, Unit } from "../types/index.js";
import { selectors } from "./index.js";

/** The selector that a run names, and the file that it is given. */
export interface SelectorChoice {
  readonly selector: Selector;
  readonly argument?: string;
}

/** The value for the method's own retrieval. */
const DEFAULT_RETRIEVAL = "own";

/**
 * The option by which a method takes any selector in place of its own retrieval, and the options of these. They are part of a
 * arm only where a selector that has them is named.
 */
export const selectOptions: { readonly select: Option<SelectorChoice | undefined> } = {
  select: selectOption(selectors),
  ...optionsOf(selectors),
};

/**
 * The same for a method that asks a selector under some of its settings only: elsewhere they are no part of its arms. `asks`
 * sees the method's complete settings.
 */
export const selectOptionsWhere = (
  asks: (settings: Readonly<Record<string, OptionValue>>) => boolean,
): typeof selectOptions => allOnlyWhere((_task, settings) => asks(settings), selectOptions) as typeof selectOptions; // the same names

/** Checks the selector's file against the data. Returns a warning, or undefined. Throws UsageError where it does not fit. */
export function checkSelectorFile(
  options: Options<OptionTable>,
  files: ReadonlyMap<string, string>,
  units: Iterable<Unit>,
  task: string,
): string | undefined {
  const chosen = options.select as SelectorChoice | undefined; // the option of that name reads to this
  if (chosen?.argument === undefined) return undefined;
  return chosen.selector.checkFile?.(files.get(chosen.argument) ?? "", chosen.argument, units, task);
}

function selectOption(among: Registry<Selector>): Option<SelectorChoice | undefined> {
  const forms = among.all.map(({ name, takes }) => (takes === undefined ? name : `${name}:PATH`));
  const accepts = `one of ${[DEFAULT_RETRIEVAL, ...forms].join(", ")}`;
  const read = (name: string, value: OptionValue): SelectorChoice | undefined => {
    const [word = "", argument] = splitName(value);
    if (word === DEFAULT_RETRIEVAL && argument === undefined) return undefined;
    const selector = among.get(word, name);
    if ((selector.takes === undefined) !== (argument === undefined || argument === ""))
      throw new UsageError(
        `${name}=${value}: ${selector.takes === undefined ? `${word} takes nothing behind it` : `${word} needs a file: ${word}:PATH`}`,
      );
    return { selector, ...(argument === undefined ? {} : { argument }) };
  };
  return {
    default: DEFAULT_RETRIEVAL,
    help: "which history items are shown: the method's own retrieval, or any selector (docs/EXTENDING.md)",
    accepts,
    read,
    canonical: (name, value) => {
      const found = read(name, value);
      if (found === undefined) return DEFAULT_RETRIEVAL;
      return found.argument === undefined ? found.selector.name : `${found.selector.name}:${found.argument}`;
    },
    file: {
      pathIn: (value) => {
        const [word = "", argument] = splitName(value);
        return among.find(word)?.takes === "file" ? argument : undefined;
      },
      withName: (value, name) => `${splitName(value)[0]}:${name}`,
    },
    over: (lists) => {
      const list = lists.find(({ kind }) => kind === among.kind) as Registry<Selector> | undefined; // a registry of this kind holds selectors
      return list === undefined ? selectOption(among) : selectOption(list);
    },
    brings: () => optionsOf(among),
  };
}

function splitName(value: OptionValue): [string, string | undefined] {
  const text = String(value);
  const colon = text.indexOf(":");
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Returns the options of all selectors, each part of an arm where a selector that has it is chosen. */
function optionsOf(among: Registry<Selector>): OptionTable {
  const names = new Set(among.all.flatMap(({ options }) => Object.keys(options)));
  const options = [...names].map((name): [string, Option<unknown>] => {
    const having = among.all.filter(({ options }) => name in options);
    const option = having[0]!.options[name]!; // the name is of one of them
    const isChosen = (_task: Task, { select = DEFAULT_RETRIEVAL }: Readonly<Record<string, OptionValue>>): boolean => {
      const [word = ""] = splitName(select);
      return having.some((selector) => among.find(word) === selector);
    };
    return [name, onlyWhere(isChosen, option)];
  });
  return Object.fromEntries(options);
}
