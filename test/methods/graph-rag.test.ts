import { describe, expect, test } from "vitest";
import { graphRag } from "../../src/methods/graph-rag.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, OptionValue } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { Script } from "../helpers/scripted-model.js";
import { article, asked, news, pool } from "../memory/graph/graph-fixtures.js";
import { knobs } from "./workflow-fixtures.js";

const history = [
  article("h1", "Women march in Florida", "women"),
  article("h2", "Women write", "women"),
  article("h3", "Snow in Oslo", "travel"),
];
const QUESTIONS = ["Parkland survivors march in Florida", "Mario and the wines of Tuscany"];

/** What both modes show of other users. */
const OTHERS = `Similar articles of other users:
1. Text: The march for Parkland filled Florida streets
   Category: politics
   Similarity: 0.572 (HIGH)
2. Text: A march from Parkland reaches Florida lawmakers
   Category: crime
   Similarity: 0.572 (HIGH)
3. Text: Survivors from Parkland ask Florida for gun laws
   Category: politics
   Similarity: 0.561 (HIGH)
`;

async function run(
  given: Record<string, OptionValue> = {},
  script: Script = () => "politics",
  past: readonly Event[] = history,
  others = pool,
) {
  const armKit = fakeKit({ task: news, script, others });
  const answer = await graphRag.personalize(
    { id: "u1", history: past },
    knobs(graphRag, { "graph.concepts": "named", ...given }),
    armKit.kit,
  );
  const answers: string[] = [];
  for (const text of QUESTIONS) answers.push(await answer(asked(text, text), armKit.question(text)));
  const prompts = armKit.calls.filter(({ phase }) => phase === "answer").map(({ text }) => text);
  return { armKit, answer, answers, prompts };
}

describe("graph-rag in community mode", () => {
  test("follows the block order of Algorithm 1 and ends with the question as the benchmark asks it", async () => {
    const { prompts } = await run();
    expect(prompts[0]).toBe(
      `Task: LaMP-2N: personalized news categorization
Labels: ${news.labels.join(", ")}

Article: Parkland survivors march in Florida

Similar articles of this user:
1. Text: Women march in Florida
   Category: women
   Similarity: 0.466 (MEDIUM)

${OTHERS}
Communities of topics it belongs to, over all users:
1. Florida, Parkland: 3 articles by 2 users; politics 67 %, crime 33 %

This user's category preferences: women: 0.67, travel: 0.33
Related concepts: Florida, Parkland
Number of this user's past interactions: 3

How to use this:
- HIGH similarity weighs most; consider MEDIUM; LOW is weak support.
- Where one of this user's and one of another user's are about equally similar, follow this user's.
- Where this user's own are less similar, others' show what the article is really about.
- Communities are background: they tell what such topics usually are.

Now answer as this user would:
${asked("q", QUESTIONS[0]!).text}`,
    );
  });

  test.each([
    ["own", [false, false, false]],
    ["own+global", [true, false, false]],
    ["own+global+communities", [true, true, false]],
    ["own+global+communities+persona", [true, true, true]],
  ])("graph-rag.blocks=%s shows these blocks and no other", async (blocks, shown) => {
    const { prompts } = await run({ "graph-rag.blocks": blocks });
    expect(prompts[0]).toContain("Similar articles of this user:");
    expect(
      ["of other users:", "Communities of topics", "preferences:"].map((part) => prompts[0]!.includes(part)),
    ).toEqual(shown);
    expect(prompts[0]!.includes("Related concepts")).toBe(shown[1]);
  });

  test("one call a question; reports and PAG's summary add theirs, as planned", async () => {
    expect((await run()).armKit.phases()).toEqual({ answer: 2 });
    const given = { "graph-rag.reports": "llm", "graph-rag.persona": "pag" };
    const { armKit, prompts } = await run(given, ({ phase }) => (phase === "summary" ? "all about women" : "politics"));
    expect(armKit.phases()).toEqual({ summary: 3, answer: 2 }); // two communities shown, one user
    expect(prompts[0]).toContain("Florida, Parkland. all about women");
    expect(prompts[0]).toContain("About this user: all about women");
    expect(graphRag.plan(knobs(graphRag)).perUnit(history)).toEqual({});
    expect(graphRag.plan(knobs(graphRag, given)).perUnit(history)).toEqual({ summary: { low: 1, high: 2 } });
    expect(graphRag.plan(knobs(graphRag, given)).perQuestion()).toEqual({ answer: { low: 1, high: 1 } });
    expect(graphRag.plan(knobs(graphRag, given)).perArm?.()).toEqual({ summary: { low: 0, high: 30 } });
    expect(graphRag.plan(knobs(graphRag)).perArm?.()).toEqual({});
  });

  test("a written report about interactions that the asker may not see is counted", async () => {
    const armKit = fakeKit({ task: news, script: () => "politics", others: pool, user: "ann" });
    const options = knobs(graphRag, { "graph-rag.reports": "llm" });
    const answer = await graphRag.personalize({ id: "ann", history: [] }, options, armKit.kit);
    await answer(asked("q", "Parkland"), armKit.question("q"));
    expect(armKit.incidents.get("report-beyond-view")).toBe(1);
    expect(armKit.phases()).toEqual({ summary: 1, answer: 1 }); // the other community was not shown
    await answer(asked("q2", "nothing known"), armKit.question("q2"));
    expect(armKit.incidents.get("prompt-without-community")).toBe(1);
  });

  test("notes the subgraph that entered the prompt, and the size of the graph", async () => {
    const { armKit } = await run();
    const note = armKit.notes.find(({ kind }) => kind === "graph")?.data;
    expect(note).toMatchObject({
      own: [{ owner: "u1", id: "h1", label: "women" }],
      global: [
        { owner: "ann", id: "a1" },
        { owner: "ben", id: "b1" },
        { owner: "ann", id: "a2" },
      ],
      communities: [{ id: 1, concepts: ["Florida", "Parkland"] }],
    });
    const size = armKit.notes.find(({ kind }) => kind === "graph-size")?.data;
    expect(size).toMatchObject({ interactions: 15, communities: 2, edges: { conceptConcept: 2 } });
  });

  test("an answered question enters the user's own side only", async () => {
    const { answer, armKit } = await run();
    await answer.learn?.(article("new", QUESTIONS[0]!, "crime"), armKit.kit);
    await answer(asked("again", "Parkland survivors march"), armKit.question("again"));
    expect(armKit.calls.at(-1)!.text).toMatch(
      /of this user:\n1\. Text: Parkland survivors march in Florida\n {3}Category: crime/,
    );
    const other = armKit.user("u2");
    const theirs = await graphRag.personalize({ id: "u2", history: [] }, knobs(graphRag), other.kit);
    await theirs(asked("q", "survivors march"), other.question("q"));
    expect(armKit.calls.at(-1)!.text).not.toContain("Parkland survivors march in Florida");
  });
});

describe("graph-rag in released mode", () => {
  const released = { "graphrag.mode": "released", "graph.concepts": "released", "graph.asOf": "run" };

  test("has the blocks and formats of the release, in its order, and no community", async () => {
    const { armKit } = await run(released);
    expect(armKit.calls[0]!.request).toMatchObject({
      system: "You classify. Answer only with the category.",
      temperature: 0.3,
      maxTokens: 50,
    });
    const [message] = armKit.calls[0]!.request.messages;
    expect(message).toEqual({
      role: "user",
      content: `Task: LaMP-2N: personalized news categorization
Labels: [${news.labels.join(", ")}]

Article: Parkland survivors march in Florida

Similar articles of this user:
1. Text: Women march in Florida
   Category: women
   Similarity: 0.677 (HIGH)

${OTHERS}
This user's category preferences: women: 0.67, travel: 0.33
Related concepts: Florida, Parkland, Survivors, The, Women
Number of this user's past interactions: 3

How to use this:
- Weigh HIGH similarity most, consider MEDIUM, take LOW as support.
- Prefer this user's own over other users' when they are comparable.

Answer with the category only, nothing else.`,
    });
  });

  test("serves all questions of a user with what was found for the first, and counts it", async () => {
    const { prompts, armKit } = await run(released);
    expect(prompts[1]).toContain("Article: Mario and the wines of Tuscany");
    expect(prompts[1]).toContain("Survivors from Parkland");
    expect(prompts[1]).not.toContain("Pasta");
    expect(armKit.incidents.get("released-context-reused")).toBe(1);
    expect(graphRag.sequential?.(knobs(graphRag, released))).toBe(true);
    expect(graphRag.sequential?.(knobs(graphRag))).toBe(false);
  });

  test.each([
    ["dark comedy", "comedy", "released-label-shadowed"],
    ["Either romance, or action.", "action", "released-first-of-several"],
    ["It is classic.", "classic", undefined],
    ["something dark", "dark comedy", "released-label-word"],
    ["no idea", "violence", "released-usual-label"],
  ])("reads %j as %j", async (reply, answer, incident) => {
    const movies = tasks.get("lamp2m");
    const past = [movies.event({ id: "1", description: "guns", tag: "violence" })];
    const armKit = fakeKit({ task: movies, script: () => reply, others: [{ owner: "o", event: past[0]! }] });
    const answerer = await graphRag.personalize({ id: "u", history: past }, knobs(graphRag, released), armKit.kit);
    const question = movies.question({ id: "q", input: "Which tag? description: x" });
    expect(await answerer(question, armKit.question("q"))).toBe(answer);
    const counted = [...armKit.incidents.keys()].filter((name) => name !== "released-graph-unread");
    expect(counted).toEqual(incident === undefined ? [] : [incident]);
  });

  test("a user without a past who gets no label is answered `entertainment`", async () => {
    const { answers, armKit } = await run(released, () => "???", []);
    expect(answers).toEqual(["entertainment", "entertainment"]);
    expect(armKit.incidents.get("released-entertainment")).toBe(2);
  });
});
