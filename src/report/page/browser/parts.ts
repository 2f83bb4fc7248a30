/** A link to a closed section opens it, and paper has all of them. */
export function startParts(): void {
  const parts = [...document.querySelectorAll<HTMLDetailsElement>("details.part, details.about")];
  const follow = (): void => {
    const id = location.hash.slice(1);
    if (id === "" || id.includes("=")) return;
    const target = document.getElementById(id);
    const part =
      target?.querySelector<HTMLDetailsElement>("details.part") ?? target?.closest<HTMLDetailsElement>("details.part");
    if (part === null || part === undefined || part.open) return;
    part.open = true;
    target?.scrollIntoView();
  };
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    closed = parts.filter((part) => !part.open);
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
  addEventListener("hashchange", follow);
  follow();
}
