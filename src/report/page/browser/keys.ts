import { byId } from "./dom.js";

interface KeyActions {
  move(lines: number, columns?: number): void;
  open(): void;
  close(): void;
  search(): void;
  theme(): void;
}

/** j/k move, Enter opens, Esc closes or clears, / searches, t changes the theme, ? says so. Typing in a field types. */
export function startKeys(actions: KeyActions): void {
  const help = byId("help", HTMLDialogElement);
  const section = byId("rows-section", HTMLElement);
  const showHelp = (): void => (help.open ? help.close() : help.showModal());
  const toRows = (act: () => void) => () => {
    if (!isInView(section)) section.scrollIntoView();
    act();
  };
  const onKey: Readonly<Record<string, () => void>> = {
    j: toRows(() => actions.move(1)),
    k: toRows(() => actions.move(-1)),
    "/": toRows(actions.search),
    t: actions.theme,
    "?": showHelp,
  };
  const inGrid: Readonly<Record<string, () => void>> = {
    Enter: actions.open,
    ArrowDown: () => actions.move(1),
    ArrowUp: () => actions.move(-1),
    ArrowRight: () => actions.move(0, 1),
    ArrowLeft: () => actions.move(0, -1),
    PageDown: () => actions.move(10),
    PageUp: () => actions.move(-10),
  };
  byId("show-help", HTMLButtonElement).addEventListener("click", showHelp);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const isField = target.matches("input, select, textarea");
    if (event.key === "Escape") {
      if (isField) leaveField(target);
      else actions.close();
      return;
    }
    if (isField) {
      if (event.key === "Enter") byId("rows-grid", HTMLElement).focus();
      return;
    }
    const isControl = target.matches("button, a, summary");
    const act = onKey[event.key] ?? (isControl || target.matches(".scroll, pre") ? undefined : inGrid[event.key]);
    if (act === undefined || (act === inGrid[event.key] && event.key !== "Enter" && target.id !== "rows-grid")) return;
    event.preventDefault();
    act();
  });
}

/** An empty field is left; what is typed in it goes first, so that no filter stays on unseen. */
function leaveField(field: HTMLElement): void {
  if (field instanceof HTMLInputElement && field.type !== "checkbox" && field.value !== "") {
    field.value = "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  field.blur();
}

function isInView(part: HTMLElement): boolean {
  const { top, bottom } = part.getBoundingClientRect();
  return top < innerHeight * 0.6 && bottom > innerHeight * 0.3;
}
