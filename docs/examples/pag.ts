// The built-in method `pag`, written with what the package exports and nothing else: the same requests, the same rows (a test compares them).
// lamp-eval run --plugin ./pag.ts --task lamp2m --method pag,my-pag
import { builtIn, defineMethod, type Event, type Kit, option, type User } from "lamp-eval";

const SUMMARY_TOKENS = 1024;
const MOST_WORDS = 200;
/** At four characters a token; the newest events are kept. */
const MOST_HISTORY_TOKENS = 24_000;

const myPag = defineMethod({
  name: "my-pag",
  summary: "a profile summary of the user, then the k best matching events",
  source: "Richardson et al. 2023, as the built-in pag",
  options: {
    "my-pag.k": option.integer({ default: 4, help: "events shown per question" }),
    "my-pag.retriever": option.thing({
      default: "bm25",
      of: () => builtIn.retrievers,
      help: "ranks the user's events",
    }),
  },
  async personalize(user, options, kit) {
    const style = kit.task.styles.lamp!;
    const summary = await summarized(user, kit);
    const documents = user.history.map((event) => ({
      text: style.document(event),
      ...(event.date && { date: event.date }),
    }));
    const { tokenize } = style;
    const search =
      documents.length === 0
        ? undefined
        : await options["my-pag.retriever"].index(documents, {
            tokenize,
            embedder: kit.embedder,
            random: kit.random("retrieve"),
          });
    const prefix = summary === "" ? "" : `${summary}\n`;
    return async (question, kit) => {
      if (search === undefined) kit.count("fallback=prompt");
      const hits = (await search?.(style.query(question), options["my-pag.k"])) ?? [];
      const events = hits.map(({ index }) => user.history[index]!);
      kit.note({ kind: "retrieved", data: events.map(({ id }) => id) });
      const content = style.assemble(question, events, { prefix, maxTokens: 0 });
      return (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;
    };
  },
  plan: () => ({
    perUnit: (history) => (history.length === 0 ? {} : { summary: { low: 1, high: 2 } }),
    perQuestion: () => ({ answer: { low: 1, high: 1 } }),
  }),
});

/** The model's summary of the user's past; asked once more where it is empty. */
async function summarized({ history }: User, kit: Kit): Promise<string> {
  if (history.length === 0) return "";
  const { task } = kit;
  const line = task.formatForSummary ?? task.formatEvent;
  const cut = (text: string): string => {
    const words = text.split(/\s+/).filter(Boolean);
    return words.length <= MOST_WORDS ? text : words.slice(0, MOST_WORDS).join(" ");
  };
  const listed = (event: Event): string => line({ ...event, content: cut(event.content) });
  let tokens = 0;
  const tooOld = history.findLastIndex((event, at) => {
    tokens += Math.ceil(listed(event).length / 4);
    return tokens > MOST_HISTORY_TOKENS && at < history.length - 1;
  });
  const events = history.slice(tooOld + 1);
  const content =
    task.styles.lamp!.profile?.(events, MOST_WORDS) ??
    `${task.summary.instruction} User History:\n${events.map(listed).join("\n")}\nAnswer:`;
  for (const draw of [0, 1]) {
    const reply = await kit.ask("summary", { messages: [{ role: "user", content }], maxTokens: SUMMARY_TOKENS, draw });
    const summary = reply.stop === "refusal" ? "" : reply.text.trim();
    if (summary === "") continue;
    kit.note({ kind: "summary", data: summary });
    return summary;
  }
  kit.count("summary-empty");
  return "";
}

export default { methods: [myPag] };
