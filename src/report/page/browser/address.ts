import { type Filter, isComparing, noFilter, orders, shows } from "./filter.js";

/** What the part of the address behind `#` says: `#task=lamp3&show=wrong&row=1a2b/q1`. */
interface View {
  readonly filter: Filter;
  readonly row: string | undefined;
  /** Another answer to the same question, shown on its left. */
  readonly beside?: string | undefined;
}

/** Undefined where it names a section of the page, or nothing. */
export function readView(hash: string): View | undefined {
  if (!hash.includes("=")) return undefined;
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const word = <W extends string>(name: string, of: readonly W[], fallback: W): W =>
    of.find((one) => one === given.get(name)) ?? fallback;
  return {
    filter: {
      text: given.get("text") ?? "",
      task: given.get("task") ?? "",
      method: given.get("method") ?? "",
      user: given.get("user") ?? "",
      against: given.get("against") ?? "",
      show: word("show", shows, noFilter.show),
      order: word("order", orders, noFilter.order),
    },
    row: given.get("row") ?? undefined,
    beside: given.get("beside") ?? undefined,
  };
}

export function writeView({ filter, row, beside }: View): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries<string>({ ...filter }))
    if (value !== noFilter[name as keyof Filter] && (name !== "against" || isComparing(filter.show)))
      parameters.set(name, value);
  if (row !== undefined) parameters.set("row", row);
  if (beside !== undefined) parameters.set("beside", beside);
  return `#${parameters}`;
}
