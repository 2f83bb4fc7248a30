import { describe, expect, test } from "vitest";
import { anyLabel, type Evidence, oneOf, readEvidence } from "../../../src/models/providers/offline/evidence.js";
import { findQuestions, readPrompt } from "../../../src/models/providers/offline/read-prompt.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Event, Task } from "../../../src/types/index.js";
import { eventsOf, movieQuestion, requestOf } from "./requests.js";

const noBudget = { maxTokens: 0 };

interface Form {
  readonly task: Task;
  readonly events: Event[];
  readonly input: string;
  readonly query: string;
}

/** Texts and labels with quotes, colons, commas and line breaks inside. */
const forms: Form[] = [
  {
    task: tasks.get("lamp2m"),
    events: eventsOf(tasks.get("lamp2m"), [
      { description: 'Two clerks say "no" to a haunted, talking vault.', tag: "dark comedy" },
      { description: "A courier of dreams is told: run.", tag: "sci-fi" },
    ]),
    input: movieQuestion("A clerk inherits a talking vault."),
    query: "A clerk inherits a talking vault.",
  },
  {
    task: tasks.get("lamp2n"),
    events: eventsOf(tasks.get("lamp2n"), [
      { text: 'The mayor said "wait" and, later, "go".', title: "Mayor", category: "politics" },
      { text: "Soup for six: lentils and lemon.", title: "Soup", category: "food & drink" },
    ]),
    input:
      "Which category does this article relate to among the following categories? Just answer with the category name without further explanation. categories: [women, religion, politics, style & beauty, entertainment, culture & arts, sports, science & technology, travel, business, crime, education, healthy living, parents, food & drink] article: The council votes on soup kitchens.",
    query: "The council votes on soup kitchens.",
  },
  {
    task: tasks.get("lamp3"),
    events: eventsOf(tasks.get("lamp3"), [
      { text: "It broke. I give it 5 minutes, not 5 stars.\nNever again.", score: "1" },
      { text: 'My son calls it "the best". We agree', score: "5" },
    ]),
    input:
      "What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: It works.\n\nMostly.",
    query: "It works.\n\nMostly.",
  },
  {
    task: tasks.get("lamp4"),
    events: eventsOf(tasks.get("lamp4"), [
      { text: "The bridge opens on Friday, officials say.", title: "Bridge: At Last, A Date" },
      { text: "Nobody expected the ferry to win.", title: "Ferry 'Wins' The Harbor Race" },
    ]),
    input: "Generate a headline for the following article: The harbor bridge is late again.",
    query: "The harbor bridge is late again.",
  },
  {
    task: tasks.get("lamp5"),
    events: eventsOf(tasks.get("lamp5"), [
      { abstract: "We study tides in small models.", title: "Tides, Revisited" },
      { abstract: 'We ask what "late" means for ferries.', title: "On late ferries" },
    ]),
    input: "Generate a title for the following abstract of a paper: We study late tides.",
    query: "We study late tides.",
  },
];

const labelsIn = ({ examples }: Evidence): string[] => examples.map(({ label }) => label);

const readerOf = (options: readonly string[]) => (options.length === 0 ? anyLabel : oneOf(options));

describe.each(forms)("$task.name", ({ task, events, input, query }) => {
  const question = task.question({ id: "q", input });
  const plain = readPrompt(requestOf(input));
  const labels = events.map(({ label }) => label);

  test("the bare question gives query and options", () => {
    expect(plain.asked?.query).toBe(query);
    expect([...(plain.asked?.options ?? [])].sort()).toEqual([...task.labels].sort());
    expect(plain.shown).toBe("");
  });

  test.each(Object.values(task.styles))("the $name prompt gives the shown examples and the query", (style) => {
    const { asked, shown } = readPrompt(requestOf(style.assemble(question, events, noBudget)));
    expect(asked?.query.replace(/\s+/g, " ")).toBe(query.replace(/\s+/g, " "));
    expect([...(asked?.options ?? [])].sort()).toEqual([...task.labels].sort());
    const found = readEvidence(shown, readerOf(asked?.options ?? []));
    expect(labelsIn(found).sort()).toEqual([...labels].sort());
    for (const { content } of events)
      expect(found.examples.map(({ text }) => text.replace(/\s+/g, " "))).toContain(content.replace(/\s+/g, " "));
  });

  test("solved questions in front are demonstrations", () => {
    const demos = events.map((event) => `${task.pose(event, question)?.text}\n${event.label}`);
    const { asked, shown } = readPrompt(requestOf([...demos, input].join("\n\n")));
    expect(asked?.query).toBe(query);
    const { examples } = readEvidence(shown, readerOf(asked?.options ?? []));
    expect(examples).toEqual(events.map(({ content, label }) => ({ text: content, label })));
  });

  test("memory lines of a tool are examples", () => {
    const results = [{ id: "1", name: "episodic_memory", content: events.map(task.show).join("\n") }];
    const { asked, shown } = readPrompt({
      ...requestOf(input),
      messages: [
        { role: "user", content: input },
        {
          role: "assistant",
          content: "I recall a comedy.",
          toolCalls: [{ id: "1", name: "episodic_memory", arguments: {} }],
        },
        { role: "tool", results },
      ],
    });
    expect(asked?.query).toBe(query);
    expect(labelsIn(readEvidence(shown, readerOf(asked?.options ?? [])))).toEqual(labels);
  });

  test("computed summaries are stated labels", () => {
    const counts = task.summary.counts?.(events);
    const exact = task.summary.exact?.(events);
    if (counts === undefined || exact === undefined) return expect(task.labels).toEqual([]);
    const fromCounts = readEvidence(`${counts}\n`, oneOf(task.labels));
    expect(fromCounts.counts).toEqual(new Map(events.map(({ label }) => [label, 1])));
    expect(readEvidence(exact, oneOf(task.labels)).usual.length).toBeGreaterThan(0);
  });
});

describe("lamp1", () => {
  const task = tasks.get("lamp1");
  const input =
    'For an author who has written the paper with the title "A "quoted" title of tides", which reference is related? Just answer with [1] or [2] without explanation. [1]: "Ferries at night" [2]: "Tides and "moons""';

  test("titles with quotes, inserted titles and both options are read", () => {
    const events = eventsOf(task, [
      { title: "Tides, at last", abstract: "x" },
      { title: "Moon, and tides", abstract: "y" },
    ]);
    const prompt = task.styles.lamp?.assemble(task.question({ id: "q", input }), events, noBudget) ?? "";
    const asked = findQuestions(prompt).at(-1);
    expect(asked?.kind).toBe("reference");
    expect(asked?.optionTexts).toEqual(["Ferries at night", 'Tides and "moons"']);
    expect(asked?.inserted).toEqual(["Tides, at last", "Moon, and tides"]);
    expect(asked?.query).toContain("title of tides");
  });
});

describe("evidence under a heading behind the item", () => {
  const asked = (rest: string) =>
    readPrompt(requestOf(`Labels: [politics, travel, sports]\n\nArticle: The council votes.${rest}`));

  test("is no part of the item, and is read as evidence", () => {
    const prompt = asked(
      "\n\nSimilar articles of other users:\n1. Text: The ferry sails.\n   Category: travel\n\nAnswer.",
    );
    expect(prompt.asked?.query).toBe("The council votes.");
    expect(prompt.shown).toContain("The ferry sails.");
  });

  test.each(["\n\nPros:\n1. Fast.", "\n\nSimilar articles of this user: none.", "\nOther users:\nnone found"])(
    "headings of the item's own stay in it: %j",
    (rest) => expect(asked(rest).asked?.query).toBe(`The council votes.${rest}`),
  );
});
