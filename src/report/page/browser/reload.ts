const KEY = "lamp-eval-open";
const EVERY_MS = 30_000;

/** The page of a run at work comes anew, with the sections open that were. */
export function startReload(): void {
  if (document.getElementById("at-work") === null) return;
  const parts = [...document.querySelectorAll("details")];
  const open: readonly number[] | null = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  for (const [p, part] of parts.entries()) part.open = open?.includes(p) ?? part.open;
  setTimeout(() => {
    const left = parts.flatMap((part, p) => (part.open ? [p] : []));
    sessionStorage.setItem(KEY, JSON.stringify(left));
    location.reload();
  }, EVERY_MS);
}
