// A method of one's own, beside a built-in one, scored by a metric of one's own too.
import { defineMethod, defineMetric, metricOf, option, run, UsageError } from "lamp-eval";

const recent = defineMethod({
  name: "recent",
  summary: "the user's latest events in front of the question",
  source: "an example",
  options: { "recent.k": option.integer({ default: 3, min: 1, help: "latest events shown" }) },
  async personalize(user, options, kit) {
    const shown = user.history.slice(-options["recent.k"]).map(kit.task.formatEvent).join("\n");
    return async (question, kit) => {
      const content = `${shown}\n\n${question.text}`;
      return (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;
    };
  },
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
});

const brevity = defineMetric({
  name: "brevity",
  title: "letters of an answer",
  better: "lower",
  source: "an example",
  sumCount: 1,
  add: ({ prediction }, sums, offset = 0) => {
    sums[offset] = (sums[offset] ?? 0) + prediction.length;
  },
  value: (sums, count) => (sums[0] ?? 0) / count,
});

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

try {
  const { ended, summaries, calls } = await run({
    task: "lamp2m",
    method: [recent, "prompt"],
    metric: brevity,
    options: { "recent.k": Number(process.argv[2] ?? 5) },
    users: 6,
    out: "own-method",
    signal: stop.signal,
  });
  console.log(`${ended}, ${calls.sent} calls`);
  for (const summary of summaries)
    console.log(
      `${summary.method}: accuracy ${metricOf(summary).strict?.toFixed(3)}, letters ${metricOf(summary, "brevity").strict?.toFixed(1)}`,
    );
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.log(`cannot run: ${error.message}`);
}

/* It prints:
done, 42 calls
recent: accuracy 0.524, letters 10.2
prompt: accuracy 0.190, letters 6.6
*/
