import { join, resolve } from "node:path";
import pLimit from "p-limit";
import { catalogueOf } from "../../catalogue.js";
import { writeWhole } from "../../disk/whole-file.js";
import { BudgetError, ModelError, UsageError } from "../../errors.js";
import { judgeOptions } from "../../judges/options.js";
import { openModel } from "../../models/index.js";
import { pricesAt } from "../../models/prices.js";
import { RateDesk } from "../../models/rate/desk.js";
import { layered } from "../../models/wrap/layered.js";
import { complete, refuseUnknown } from "../../options.js";
import { seeded } from "../../random/seeded.js";
import type { Judgement, JudgementFacts } from "../../report/judgements/judgement.js";
import { renderJudgements } from "../../report/judgements/text.js";
import { KeyedJournal } from "../../run/keyed-journal.js";
import { lockFolder } from "../../run/lease.js";
import type { LoadedTask } from "../../run/plan.js";
import { runFiles } from "../../run/run-files.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, Judge, JudgeCase, Model, OptionValue } from "../../types.js";
import { judgementFiles, judgementsFolder } from "../common/judgements.js";
import { reloadTask } from "../common/reload-task.js";
import { openRunFolder, type RunFolder, refuseAbsent } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { demoModel } from "../run/demo-profile.js";
import { openSharedPurse } from "../run/open-purse.js";
import { sharedCaps } from "../run/purse-caps.js";
import { askJudge } from "./ask.js";
import { repliesOf, type ShownHistory, surroundingsOf } from "./cases.js";

export interface JudgeSettings {
  /** Run folder. */
  readonly run: string;
  /** Name of the way of judging. Default: `dialogue-score`, with `against` `better-reply`. */
  readonly judge?: string | undefined;
  /** `provider/model`. Default: the embedded one, SIMULATED. */
  readonly model?: string | undefined;
  /** Method whose replies all others are compared with, in both orders. */
  readonly against?: string | undefined;
  /** The data of the run, where they are not the built-in ones. */
  readonly data?: string | undefined;
  /** `judge.*` options; over those of the run. */
  readonly set?: Readonly<Record<string, OptionValue>> | undefined;
  readonly concurrency?: number | undefined;
  readonly maxCalls?: number | undefined;
  readonly maxUsd?: number | undefined;
  /** A file that runs, sweeps and judges share their caps by. */
  readonly purse?: string | undefined;
  readonly baseUrl?: string | undefined;
}

export interface JudgeResult {
  /** The tables, Markdown. */
  readonly text: string;
  /** Where journal and tables are. */
  readonly folder: string;
  readonly facts: JudgementFacts;
  readonly judgements: readonly Judgement[];
  /** Calls of this process. */
  readonly sent: number;
}

/**
 * Lets a judge go over the stored replies of a run, or go on where it was stopped. Asks no question of the run again: a judge of
 * another name, model or setting gets a journal of its own beside. Throws UsageError before the first call where something is wrong.
 */
export async function judgeRun(
  settings: JudgeSettings,
  io: Io,
  signal: AbortSignal = new AbortController().signal,
): Promise<JudgeResult> {
  const folder = openRunFolder(settings.run, io.cwd);
  const catalogue = catalogueOf(io);
  const judge = catalogue.judges.get(
    settings.judge ?? (settings.against === undefined ? "dialogue-score" : "better-reply"),
    "--judge",
  );
  refuseShape(judge, settings);
  const options = optionsOf(folder, settings);
  const cases = await casesOf(folder, options, settings, io);
  const { model, spent, close, priceOf } = await openJudge(settings, io);
  const facts: JudgementFacts = {
    judge: judge.name,
    model: model.id,
    simulated: model.simulated,
    ownReplies: folder.manifest.plan.cells.some((cell) => cell.model === model.id),
    range: judge.range,
    options,
    ...(settings.against === undefined ? {} : { against: settings.against }),
  };
  const own = join(judgementsFolder(folder.path), `${judge.name}-${contentId(facts).slice(0, 12)}`);
  const concurrency = settings.concurrency ?? 8;
  const release = locked(own, close);
  try {
    writeWhole(join(own, judgementFiles.facts), `${JSON.stringify(facts, null, 2)}\n`);
    const judgements = await judged(cases, { judge, model, own, concurrency, signal, io });
    const { cells } = folder.manifest.plan;
    const text = renderJudgements({ ...facts, usd: priceOf(judgements) }, judgements, cells, cells[0]?.seed ?? 0);
    writeWhole(join(own, judgementFiles.markdown), text);
    return { text, folder: own, facts, judgements, sent: spent() };
  } finally {
    release();
  }
}

// --- internal ---

interface Case {
  readonly head: Omit<Judgement, "key" | "judged" | "tokens" | "calls">;
  readonly shown: JudgeCase;
}

function refuseShape({ name, shows }: Judge, { against }: JudgeSettings): void {
  if (shows === 2 && against === undefined)
    throw new UsageError(`--judge ${name}: compares replies of two methods; name one with --against`);
  if (shows === 1 && against !== undefined)
    throw new UsageError(
      `--judge ${name}: looks at one reply at a time; leave --against out, or use --judge better-reply`,
    );
}

/** What was typed over what the run's cells have over the defaults. */
function optionsOf({ manifest }: RunFolder, { set = {} }: JudgeSettings): Record<string, string> {
  refuseUnknown(Object.keys(set), Object.keys(judgeOptions), "--set");
  const ofRun = Object.entries(manifest.plan.cells[0]?.options ?? {}).filter(([name]) => name in judgeOptions);
  const chosen = complete(judgeOptions, { ...Object.fromEntries(ofRun), ...set });
  return Object.fromEntries(Object.entries(chosen).map(([name, value]) => [name, String(value)]));
}

async function casesOf(
  folder: RunFolder,
  options: Readonly<Record<string, string>>,
  settings: JudgeSettings,
  io: Io,
): Promise<Case[]> {
  const { manifest, rows } = folder;
  const { cells } = manifest.plan;
  refuseAbsent(
    settings.run,
    "--against",
    settings.against,
    cells.map(({ method }) => method),
  );
  const loaded = new Map<string, LoadedTask>();
  for (const task of new Set(cells.map((cell) => cell.task))) {
    const data = await reloadTask(manifest, task, settings.data, io);
    if (data === undefined)
      throw new UsageError(
        `judge ${settings.run}: the data of ${task} are needed to show what was said; name them with --data DIR`,
      );
    loaded.set(task, data);
  }
  // Two arms have had two dialogues: what both have in common is the user's side.
  const history = settings.against === undefined ? (options["judge.history"] as ShownHistory) : "user-only";
  return cells.flatMap((cell) => {
    const replies = repliesOf(cell, rows);
    const surroundings = surroundingsOf(loaded.get(cell.task)!, cell, replies, history); // loaded above, one a task
    const other = settings.against === undefined ? undefined : otherCell(cell, cells, settings.against);
    if (settings.against !== undefined && other === undefined) return [];
    const theirs = other === undefined ? undefined : repliesOf(other, rows);
    return rows.flatMap((row): Case[] => {
      const reply = row.cell === cell.id ? replies.get(row.question) : undefined;
      const around = surroundings.get(row.question);
      if (reply === undefined || around === undefined) return [];
      const { user, question, position } = row;
      const head = { cell: cell.id, question, user, ...(position === undefined ? {} : { position }) };
      if (other === undefined) return [{ head, shown: { ...around, predictions: [reply] } }];
      const counter = theirs?.get(question);
      if (counter === undefined) return [];
      return [false, true].map((shownFirst) => ({
        head: { ...head, against: { cell: other.id, shownFirst } },
        shown: { ...around, predictions: shownFirst ? [counter, reply] : [reply, counter] },
      }));
    });
  });
}

/** The cell of that method that differs in its method only; undefined for a cell of the method itself. */
function otherCell(cell: Cell, cells: readonly Cell[], method: string): Cell | undefined {
  if (cell.method === method) return undefined;
  return cells.find(
    (other) =>
      other.method === method && other.task === cell.task && other.model === cell.model && other.repeat === cell.repeat,
  );
}

interface OpenedJudge {
  readonly model: Model;
  /** Tries of this process. */
  spent(): number;
  /** What judgements cost at list prices, US dollars; undefined where no price is known. */
  priceOf(judgements: readonly Judgement[]): number | undefined;
  close(): void;
}

async function openJudge(settings: JudgeSettings, io: Io): Promise<OpenedJudge> {
  const { model = demoModel, concurrency = 8, purse, baseUrl } = settings;
  const { maxCalls, maxUsd } = purse === undefined ? settings : {};
  const cap = settings.maxUsd ?? sharedCaps(settings, io)?.maxUsd;
  const provider = await openModel(
    model,
    { env: io.env, concurrency, ...(baseUrl === undefined ? {} : { baseUrl }) },
    catalogueOf(io).providers,
  );
  const prices = pricesAt(io.clock.now(), []);
  if (cap !== undefined && prices.ofCall(provider.id, { in: 1, out: 1 }) === undefined)
    throw new UsageError(`--max-usd ${cap}: no price is known for ${provider.id}; use --max-calls`);
  const sharedPurse = openSharedPurse(settings, { buyer: `judge of ${settings.run}`, io, tell: io.tell });
  let sent = 0;
  const random = seeded("judge/jitter");
  const stop = new AbortController();
  const paced = { concurrency, giveUpAfterMs: GIVE_UP_AFTER_MS, clock: io.clock, random, stop: stop.signal };
  const opened = layered(provider, {
    unsupported: "drop",
    desk: new RateDesk({ endpoints: {}, env: io.env, baseUrl, ...paced }),
    stop,
    store: { get: () => undefined, put: () => undefined }, // the journal of judgements is what is kept
    clock: io.clock,
    random,
    budget: {
      ...(maxCalls === undefined ? {} : { maxCalls }),
      ...(maxUsd === undefined ? {} : { maxUsd }),
      ...(sharedPurse === undefined ? {} : { sharedPurse }),
      price: (usage) => prices.ofCall(provider.id, usage),
    },
    observe: ({ attempts }) => {
      sent += attempts;
    },
  });
  const priceOf: OpenedJudge["priceOf"] = (judgements) => {
    const costs = judgements.flatMap(({ tokens, calls }) => (calls === 0 ? [] : [prices.ofCall(provider.id, tokens)]));
    return costs.some((usd) => usd === undefined) ? undefined : costs.reduce<number>((sum, usd = 0) => sum + usd, 0);
  };
  return { model: opened, spent: () => sent, priceOf, close: () => sharedPurse?.close() };
}

/** How long a judge may refuse every call. */
const GIVE_UP_AFTER_MS = 15 * 60_000;

/** Keeps other processes out of a judge's folder, which would buy the same judgements. Returns the release, which calls `close` too. */
function locked(own: string, close: () => void): () => void {
  try {
    const release = lockFolder(own);
    return () => {
      close();
      release();
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface Bench {
  readonly judge: Judge;
  readonly model: Model;
  readonly own: string;
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly io: Pick<Io, "tell">;
}

/** Every case with its judgement, in the order of the cases: those in the journal as they stand, but for failed ones. */
async function judged(
  cases: readonly Case[],
  { judge, model, own, concurrency, signal, io }: Bench,
): Promise<Judgement[]> {
  const journal = new KeyedJournal(resolve(own, judgementFiles.journal), "last");
  for (const { file, line } of journal.damage)
    io.tell(`${file} line ${line}: damaged, set aside in ${runFiles.damaged}; judged again`);
  const slots = pLimit(concurrency);
  try {
    const done = await Promise.allSettled(
      cases.map(({ head, shown }) =>
        slots(async (): Promise<Judgement> => {
          const key = contentId([judge.name, model.id, head, shown]);
          const known = journal.read<Judgement>(key);
          if (known !== undefined && known.judged.kind !== "failed") return known;
          const judgement = { key, ...head, ...(await askJudge(judge, shown, model, signal)) };
          journal.put(judgement);
          return judgement;
        }),
      ),
    );
    // Calls in flight are waited for, so that what was paid for is kept; then the first failure ends it.
    return done.map((one) => {
      if (one.status === "rejected") throw stopOf(one.reason);
      return one.value;
    });
  } finally {
    journal.close();
  }
}

/** A cap, or a refusal that ends all work, as one line: what was judged is kept. */
function stopOf(reason: unknown): unknown {
  if (!(reason instanceof BudgetError) && !(reason instanceof ModelError)) return reason;
  return new UsageError(`${reason.message}; what was judged is kept, the same command goes on from there`, {
    cause: reason,
  });
}
