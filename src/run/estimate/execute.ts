import { requestKey } from "../../log/entry.js";
import { furtherModels, modelOf } from "../../registry/further-models.js";
import { readOptions } from "../../registry/options.js";
import { sha256 } from "../../text/content-id.js";
import type { Embedder, Model, PhaseAt, Usage } from "../../types/index.js";
import { runArms } from "../engine.js";
import type { EngineSettings } from "../engine-settings.js";
import type { ToolOf } from "../kit.js";
import { type FindReply, withReplies } from "../outside/pretended.js";
import { isFromStore } from "../outside/store.js";
import { runOptions } from "../plan/options.js";
import type { Arm } from "../plan/types.js";

/** US dollars of a usage of a model; undefined where no price is known. */
export type PriceOf = (model: string, usage: Usage) => number | undefined;

/** Calls with their tokens and US dollars. */
export interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
}

export const NOTHING: Load = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** The dollars of a sum with a part of unknown price are unknown. */
export const plus = (a: Load, b: Load): Load => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

export const times = ({ calls, tokensIn, tokensOut, usd }: Load, factor: number): Load => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

/** What calls are made for. */
type Part = "shared" | "user" | "question";
export type Times = Readonly<Record<Part, number>>;

/** A question, the preparation of a user, or what all users share. */
const placeOf = (unit: string, question: string | undefined): string =>
  question === undefined ? unit : `${unit}\t${question}`;

interface Call {
  readonly unit: string;
  readonly question: string | undefined;
  readonly phase: PhaseAt;
  readonly isNew: boolean;
  readonly isAtHand: boolean;
}

/** What an arm asked. */
export class Counts {
  /** Calls without a reply at hand, and those of them that were asked before. */
  readonly #asked = new Map<string, { part: Part; phase: PhaseAt; all: Load; repeated: Load }>();
  readonly #replies = new Map<PhaseAt, { calls: number; tokensOut: number }>();
  readonly #isAnswered = new Map<string, boolean>();
  /** The most tokens of one call. */
  longest = { in: 0, out: 0 };
  atHand = 0;

  add({ unit, question, phase, isNew, isAtHand }: Call, load: Load): void {
    const place = placeOf(unit, question);
    this.#isAnswered.set(place, isAtHand && this.#isAnswered.get(place) !== false);
    if (isAtHand) {
      const { calls, tokensOut } = this.#replies.get(phase) ?? NOTHING;
      this.#replies.set(phase, { calls: calls + 1, tokensOut: tokensOut + load.tokensOut });
      this.atHand += 1;
      return;
    }
    const part = unit === "" ? "shared" : question === undefined ? "user" : "question";
    const { all, repeated } = this.#asked.get(`${part} ${phase}`) ?? { all: NOTHING, repeated: NOTHING };
    this.#asked.set(`${part} ${phase}`, {
      ...{ part, phase, all: plus(all, load) },
      repeated: isNew ? repeated : plus(repeated, load),
    });
    this.longest = { in: Math.max(this.longest.in, load.tokensIn), out: Math.max(this.longest.out, load.tokensOut) };
  }

  /** Whether all that a place asks is answered; undefined where it asks nothing. */
  isAnswered(unit: string, question?: string): boolean | undefined {
    return this.#isAnswered.get(placeOf(unit, question));
  }

  /** Mean tokens of the replies at hand; undefined where they are too few. */
  replyTokens(phase: PhaseAt): number | undefined {
    const { calls, tokensOut } = this.#replies.get(phase) ?? NOTHING;
    return calls < FEWEST_REPLIES ? undefined : tokensOut / calls;
  }

  of(phase: PhaseAt, isShared: boolean, each = ONCE): Load {
    const mine = [...this.#asked.values()].filter((one) => one.phase === phase && (one.part === "shared") === isShared);
    return mine.reduce((sum, { part, all }) => plus(sum, times(all, each[part])), NOTHING);
  }

  /** `repeated`: calls that an earlier one answers; `sent`: the others. */
  sum(which: "sent" | "repeated", each = ONCE): Load {
    return [...this.#asked.values()].reduce((sum, { part, all, repeated }) => {
      const load = which === "repeated" ? repeated : plus(all, times(repeated, -1));
      return plus(sum, times(load, each[part]));
    }, NOTHING);
  }
}

const ONCE: Times = { shared: 1, user: 1, question: 1 };
const FEWEST_REPLIES = 5;

export interface EstimateMeans {
  /** Returns the model of an id, for its abilities: it is never called. */
  readonly model: (id: string) => Model;
  /** Replies in the models' place. */
  readonly answers: Model;
  readonly bytesPerToken: (model: string) => number;
  /** Returns replies at hand. */
  readonly find: FindReply;
  /** `standsFor`: the embedder in whose place this one is taken; it would retrieve other things, so its requests equal no others. */
  readonly embedder: (arm: Arm) => { readonly embedder: Embedder; readonly standsFor?: string };
  readonly tool: ToolOf;
  /** Texts of the files that options name. */
  readonly files?: ReadonlyMap<string, string>;
  readonly online?: boolean;
  readonly price: PriceOf;
}

interface Execution {
  readonly model: (id: string, arm: Arm) => Model;
  /** Tokens of a reply; undefined: as the model says. */
  readonly tokensOut?: (arm: Arm, phase: PhaseAt) => number | undefined;
  /** Whether requests count as equal only where the replies before them are, too: filled replies are alike where real ones differ. */
  readonly byHistory: boolean;
}

/** Returns what each arm asked, by cell. */
export async function executed(
  arms: readonly Arm[],
  means: EstimateMeans,
  { model, tokensOut, byHistory }: Execution,
): Promise<Map<string, Counts>> {
  const armOf = new Map(arms.map((arm) => [arm.cell.id, arm]));
  const counts = new Map(arms.map(({ cell }) => [cell.id, new Counts()]));
  const asked = new Set<string>();
  const before = new Map<string, string[]>();
  const onAsk: NonNullable<EngineSettings["onAsk"]> = (request, { cell, unit, question, phase }) => {
    const arm = armOf.get(cell)!; // it asks
    const place = placeOf(unit, question);
    const history = byHistory ? [...new Set(["", unit, place])].flatMap((at) => before.get(`${cell} ${at}`) ?? []) : [];
    const id = modelOf(phase, arm.cell);
    const key = sha256([requestKey(id, request), ...history.sort(), means.embedder(arm).standsFor ?? ""].join());
    const isNew = !asked.has(key);
    asked.add(key);
    return (reply) => {
      if (byHistory) before.set(`${cell} ${place}`, [...(before.get(`${cell} ${place}`) ?? []), key]);
      const out = tokensOut?.(arm, phase) ?? reply.usage.out;
      const usd = means.price(id, { ...reply.usage, out });
      const load = { calls: 1, tokensIn: reply.usage.in, tokensOut: out, usd };
      counts.get(cell)!.add({ unit, question, phase, isNew, isAtHand: isFromStore(reply) }, load);
    };
  };
  const stop = new AbortController();
  const ignored = (): void => undefined;
  const reason = await runArms({
    arms,
    equip(arm) {
      const own = (id: string): Model => withReplies(model(id, arm), means.find);
      const further = Object.entries(furtherModels(arm.cell)).map(([role, id]) => [role, own(id)] as const);
      const { temperature } = readOptions(runOptions, arm.cell.options);
      const { embedder } = means.embedder(arm);
      return { model: own(arm.cell.model), further: Object.fromEntries(further), embedder, temperature };
    },
    concurrency: 1,
    tool: means.tool,
    online: means.online === true,
    rows: {
      row: (row) => void before.delete(`${row.cell} ${placeOf(row.unit, row.question)}`),
      unit: ignored,
      trace: ignored,
    },
    ...(means.files === undefined ? {} : { files: means.files }),
    stop,
    kill: stop.signal,
    onAsk,
  });
  if (reason !== undefined) throw reason;
  return counts;
}
