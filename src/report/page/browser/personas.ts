import type { PackedPersona, PackedRun } from "../packed.js";
import type { Chunks } from "./chunks.js";
import { element, options } from "./dom.js";

/** Every version of a persona: the first in full, then why and how each changed. */
export function personaVersions(versions: readonly PackedPersona[]): HTMLElement {
  return element(
    "div",
    { class: "personas" },
    ...versions.map(({ title, gradients, text }, v) =>
      element(
        "details",
        v === versions.length - 1 || v === 0 ? { open: "" } : {},
        element("summary", {}, title),
        ...gradients.flatMap(([name, why]) => [
          element("p", { class: "label" }, name),
          element("pre", { class: "found" }, why ?? ""),
        ]),
        ...(v === 0 ? [element("pre", {}, text)] : [element("p", { class: "label" }, "what changed"), changes(text)]),
      ),
    ),
  );
}

/** The persona of a chosen user. Absent from pages of runs without personas. */
export function startPersonas(run: PackedRun, chunks: Chunks): void {
  const select = document.getElementById("persona-of");
  const body = document.getElementById("persona-versions");
  if (!(select instanceof HTMLSelectElement) || body === null) return;
  const having = run.units.flatMap((unit, u) => (unit.personas > 0 ? [{ ...unit, index: u }] : []));
  const name = ({ name, cell }: (typeof having)[number]) => {
    const { arm, repeat } = run.cells[cell] ?? { arm: -1, repeat: 0 };
    const again = repeat === 0 ? "" : ` · repeat ${repeat + 1}`;
    return `${run.tasks[run.arms[arm]?.task ?? -1]} · ${run.arms[arm]?.label}${again} · ${name}`;
  };
  options(select, having.map(name), undefined);
  const draw = async (): Promise<void> => {
    const unit = having[select.selectedIndex];
    if (unit === undefined) return;
    const transcript = await chunks.transcript("unit", unit.index);
    body.replaceChildren(personaVersions(transcript?.personas ?? []));
  };
  select.addEventListener("change", () => void draw());
  void draw();
}

function changes(text: string): HTMLElement {
  const kinds: Readonly<Record<string, "del" | "ins">> = { "- ": "del", "+ ": "ins" };
  const lines = text.split("\n").map((line) => {
    const kind = kinds[line.slice(0, 2)];
    return kind === undefined ? element("span", {}, `${line}\n`) : element(kind, {}, `${line}\n`);
  });
  return element("pre", { class: "diff" }, ...lines);
}
