import { describe, expect, test } from "vitest";
import { reduceCalls, reduceLevels } from "../../src/methods/sage/profile.js";
import { sage } from "../../src/methods/sage.js";
import type { Event, Json, OptionValue } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { LoggedCall, Script, ScriptedReply } from "../helpers/scripted-model.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const history = [
  movie("1", "robots in {love}", "romance", "2020-01-01"),
  movie("2", "a heist goes wrong", "action", "2020-01-01"),
  movie("3", "a quiet village", "classic", "2020-02-01"),
];

/** Names each summary after its day, and calls the tool once with `input`. */
const scripted =
  (input: Json = { query: "which tags?", user_name: "u1" }) =>
  (call: LoggedCall): ScriptedReply => {
    if (call.phase === "summary") {
      if (call.text.includes("JSON object")) return '{"tags": "PROFILE"}';
      return call.text.includes("Merge them into one summary")
        ? "MERGED"
        : `likes of ${/\((\d [^)]*2020)\)/.exec(call.text)?.[1]}`;
    }
    if (call.phase === "tool") return "KNOWN";
    const asked = call.request.messages.some(({ role }) => role === "tool");
    return asked || call.request.tools === undefined
      ? "comedy"
      : { text: "", stop: "tool", toolCalls: [{ id: "c", name: "user_preference", arguments: input }] };
  };

async function answerOne(
  given: Record<string, OptionValue> = {},
  past: Event[] = history,
  script: Script = scripted(),
) {
  const armKit = fakeKit({ task: movies, script });
  const answerer = await sage.personalize(user(...past), knobs(sage, given), armKit.kit);
  const said = await answerer(ask("q", "robots in love", "2020-03-01"), armKit.question("q"));
  return { said, armKit, answerer };
}

const of = (phase: string, { calls }: { calls: readonly LoggedCall[] }) => calls.filter((call) => call.phase === phase);
const days = (count: number) =>
  Array.from({ length: count }, (_, day) =>
    movie(`${day}`, `film ${day}`, "comedy", `2020-01-${String(day + 1).padStart(2, "0")}`),
  );

describe("sage", () => {
  test("writes one summary a day and one profile, asks the tool, answers: D + 1 + tool + A calls", async () => {
    const { armKit, said } = await answerOne();
    expect(said).toBe("comedy");
    expect(armKit.phases()).toEqual({ summary: 3, answer: 2, tool: 1 });
    expect(sage.plan(knobs(sage)).perUnit(history)).toEqual({ summary: { low: 3, high: 3 } });
    const [first] = of("summary", armKit);
    expect(first?.text).toContain("2020-01-01 | movie: robots in {love} | tag: romance\n2020-01-01 | movie: a heist");
    expect(first?.text).not.toContain("village");
    expect(of("summary", armKit).at(-1)?.text).toContain("1 February 2020: likes of 1 February 2020");
  });

  test("direct: the tool is asked the question, and its answer stands above the one answer call", async () => {
    const { armKit } = await answerOne({ "sage.mode": "direct" });
    expect(armKit.phases()).toEqual({ summary: 3, tool: 1, answer: 1 });
    expect(of("tool", armKit)[0]?.text).toContain(
      "Question about the user's preferences: Which tag? description: robots",
    );
    expect(of("answer", armKit)[0]?.request.system).toContain("KNOWN");
    expect(sage.plan(knobs(sage, { "sage.mode": "direct" })).perQuestion()).toEqual({
      tool: { low: 0, high: 1 },
      answer: { low: 1, high: 1 },
    });
  });

  test("the tool is shown the profile, the past events most alike to its query, and the query", async () => {
    const { armKit } = await answerOne(
      { "sage.k": 1 },
      history,
      scripted({ query: "a quiet village", user_name: "u1" }),
    );
    const asked = of("tool", armKit)[0]?.text ?? "";
    expect(asked).toContain('Profile of the user:\n{"tags": "PROFILE"}');
    expect(asked).toContain("2020-02-01 | movie: a quiet village | tag: classic");
    expect(asked).not.toContain("heist");
    const note = armKit.notes.find(({ kind }) => kind === "preference");
    expect(note?.data).toEqual({ query: "a quiet village", events: ["3"], answer: "KNOWN" });
  });

  test.each<[string, Json]>([
    ["a bare text", "which tags?"],
    ["one field", { query: "which tags?" }],
    ["an empty query", { query: " ", user_name: "u1" }],
    ["a list", ["which tags?", "u1"]],
    ["broken JSON", '{"query": '],
  ])("malformed input (%s) is answered by the reminder of its form and costs no call", async (_what, input) => {
    const { armKit } = await answerOne({}, history, scripted(input));
    expect(of("answer", armKit).at(-1)?.text).toContain(
      '{"query": "a question about the user\'s preferences", "user_name": "the name of the user"}',
    );
    expect(armKit.phases().tool).toBeUndefined();
    expect(armKit.incidents.get("sage-format-reminder")).toBe(1);
  });

  test("of a user without a past nothing is known, which is said without a call", async () => {
    const { armKit } = await answerOne({}, []);
    expect(armKit.phases()).toEqual({ answer: 2 });
    expect(of("answer", armKit).at(-1)?.text).toContain("no information");
    expect(armKit.incidents.get("fallback=no-memory")).toBe(1);
    expect(sage.plan(knobs(sage)).perUnit([])).toEqual({});
  });

  test.each([1, 7, 20, 21, 31])(
    "%i days are merged in the planned number of calls, none of which takes more than 20",
    async (count) => {
      const { armKit } = await answerOne({}, days(count));
      const calls = of("summary", armKit);
      expect(calls).toHaveLength(count + reduceCalls(count));
      expect(sage.plan(knobs(sage)).perUnit(days(count)).summary).toEqual({ low: calls.length, high: calls.length });
      for (const { text } of calls.slice(count)) expect(text.split(/^.* 2020: /m).length - 1).toBeLessThanOrEqual(20);
    },
  );

  test.each([
    [0, 0, 1],
    [1, 1, 1],
    [20, 1, 1],
    [21, 2, 2], // one group, the one left over as it is, the profile
    [22, 3, 2],
    [40, 3, 2],
    [401, 22, 3],
  ])("%i days are merged in %i calls on %i levels", (count, calls, levels) => {
    expect([reduceCalls(count), reduceLevels(count)]).toEqual([calls, levels]);
  });

  test.each([
    ['{"tags": "a"}', undefined],
    ['```json\n{"tags": "a"}\n```', undefined],
    ['```json{"tags": "a"}```', undefined],
    ['```\n{"tags": "a"}```', undefined],
    ['```json\n```json\n{"tags": "a"}\n```', 1], // a mark within is no mark around
    ['```json\n{"tags": "a"}\n```\n```', 1],
    ['["tags"]', 1],
    ["null", 1],
    ['"tags"', 1],
    ["The user likes {} films", 1],
  ])("a profile %j is counted as no JSON object: %s", async (text, count) => {
    const script = (call: LoggedCall) =>
      call.phase === "summary" && call.text.includes("JSON object") ? text : scripted()(call);
    const { armKit } = await answerOne({}, history, script);
    expect(armKit.incidents.get("sage-profile-not-json")).toBe(count);
  });

  test("what is learned is remembered, and only what it changes is written again", async () => {
    const { armKit, answerer } = await answerOne({ "sage.k": 1 }, days(3));
    const before = of("summary", armKit).length;
    await answerer.learn?.(movie("new", "wolves of the north", "classic", "2020-02-09"), armKit.question("q"));
    const again = of("summary", armKit).slice(before);
    expect(again).toHaveLength(2);
    expect(again[0]?.text).toContain("wolves of the north");
    expect(again[0]?.text).not.toContain("film 0");
    expect(again[1]?.text).toContain("1 January 2020: likes");
    const range = sage.plan(knobs(sage)).perLearned?.().summary;
    expect(range?.low).toBeLessThanOrEqual(2);
    expect(range?.high).toBeGreaterThanOrEqual(2);
    await answerer(ask("q2", "wolves", "2020-03-01"), armKit.question("q2"));
    expect(armKit.notes.at(-2)?.data).toMatchObject({ events: expect.any(Array) });
  });

  test("a failed summary is the raw text, and a profile that is no JSON is counted", async () => {
    const plain = (call: LoggedCall) => (call.phase === "summary" ? "" : scripted()(call));
    const { armKit } = await answerOne({}, history, plain);
    expect(armKit.incidents.get("sage-summary-fallback")).toBe(3);
    expect(armKit.incidents.get("sage-profile-not-json")).toBe(1);
    expect(of("tool", armKit)[0]?.text).toContain("Profile of the user:\n2020-01-01 | movie: robots in {love}");
  });
});
