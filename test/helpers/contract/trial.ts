import { dataOptions } from "../../../src/data/options.js";
import { seenOf } from "../../../src/data/others.js";
import { openEmbedder } from "../../../src/embedders/index.js";
import { openModel } from "../../../src/models/index.js";
import { planArms } from "../../../src/plan/arms.js";
import type { Arm, LoadedTask } from "../../../src/plan/types.js";
import { complete, inArm, readOptions } from "../../../src/registry/options.js";
import { runArms } from "../../../src/run/engine.js";
import { noModel } from "../../../src/run/models.js";
import { contentId } from "../../../src/text/content-id.js";
import type {
  Dataset,
  Embedder,
  Method,
  Model,
  ModelRequest,
  OptionValue,
  Row,
  Task,
  Tool,
  Trace,
  Unit,
  UnitRecord,
} from "../../../src/types/index.js";

export interface Subject {
  readonly task: Task;
  readonly method: Method;
  /** Options of method, data and run, by dotted name; what is not given has its default. */
  readonly given?: Readonly<Record<string, OptionValue>>;
  readonly online: boolean;
}

/** Something that a method asked from outside of it. */
interface Request {
  readonly to: "model" | "embedder" | "tool";
  /** The whole request, byte for byte. */
  readonly text: string;
  /** What a model would read. Empty for others. */
  readonly shown: string;
}

/** What was asked during one step, in no order: steps are in order, requests of a step may be side by side. */
export interface Step {
  /** `prepare UNIT`, `answer QUESTION`, `learn QUESTION`; `between` for what belongs to none. */
  readonly name: string;
  readonly requests: readonly Request[];
}

/** What a run left. */
export interface Trial {
  readonly steps: readonly Step[];
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  readonly traces: readonly Trace[];
  readonly arm: Arm;
}

interface TrialSettings {
  /** Whose questions are asked. Absent: all users'. */
  readonly user?: string;
  /** Stops when so many questions are answered. Absent: when all are. */
  readonly answers?: number;
  readonly concurrency?: number;
  /** Units in the order in which they are begun. Absent: as they come. */
  readonly order?: (units: readonly Unit[]) => readonly Unit[];
}

/** Runs a method over a data set with the engine and the embedded model, in memory, and keeps every request. */
export async function runTrial(subject: Subject, dataset: Dataset, settings: TrialSettings = {}): Promise<Trial> {
  const recorder = openRecorder();
  const stop = new AbortController();
  let answered = 0;
  const method = recorder.watched(subject.method, () => {
    answered += 1;
    if (answered === settings.answers) stop.abort(ENOUGH);
  });
  const arm = armOf({ ...subject, method }, dataset, settings);
  const [rows, units, traces]: [Row[], UnitRecord[], Trace[]] = [[], [], []];
  const [model, embedder] = await Promise.all([lexical, hashed]);
  const tools = new Map((method.needs?.(arm.options).tools ?? []).map((name) => [name, recorder.tool(name)]));
  const reason = await runArms({
    arms: [arm],
    modelsOf: () => ({ model: recorder.model(model), embedder: recorder.embedder(embedder), temperature: TEMPERATURE }),
    tool: (name) => tools.get(name),
    concurrency: settings.concurrency ?? 1,
    online: subject.online,
    stop,
    kill: new AbortController().signal,
    rows: {
      row: (row) => void rows.push(row),
      unit: (unit) => void units.push(unit),
      trace: (trace) => void traces.push(trace),
    },
  });
  if (reason !== undefined && reason !== ENOUGH) throw reason;
  return { steps: recorder.steps(), rows, units, traces, arm };
}

/** The arm that a run over this data set would have. */
function armOf(
  { task, method, given = {}, online }: Subject,
  dataset: Dataset,
  { user, order = (units) => units }: Pick<TrialSettings, "user" | "order"> = {},
): Arm {
  const knobs = complete(dataOptions, given);
  const { units, others } = seenOf(dataset, task, readOptions(dataOptions, knobs), online);
  const asked = order([...units].filter((unit) => user === undefined || unit.user.id === user));
  const questions = asked.reduce((sum, { examples }) => sum + examples.length, 0);
  const loaded: LoadedTask = {
    task,
    dataset,
    units: asked,
    questions,
    others,
    given,
    dataOptions: inArm(dataOptions, knobs, task),
    remarks: [],
  };
  const { arms } = planArms(
    { seed: 0, repeats: 1, online: online === true },
    { loaded: [loaded], methods: [method], models: [{ id: MODEL, capabilities: noModel.capabilities }] },
  );
  const [arm] = arms;
  method.check?.(arm!.options, task);
  return arm!; // one task, method, model, point and repeat
}

const MODEL = "offline/lexical";
const TEMPERATURE = 0.1;
const ENOUGH = "enough is answered";
const lexical = openModel(MODEL, { env: {}, concurrency: 1 });
const hashed = openEmbedder("embedded/hashed-1", { env: {} });

/** Stands between a method and all that it can ask. */
function openRecorder() {
  const steps: { name: string; requests: Request[] }[] = [{ name: "between", requests: [] }];
  const keep = (to: Request["to"], text: string, shown = ""): void =>
    void steps.at(-1)!.requests.push({ to, text, shown });
  const during = async <T>(name: string, job: () => Promise<T>): Promise<T> => {
    steps.push({ name, requests: [] });
    try {
      return await job();
    } finally {
      steps.push({ name: "between", requests: [] });
    }
  };
  return {
    steps: () => steps.filter(({ name, requests }) => name !== "between" || requests.length > 0),
    model: (model: Model): Model => ({
      ...model,
      complete(request, signal) {
        keep("model", JSON.stringify(request), shownBy(request));
        return model.complete(request, signal);
      },
    }),
    embedder: (embedder: Embedder): Embedder => ({
      ...embedder,
      embed(texts) {
        for (const text of texts) keep("embedder", text);
        return embedder.embed(texts);
      },
    }),
    tool: (name: string): Tool => ({
      name,
      description: "Looks one topic up. Input: the name of the topic.",
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
      async run(input) {
        keep("tool", JSON.stringify([name, input]));
        return `Page ${contentId([name, input]).slice(0, 8)} of a made-up lexicon.`;
      },
    }),
    /** The same method, with a mark in the record wherever it is called. */
    watched: (method: Method, onAnswer: () => void): Method => ({
      ...method,
      async personalize(user, options, kit) {
        const inner = await during(`prepare ${user.id}`, () => method.personalize(user, options, kit));
        const answerer: Awaited<ReturnType<Method["personalize"]>> = async (question, handed) => {
          try {
            return await during(`answer ${question.id}`, () => inner(question, handed));
          } finally {
            onAnswer();
          }
        };
        const { learn, observe } = inner;
        if (learn !== undefined)
          answerer.learn = (event, handed) => during(`learn ${event.id}`, () => learn(event, handed));
        if (observe !== undefined)
          answerer.observe = (turn, asked, handed) => during(`learn ${turn.id}`, () => observe(turn, asked, handed));
        return answerer;
      },
    }),
  };
}

function shownBy({ system = "", messages }: ModelRequest): string {
  const texts = messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ content }) => content) : [message.content],
  );
  return [system, ...texts].join("\n");
}
