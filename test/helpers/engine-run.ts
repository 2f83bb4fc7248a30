import { poolOf } from "../../src/data/others.js";
import type { Arm } from "../../src/plan/types.js";
import type { EngineSettings } from "../../src/run/engine.js";
import { runArms } from "../../src/run/engine.js";
import { tasks } from "../../src/tasks/index.js";
import type {
  Answerer,
  AskRequest,
  Example,
  Kit,
  Method,
  Row,
  Sequence,
  Trace,
  Unit,
  UnitRecord,
  User,
} from "../../src/types/index.js";
import { wordEmbedder } from "./kit.js";
import { replyOf, scripted } from "./model-request.js";

/** What the engine handed over, in order. */
export interface EngineRun {
  readonly reason: unknown;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  readonly traces: readonly Trace[];
}

/** Rates `5`, and asks nothing. */
export const silent: Method = {
  name: "planted",
  summary: "",
  source: "",
  options: {},
  personalize: async () => async () => "5",
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
};

/** A method that answers so, and prepares nothing. */
export const answering = (answer: Answerer, more: Partial<Method> = {}): Method =>
  personalizing(async () => answer, more);

/** A method that prepares each user so. */
export const personalizing = (
  personalize: (kit: Kit, user: User) => Promise<Answerer>,
  more: Partial<Method> = {},
): Method => ({ ...silent, ...more, personalize: (user, _, kit) => personalize(kit, user) });

/** A request of one message. */
export const says = (text: string): AskRequest => ({ messages: [{ role: "user", content: text }] });

/** Asks the model the question's id and gives back what it says. */
export const asking: Answerer = async ({ id }, kit) => (await kit.ask("answer", says(id))).text;

/** Promises that are kept by hand. */
export function gates() {
  const open = new Map<string, () => void>();
  return {
    waits: (name: string) => new Promise<void>((resolve) => void open.set(name, resolve)),
    open: (name: string) => open.get(name)?.(),
    waiting: () => [...open.keys()],
  };
}

/** Lets everything happen that waits for nothing. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A user of LaMP-3 with these questions, whose golds are all 5. */
export function ratingUnit(id: string, questions: readonly string[], more: Partial<Unit["user"]> = {}): Unit {
  const examples = questions.map(
    (name): Example => ({ question: { id: name, text: name, content: name, query: name }, gold: "5" }),
  );
  return { id, user: { id, history: [], ...more }, examples };
}

/** One arm on these units. */
export function armOf(method: Method, units: Sequence<Unit>, repeat = 0): Arm {
  const task = tasks.get("lamp3");
  const arm = {
    id: `c${repeat}`,
    task: task.name,
    dataset: "d",
    method: method.name,
    model: "test/scripted",
    options: {},
    seed: 0,
    repeat,
  };
  const dataset = { name: "d", task: task.name, users: [], files: [], ordered: true, facts: {} };
  const others = poolOf([], { kind: "none", askers: [], dated: false });
  return {
    spec: arm,
    method,
    options: {},
    loaded: { task, dataset, units, questions: units.length, others, given: {}, dataOptions: {}, remarks: [] },
  };
}

/** Runs the arms with a model that says 5, and keeps what comes of it. */
export async function runEngine(
  arms: readonly Arm[],
  more: Partial<Omit<EngineSettings, "rows">> & {
    readonly rows?: Partial<EngineSettings["rows"]>;
    readonly model?: ReturnType<typeof scripted>;
  } = {},
): Promise<EngineRun> {
  const { rows: known, model = scripted(() => replyOf("5")), ...settings } = more;
  const kept = {
    rows: [] as Row[],
    units: [] as UnitRecord[],
    traces: [] as Trace[],
  };
  const reason = await runArms({
    arms,
    modelsOf: () => ({ model, embedder: wordEmbedder, temperature: undefined }),
    tool: () => undefined,
    concurrency: 1,
    stop: new AbortController(),
    kill: new AbortController().signal,
    ...settings,
    rows: {
      row: (row) => void kept.rows.push(row),
      unit: (record) => void kept.units.push(record),
      trace: (trace) => void kept.traces.push(trace),
      ...known,
    },
  });
  return { reason, ...kept };
}
