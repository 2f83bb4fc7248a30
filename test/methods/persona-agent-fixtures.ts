import { complete, readOptions } from "../../src/registry/options.js";
import type { Event, Json, Method, OptionTable, OptionValue, Tool } from "../../src/types/index.js";
import { type FakeKit, type FakeKitSettings, fakeKit } from "../helpers/kit.js";
import type { LoggedCall, ScriptedReply } from "../helpers/scripted-model.js";
import { ask, movie, movies } from "./workflow-fixtures.js";

export const SUMMARY = "most popular tag: comedy";
export const PERSONA = "You are the assistant of a person who laughs at heists and skips space operas.";

/** Stands in for the encyclopedia: no network. */
export const wikipedia: Tool = {
  name: "wikipedia",
  description: "encyclopedia",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  run: async () => "Page: Heist\nSummary: A robbery.",
};

export const history: readonly Event[] = [
  movie("e1", "a robbery in an opera house", "tag-one", "2019-01-01"),
  movie("e2", "two sisters cross a desert", "tag-two", "2019-02-01"),
  movie("e3", "a robot learns to dance", "tag-three", "2019-03-01"),
  movie("e4", "an island without a harbour", "tag-four", "2019-04-01"),
  movie("e5", "the last train of the war", "tag-five", "2019-05-01"),
];

export const questions = [ask("q1", "a robot robs a train"), ask("q2", "sisters on an island")];

/** What the tools have shown so far in an agent run. */
export function observations({ request }: LoggedCall): readonly string[] {
  return request.messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => content) : [],
  );
}

export const call = (name: string, query: string): ScriptedReply => ({
  stop: "tool",
  toolCalls: [{ id: `call-${name}`, name, arguments: { query } }],
});

/** The text behind `description:`: what a question is about. */
export function itemOf({ request }: LoggedCall): string {
  const [first] = request.messages;
  return first?.role === "user" ? (first.content.split("description: ").at(-1) ?? "") : "";
}

/** One agent turn of a model that uses each tool once, in the order offered, and then says `answer`. */
export function useEveryTool(logged: LoggedCall, answer: string): ScriptedReply {
  const tool = logged.request.tools?.[observations(logged).length];
  return tool === undefined ? answer : call(tool.name, itemOf(logged));
}

/** Replies by phase: tools are used once each, feedback and rewrites are fixed texts. */
export function obliging(logged: LoggedCall): ScriptedReply {
  if (logged.phase === "summary") return SUMMARY;
  if (logged.phase === "gradient") return "Mention heists.";
  if (logged.phase === "update") return PERSONA;
  return useEveryTool(logged, "comedy");
}

export interface Setup {
  readonly past?: readonly Event[];
  readonly given?: Readonly<Record<string, OptionValue>>;
  readonly script?: FakeKitSettings["script"];
  readonly tools?: readonly Tool[];
  readonly ids?: readonly string[];
}

/** Personalizes one user and answers the fixture's questions. */
export async function play<T extends OptionTable>(
  method: Method<T>,
  { past = history, given = {}, script = obliging, tools = [wikipedia], ids = ["q1", "q2"] }: Setup = {},
) {
  const armKit = fakeKit({ task: movies, script, tools });
  const options = readOptions(method.options, complete(method.options, given));
  const answerer = await method.personalize({ id: "u1", history: past }, options, armKit.kit);
  const answers: string[] = [];
  for (const question of questions.filter(({ id }) => ids.includes(id)))
    answers.push(await answerer(question, armKit.question(question.id)));
  return { armKit, answers, answerer, plan: method.plan(options), isSequential: method.sequential?.(options) };
}

type Fields = Readonly<Record<string, Json>>;

/** The noted steps of one kind. */
export function noted(armKit: FakeKit, kind: string): readonly Fields[] {
  return armKit.notes.filter((note) => note.kind === kind).map(({ data }) => data as Fields); // notes are objects
}

export const sent = (armKit: FakeKit, phase: string): readonly LoggedCall[] =>
  armKit.calls.filter((logged) => logged.phase === phase);
