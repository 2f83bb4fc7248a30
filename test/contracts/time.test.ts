import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { integer } from "../../src/registry/options.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, Method, OptionTable } from "../../src/types/index.js";
import { type Finding, memoryFindings, showsItsPast, timeFindings, wideOptions } from "../helpers/contract/time.js";
import type { Subject } from "../helpers/contract/trial.js";

/*
 * No answer depends on what is not known when it is asked. Planted in the source one by one, each of these turns this file red:
 * - the engine lets a gold enter memory before its question is answered (run/engine.ts);
 * - a past shows the question itself under its id, its text under another id, or what is later (data/units.ts);
 * - a stream starts from what the first or the last question may see, not from what all may see (data/units.ts);
 * - the pool of other users has no date test, holds the text of a test question, or holds a test user as a training user
 *   (data/others.ts);
 * - graph-rag's weights and communities are made over the whole pool (memory/graph/shared-graph.ts), or it finds later events of other
 *   users (memory/graph/semantic-context.ts);
 * - a learned gold is forgotten, or is shown for the newest question only (engine, memory of a method).
 * `npm run mutants` plants the first of each kind again.
 */

interface Known {
  readonly rule: Finding["rule"];
  /** Absent: all of them. */
  readonly method?: string;
  readonly task?: string;
  readonly reason: string;
}

/** What fails today, with its reason. An entry that no longer fails must go. */
const known: readonly Known[] = [
  {
    rule: "memory",
    task: "lamp7",
    reason:
      "what is learned from an answered question holds the text that was asked, not the tweet that the user wrote",
  },
];

const knownFor = (rule: Finding["rule"], { method, task }: Pick<Subject, "method" | "task">) =>
  known.find(
    (entry) =>
      entry.rule === rule && (entry.method ?? method.name) === method.name && (entry.task ?? task.name) === task.name,
  );

const wide = (method: Method) => ({ others: "all", ...wideOptions({ method }) });
const subjects = tasks.all.flatMap((task) =>
  methods.all
    .filter((method) => method.unfit?.(task) === undefined)
    .map((method): Omit<Subject, "online"> => ({ task, method, given: wide(method) })),
);
const named = (list: typeof subjects) =>
  list.map((subject) => [subject.task.name, subject.method.name, subject] as const);
const bothWays = async (subject: Omit<Subject, "online">): Promise<Finding[]> => [
  ...(await timeFindings({ ...subject, online: false })),
  ...(await timeFindings({ ...subject, online: true })),
];
const kept = (rule: Finding["rule"]) => named(subjects.filter((subject) => knownFor(rule, subject) === undefined));

describe("what is asked up to an answer depends on nothing that comes later", () => {
  test.each(kept("time"))("%s %s", async (_task, _method, subject) => expect(await bothWays(subject)).toEqual([]));
});

describe("what shows its past shows every gold that it has learned", () => {
  test.each(kept("memory"))("%s %s", async (_task, _method, subject) =>
    expect(await memoryFindings({ ...subject, online: true })).toEqual([]),
  );

  test("most methods with a memory are seen to show it", async () => {
    const shows = async (subject: (typeof subjects)[number]) => showsItsPast({ ...subject, online: false });
    const onTags = subjects.filter(({ task }) => task.name === "lamp2m");
    const seen = await Promise.all(
      onTags.map(async (subject) => ((await shows(subject)) ? [subject.method.name] : [])),
    );
    expect(seen.flat()).toEqual(expect.arrayContaining(["rag", "pag", "membank", "persona-agent", "graph-rag"]));
  });
});

test.each(known)("a known exception still is one: $rule, $method $task", async (entry) => {
  const own = subjects.filter((subject) => knownFor(entry.rule, subject) === entry);
  const findings = await Promise.all(
    own.map((subject) => (entry.rule === "time" ? bothWays(subject) : memoryFindings({ ...subject, online: true }))),
  );
  expect(findings.flat().length).toBeGreaterThan(0);
});

describe("the contract can fail", () => {
  const task = tasks.get("lamp2m");
  const method = (name: string): Method => methods.get(name);

  test.each([
    ["rag", { "history.visible": "as-shipped" }],
    ["pag", { "history.visible": "as-shipped" }],
    ["membank", { "history.visible": "as-shipped" }],
    ["icl", { "others.visible": "all" }],
    ["graph-rag", { "graph.asOf": "run" }],
  ])("%s with %j sees what it should not", async (name, leak) => {
    const given = { ...wide(method(name)), ...leak };
    expect((await timeFindings({ task, method: method(name), given, online: false })).length).toBeGreaterThan(0);
  });

  test("a method that reads the pool past its date test is found out", async () => {
    const peeking = methodOf((user, kit) =>
      kit.others.events.filter(({ owner }) => owner !== user.id).map(({ event }) => event),
    );
    const asking = methodOf((user, kit, date) => kit.others.eventsFor(user.id, date).map(({ event }) => event));
    const subject = { task, given: { others: "all" }, online: false };
    expect(await timeFindings({ ...subject, method: asking })).toEqual([]);
    expect((await timeFindings({ ...subject, method: peeking })).length).toBeGreaterThan(0);
  });

  test("a method that keeps what it learned from one run to the next is found out", async () => {
    const kept: Event[] = [];
    const keeping = methodOf(
      () => kept,
      (event) => kept.push(event),
    );
    expect((await timeFindings({ task, method: keeping, online: true })).length).toBeGreaterThan(0);
  });

  test("a method that shows its past and does not learn is found out", async () => {
    const forgetful = methodOf((user) => user.history);
    expect(await timeFindings({ task, method: forgetful, online: true })).toEqual([]);
    const findings = await memoryFindings({ task, method: forgetful, online: true });
    expect(findings.map(({ text }) => text)).toContainEqual(expect.stringMatching(/question 2 .* question 1 /));
  });
});

/** A method that shows the events of `recall` in front of the question. */
function methodOf(
  recall: (
    user: Parameters<Method["personalize"]>[0],
    kit: Parameters<Method["personalize"]>[2],
    date?: string,
  ) => readonly Event[],
  onLearn?: (event: Event) => void,
): Method {
  const options: OptionTable = { "planted.k": integer({ default: 4, help: "none" }) };
  return {
    name: "planted",
    summary: "made for a test",
    source: "this test",
    options,
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
    async personalize(user, _options, unitKit) {
      const answerer: Awaited<ReturnType<Method["personalize"]>> = async (question, kit) => {
        const shown = recall(user, kit, question.date).map((event) => unitKit.task.formatEvent(event));
        const content = [...shown, question.text].join("\n");
        return (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;
      };
      if (onLearn !== undefined) answerer.learn = async (event) => onLearn(event);
      return answerer;
    },
  };
}
