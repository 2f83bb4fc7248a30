import type { Check } from "../../app/doctor/machine.js";
import { wrapText } from "./wrap.js";

/** The state of checks as a table of a terminal of so many columns: a long text goes on below its begin. Without `columns` a check is one line. */
export const checkText = (checks: readonly Check[], columns = Number.POSITIVE_INFINITY): string => {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const before = " ".repeat(STATE + width + 4);
  return checks
    .map(({ name, state, text }) => {
      const lines = wrapText(text, columns - before.length);
      return `${state.padEnd(STATE)}  ${name.padEnd(width)}  ${lines.join(`\n${before}`)}`;
    })
    .join("\n");
};

/** The longest state, `skipped`. */
const STATE = 7;
