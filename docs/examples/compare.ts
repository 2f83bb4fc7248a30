// Two methods on the same questions: scores, and a paired test of the difference.
import { compare, metricOf, run, summaryOf } from "lamp-eval";

const result = await run({
  task: "lamp2m",
  method: ["prompt", "rag"],
  options: { "rag.k": 2 },
  users: 12,
  out: "two-methods",
  onEvent: (event) => {
    if (event.kind === "notice") console.error(event.text);
  },
});

for (const method of ["prompt", "rag"]) {
  const { strict, interval } = metricOf(summaryOf(result.summaries, { method }), "accuracy");
  const range = interval === undefined ? "" : ` [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
  console.log(`${method}: accuracy ${strict?.toFixed(3)}${range}`);
}

for (const { comparison, simulated } of await compare({
  a: result.folder,
  methods: ["prompt", "rag"],
  metric: "accuracy",
}))
  for (const { gain, p } of comparison.metrics)
    console.log(
      `rag - prompt: ${gain.toFixed(3)}, p ${p?.toFixed(3)}, n ${comparison.questions}${simulated ? ", SIMULATED" : ""}`,
    );

/* It prints:
prompt: accuracy 0.190 [0.086, 0.371]
rag: accuracy 0.643 [0.450, 0.798]
rag - prompt: 0.452, p 0.002, n 42, SIMULATED
*/
