import { rankBm25 } from "../../src/retrievers/bm25.js";
import { recencyOrder } from "../../src/retrievers/recency.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, PromptStyle, Question, Task } from "../../src/types/index.js";
import { difference, type Outcome } from "./section.js";
import { textFields } from "./text-fields.js";

/** LaMP's retrieval texts, BM25 order and assembled prompts; one outcome per stated fact. */
export function* query(vectors: unknown): Iterable<Outcome> {
  for (const [index, vector] of (vectors as readonly QueryVector[]).entries())
    for (const { name, failure } of outcomes(vector)) yield { name: `#${index} ${vector.task} ${name}`, failure };
}

interface QueryVector {
  readonly task: string;
  readonly input: string;
  readonly profile: readonly Readonly<Record<string, unknown>>[];
  readonly query?: string;
  readonly corpus_first?: string;
  readonly bm25_scores?: readonly number[];
  readonly bm25_order_ids?: readonly string[];
  readonly recency_order_ids?: readonly string[];
  readonly aip?: readonly {
    readonly k: number;
    readonly max_length: number;
    readonly retriever: string;
    readonly prompt: string;
  }[];
  readonly aip_recency_mix_ranked?: string;
}

const SCORE_TOLERANCE = 1e-9;
/** `recency_contriever` on a profile ranked by BM25: its first k/2, then the newest k/2, under the script's default budget. */
const MIX = { k: 4, maxTokens: 512 };

function* outcomes(vector: QueryVector): Iterable<Outcome> {
  const task = tasks.get(vector.task);
  const style = lampStyleOf(task);
  const events = vector.profile.map((item) => task.event(textFields(item)));
  const question = task.question({ id: "q", input: vector.input });
  const searched = officialQuery(task, question, style);
  const documents = events.map((event) => style.document(event));
  yield* fact("query", searched, vector.query);
  yield* fact("corpus_first", documents[0], vector.corpus_first);

  const { scores, order } = rankBm25(documents.map(style.tokenize), style.tokenize(searched));
  const bm25 = [...order].map((index) => events[index]!);
  yield* fact("bm25_scores", [...scores], vector.bm25_scores, SCORE_TOLERANCE);
  yield* fact("bm25_order_ids", ids(bm25), vector.bm25_order_ids);
  const dated = vector.recency_order_ids !== undefined;
  const newest = dated ? recencyOrder(events.map(({ date }) => date)).map((index) => events[index]!) : [];
  yield* fact("recency_order_ids", ids(newest), vector.recency_order_ids);

  const prompt = (shown: readonly Event[], maxTokens: number): string => style.assemble(question, shown, { maxTokens });
  for (const { k, max_length, retriever, prompt: expected } of vector.aip ?? []) {
    const ranked = retriever === "recency" ? newest : bm25;
    yield* fact(`aip ${retriever} k=${k} max_length=${max_length}`, prompt(ranked.slice(0, k), max_length), expected);
  }
  const mix = [...bm25.slice(0, MIX.k / 2), ...newest.slice(0, MIX.k / 2)];
  yield* fact("aip_recency_mix_ranked", prompt(mix, MIX.maxTokens), vector.aip_recency_mix_ranked);
}

/** Nothing where the vector does not state the fact. */
function* fact(name: string, actual: unknown, expected: unknown, tolerance = 0): Iterable<Outcome> {
  if (expected !== undefined) yield { name, failure: difference(actual, expected, tolerance) };
}

const ids = (events: readonly Event[]): string[] => events.map(({ id }) => id);

/** What a run searches with under history.visible=as-shipped. */
const officialQuery = (task: Task, question: Question, style: PromptStyle): string =>
  task.officialQuery?.(question.text) ?? style.query(question);

function lampStyleOf(task: Task): PromptStyle {
  const style = task.styles.lamp;
  if (style === undefined) throw new Error(`${task.name} has no style lamp`);
  return style;
}
