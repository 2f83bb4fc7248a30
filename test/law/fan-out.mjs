/** A plug-in whose method leaves calls out of every kind when one of them fails, learns from answers, and is given events by a selector that asks. */
const ask = (kit, phase, content, of) =>
  kit.ask(phase, { messages: [{ role: "user", content }], maxTokens: 40, ...(of && { of }) });

const range = { low: 0, high: 99 };

const fanOut = {
  name: "fan-out",
  summary: "asks many things at once",
  source: "a test",
  options: {},
  needs: () => ({ tools: ["wikipedia"], agent: false }),
  embeds: () => true,
  async personalize(user, _options, kit) {
    const shared = kit.shared("style", async (own) => {
      const parts = await Promise.all([1, 2, 3].map((n) => ask(own, "style", `Shared part ${n}`)));
      return parts.map(({ text }) => text).join(" ");
    });
    const facts = await Promise.all(user.history.map((event) => ask(kit, "facts", `One fact of: ${event.content}`)));
    const memory = facts.map(({ text }) => text);
    const answerer = async (question, own) => {
      const [style, vectors, search, ...drafts] = await Promise.all([
        shared,
        own.embed([question.content, ...memory]),
        own
          .tool("wikipedia")
          .run(
            { query: question.content.slice(0, 20) },
            { ...own, timeoutMs: 5000, signal: new AbortController().signal },
          )
          .catch(() => "none"),
        ...memory.slice(-4).map((fact) => ask(own, "draft", `${fact}\n${question.text}`)),
      ]);
      own.note({ kind: "found", data: [search, vectors.length] });
      return (await ask(own, "answer", [style, ...drafts.map(({ text }) => text), question.text].join("\n"))).text;
    };
    const learn = async (event, own) => {
      const told = await Promise.all([1, 2].map((n) => ask(own, "update", `Lesson ${n} of ${event.content}`)));
      memory.push(...told.map(({ text }) => text));
    };
    return Object.assign(answerer, { learn });
  },
  plan: () => ({
    perArm: () => ({ style: range }),
    perUnit: () => ({ facts: range }),
    perQuestion: () => ({ draft: range, answer: range, update: range }),
  }),
};

const asking = {
  name: "asking",
  summary: "the events that the model likes",
  source: "a test",
  options: {},
  async open(history) {
    const events = [...history];
    const choose = async ({ question, k }, kit) => {
      const replies = await Promise.all(
        events.map(({ content }) => ask(kit, "select", `Does this help with ${question.content}?\n${content}`)),
      );
      const chosen = events.filter((_, n) => replies[n].text.length % 2 === 0).slice(-k);
      return { chosen: chosen.map((event) => ({ event, reason: "liked" })) };
    };
    return Object.assign(choose, { add: async (event) => void events.push(event) });
  },
};

export default { methods: [fanOut], selectors: [asking] };
