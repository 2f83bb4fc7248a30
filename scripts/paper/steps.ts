/** What people say of the own sample, for H1, H1', H2 and H3 of RUMS. */
const LABELS = "datasets/demo/profile-questions/people.json";

/** Commands on the folder of a run, in which `RUN` stands for it, by the beginning of its config's name. */
const STEPS: readonly (readonly [start: string, ...commands: string[]])[] = [
  [
    "rums-selection",
    ...["none", "all", "random", "similar", "bm25", "llm-zero", "llm-few"].map(
      (select) => `judge RUN --judge profile-pair --against select=${select}`,
    ),
    "show RUN --question q01@p1",
  ],
  ["rums-", `rums eval RUN --labels ${LABELS}`],
  ["rums-t5", "show RUN --question q01@p1"],
  ["rums-t6", `rums calibrate RUN --labels ${LABELS}`],
  ["sage-", "show RUN --method sage --preparation"],
  ["assistant-", "judge RUN", "report RUN --figures"],
  ["assistant-t2", "show RUN --question d01-t46"],
];

/** What `npm run paper` does with the run of a config, in order: all that prints a table or a figure of its paper. */
export const stepsAfter = (config: string): readonly string[] =>
  STEPS.flatMap(([start, ...commands]) => (config.startsWith(start) ? commands : []));
