import { settingsApart } from "../../report/arms.js";
import type { Cell } from "../../types.js";

/** Which of a method's arms is meant, as `--variant` and `--model` say it. Absent: any. */
export interface ArmChoice {
  /** Settings as tables print them, `model=...` among them: `align.iterations=3 memory.k=4`. */
  readonly variant?: string | undefined;
  readonly model?: string | undefined;
}

/** What tells the arms of one task and method apart. */
type ArmSettings = Pick<Cell, "model" | "options">;

/** Every setting of the choice is the arm's. */
export function isChosen(arm: ArmSettings, { variant = "", model }: ArmChoice): boolean {
  const settings = settingsOf(arm);
  const wanted = variant.split(/\s+/).filter((pair) => pair !== "");
  return (
    (model === undefined || arm.model === model) &&
    wanted.every((pair) => {
      const equals = pair.indexOf("=");
      return equals > 0 && String(settings[pair.slice(0, equals)]) === pair.slice(equals + 1);
    })
  );
}

/** The arms of one task and method, in the words of `--variant`. Where nothing tells them apart: what was asked for. */
export function variantsText(arms: readonly ArmSettings[], choice: ArmChoice = {}): string {
  const all = arms.map(settingsOf);
  return [...new Set(all.map((settings) => settingsApart(settings, all) || settingsNamed(settings, choice)))].join(
    "; ",
  );
}

/** The settings of an arm, its model among them. */
export const settingsOf = ({ model, options }: ArmSettings): Cell["options"] => ({ model, ...options });

/** The arm's own values of the settings that were asked for. */
function settingsNamed(settings: Cell["options"], { variant = "" }: ArmChoice): string {
  const names = variant.split(/\s+/).map((pair) => pair.split("=", 1)[0] ?? "");
  return names.map((name) => `${name}=${settings[name] ?? "(not an option of it)"}`).join(" ");
}
