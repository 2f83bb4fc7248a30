/** One thing that the doctor looked at. */
export interface Check {
  readonly name: string;
  /** `warn`: something does not work that not every run needs; `skipped`: not asked for. */
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly text: string;
}

/** The state of checks as a table of a terminal. */
export const checkText = (checks: readonly Check[]): string => {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks.map(({ name, state, text }) => `${state.padEnd(7)}  ${name.padEnd(width)}  ${text}`).join("\n");
};
