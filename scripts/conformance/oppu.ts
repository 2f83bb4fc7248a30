import { rankBm25 } from "../../src/retrievers/bm25.js";
import { tasks } from "../../src/tasks/index.js";
import type { OppuStyle } from "../../src/tasks/styles/oppu.js";
import { historyLine, isOppuStyle } from "../../src/tasks/styles/oppu.js";
import { firstWords } from "../../src/text/words.js";
import type { Event, PromptStyle, Task } from "../../src/types/index.js";
import { difference, type Outcome } from "./section.js";
import { textFields } from "./text-fields.js";

/** OPPU's test prompts for every k and with a profile text, training pairs and requests for a profile; one outcome per prompt. */
export function* oppu(vectors: unknown): Iterable<Outcome> {
  for (const [index, vector] of (vectors as readonly OppuVector[]).entries())
    for (const { name, failure } of outcomes(vector)) yield { name: `#${index} ${vector.task_name} ${name}`, failure };
}

interface OppuVector {
  readonly task_name: string;
  readonly user: {
    readonly profile: readonly Readonly<Record<string, unknown>>[];
    readonly query: readonly { readonly id: string; readonly input: string }[];
  };
  readonly k?: Readonly<Record<string, readonly TestPrompt[]>>;
  readonly pag_k1?: readonly TestPrompt[];
  readonly train_k1?: readonly TrainingPair[];
  readonly profile_prompt?: string;
}
interface TestPrompt {
  readonly id: string;
  readonly prompt: string;
}
interface TrainingPair {
  readonly prompt: string;
  readonly full_prompt: string;
}

const PROFILE = "most popular tag: <x>\n";
/** Words per field in training and in requests for a profile. Source: OPPU.py, gen_profile.py. */
const TRAINING_MAX_WORDS = 768;
const PROFILE_MAX_WORDS = 200;

function* outcomes(vector: OppuVector): Iterable<Outcome> {
  const task = tasks.get(vector.task_name);
  const style = oppuStyleOf(task);
  const events = vector.user.profile.map((item) => task.event(textFields(item)));
  const questions = new Map(vector.user.query.map(({ id, input }) => [id, task.question({ id, input })]));
  const test = (expected: TestPrompt, k: number, prefix: string): Outcome => {
    const question = questions.get(expected.id)!;
    const shown = retrieved(style, events, style.document, style.query(question), k);
    const prompt = style.assemble(question, shown, { prefix, maxTokens: 0 });
    return { name: `${expected.id} k=${k}`, failure: difference(prompt, expected.prompt) };
  };
  for (const [k, prompts] of Object.entries(vector.k ?? {}))
    for (const expected of prompts) yield test(expected, Number(k), "");
  for (const expected of vector.pag_k1 ?? []) yield test(expected, 1, PROFILE);
  for (const [index, expected] of (vector.train_k1 ?? []).entries())
    yield { name: `train ${index}`, failure: difference(trainingPair(style, events, index), expected) };
  if (vector.profile_prompt !== undefined)
    yield { name: "profile", failure: profile(style, events, vector.profile_prompt) };
}

function retrieved(
  style: OppuStyle,
  events: readonly Event[],
  document: (event: Event) => string,
  query: string,
  k: number,
): Event[] {
  const { order } = rankBm25(
    events.map((event) => style.tokenize(document(event))),
    style.tokenize(query),
  );
  return [...order.slice(0, k)].map((index) => events[index]!);
}

/** The pair for one profile item: retrieval sees earlier items only, and the first has none. */
function trainingPair(style: OppuStyle, events: readonly Event[], index: number): TrainingPair {
  const { strings } = style;
  const event = events[index]!;
  const text = firstWords(event.content, TRAINING_MAX_WORDS);
  const document = (past: Event): string => historyLine(strings, past, TRAINING_MAX_WORDS);
  const shown = index === 0 ? [] : retrieved(style, events.slice(0, index), document, strings.query(text), 1);
  const history = shown.length === 0 ? "" : `${shown.map(document).join("")}\n`;
  const prompt = history + (strings.trainingPrompt ?? strings.prompt)(text);
  return { prompt, full_prompt: `${prompt} ${firstWords(event.label ?? "", TRAINING_MAX_WORDS)}` };
}

/** How many items the request was made from is not stated: some number of first items must give it exactly. */
function profile(style: OppuStyle, events: readonly Event[], expected: string): string | undefined {
  const requests = events.map((_, index) => style.profile(events.slice(0, index + 1), PROFILE_MAX_WORDS));
  return requests.includes(expected) ? undefined : difference(requests.at(-1), expected);
}

function oppuStyleOf(task: Task): OppuStyle {
  const style: PromptStyle | undefined = task.styles.oppu;
  if (style === undefined || !isOppuStyle(style)) throw new Error(`${task.name} has no style oppu`);
  return style;
}
