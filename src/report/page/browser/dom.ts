export const one = <E extends HTMLElement>(selector: string, from: ParentNode = document): E | undefined =>
  from.querySelector<E>(selector) ?? undefined;

export const all = <E extends HTMLElement>(selector: string, from: ParentNode = document): E[] => [
  ...from.querySelectorAll<E>(selector),
];

type Child = Node | string | undefined | readonly Child[];
type Attributes = Readonly<Record<string, string | undefined>>;

/** Makes an element. Texts become text nodes: nothing that a model said is ever read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  append(made, children);
  return made;
}

function append(parent: HTMLElement, children: readonly Child[]): void {
  for (const child of children) {
    if (child instanceof Node || typeof child === "string") parent.append(child);
    else if (child !== undefined) append(parent, child);
  }
}

/** Makes a button that acts when it is pressed. */
export function button(act: () => void, attributes: Attributes, ...children: readonly Child[]): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", act);
  return made;
}

/** Returns the content of a compressed part of the page. */
export async function inflate<T>(id: string): Promise<T> {
  const packed = document.getElementById(id)?.textContent ?? "";
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}
