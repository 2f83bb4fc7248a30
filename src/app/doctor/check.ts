/** One thing that the doctor looked at. */
export interface Check {
  readonly name: string;
  /** `warn`: something does not work that not every run needs; `skipped`: not asked for. */
  readonly state: "ok" | "warn" | "fail" | "skipped";
  readonly text: string;
}
