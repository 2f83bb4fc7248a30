// A method with a summary by the model and retrieval: one call a user to sum the history up, one a question.
// lamp-eval run --plugin ./summary-rag.ts --task lamp2m --method summary-rag,rag
import { defineMethod, option } from "lamp-eval";

const summaryRag = defineMethod({
  name: "summary-rag",
  summary: "what the model says of the user, then the k best matching history items",
  source: "an example",
  options: { "summary-rag.k": option.integer({ default: 4, min: 1, help: "history items shown" }) },
  async personalize(user, options, kit) {
    const history = user.history.map(kit.task.formatEvent).join("\n");
    const asked = `What does this user care about? Answer in two sentences.\n\n${history}`;
    const summary = await kit.ask("summary", { messages: [{ role: "user", content: asked }], maxTokens: 120 });
    kit.note({ kind: "summary", data: summary.text });
    return async (question, kit) => {
      const events = await kit.retrieve(question, options["summary-rag.k"]);
      kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });
      const content = [summary.text, ...events.map(kit.task.formatEvent), question.text].join("\n");
      return (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;
    };
  },
  plan: () => ({
    perUnit: () => ({ summary: { low: 1, high: 1 } }),
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
});

export default { methods: [summaryRag] };
