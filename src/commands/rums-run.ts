import { type HumanLabels, labelOf, readLabels } from "../data/profile-questions/labels.js";
import { UsageError } from "../errors.js";
import { notesOf, type UtilitiesNote } from "../notes/note.js";
import type { Io } from "../plan/io.js";
import type { StoredRun } from "../record/stored-run.js";
import { armLabel, settingsApart } from "../results/arms.js";
import { deviation, groupBy, meanOf } from "../results/samples.js";
import type { Choice } from "../results/selections.js";
import { areaUnderRoc, youdenCut } from "../results/separation.js";
import type { ArmSpec, Row } from "../types/index.js";

/** A question of a run and the utilities that RUMS measured for it. */
export interface Measured {
  readonly spec: ArmSpec;
  readonly user: string;
  readonly question: string;
  readonly utilities: UtilitiesNote;
}

const keyOf = ({ arm, question }: { readonly arm: string; readonly question?: string | undefined }) =>
  `${arm}\t${question}`;

/** Returns the utilities of first repeats, in the order of the file. Throws UsageError where there are none. */
export function utilitiesIn(run: StoredRun): Measured[] {
  const users = new Map(run.rows.map((row) => [keyOf(row), row.user]));
  const measured = [...run.traces()].flatMap(({ arm: id, question, notes }): Measured[] => {
    const arm = run.arm(id);
    const user = users.get(keyOf({ arm: id, question }));
    const [utilities] = notesOf(notes, "utilities");
    const isFirst = arm !== undefined && arm.repeat === 0;
    if (!isFirst || utilities === undefined || user === undefined || question === undefined) return [];
    return [{ spec: arm, user, question, utilities }];
  });
  if (measured.length > 0) return measured;
  throw new UsageError(
    `${run.name}: RUMS measured nothing here; make a run with --method rums, or with --set select=rums`,
  );
}

/**
 * Returns a method's name with its selector, and with the settings that tell it from other arms of both:
 * `rag select=rums (rums.tokens=100)`.
 */
export function armName({ task, method, model, options }: ArmSpec, arms: readonly ArmSpec[]): string {
  const selector = options.select === undefined ? "" : ` select=${options.select}`;
  const peers = arms.filter(
    (other) => other.task === task && other.method === method && other.options.select === options.select,
  );
  const others = peers.map((other) => ({ model: other.model, ...other.options }));
  return armLabel({ method: `${method}${selector}`, variant: settingsApart({ model, ...options }, others) });
}

/** Returns what each arm chose for questions with labels, first repeats alone, in the order of the plan. */
export function choicesOf(
  run: StoredRun,
  known: HumanLabels,
): { readonly spec: ArmSpec; readonly choices: readonly Choice[] }[] {
  const { manifest, rows } = run;
  const spends = new Map(rows.map((row) => [keyOf(row), row.spend]));
  const seconds = new Map([...run.timings()].map(({ ms, ...of }) => [keyOf(of), ms / 1000]));
  const chosen = [...run.traces()].flatMap(({ arm, question, notes }) => {
    const [events] = notesOf(notes, "retrieved");
    return question === undefined || events === undefined ? [] : [{ arm, question, notes, events }];
  });
  const shown = new Map(chosen.map((one) => [keyOf(one), one.events.length]));
  const promptOf = ({ task, model }: ArmSpec, question: string) => [task, model, question].join("\t");
  /** By question, the fewest prompt tokens of any arm that showed no event: some methods add other text. */
  const plain = new Map<string, number>();
  for (const row of rows) {
    const arm = run.arm(row.arm);
    const tokens = row.spend.answer?.in;
    if (arm === undefined || tokens === undefined || (shown.get(keyOf(row)) ?? 0) > 0) continue;
    const prompt = promptOf(arm, row.question);
    plain.set(prompt, Math.min(tokens, plain.get(prompt) ?? tokens));
  }
  return manifest.identity.arms.flatMap((arm) => {
    if (arm.repeat > 0) return [];
    const ofArmId = chosen.filter((one) => one.arm === arm.id);
    const choices = ofArmId.flatMap(({ question, notes, events }): Choice[] => {
      const label = labelOf(question, known);
      if (label === undefined) return [];
      const key = keyOf({ arm: arm.id, question });
      const [utilities] = notesOf(notes, "utilities");
      const plainTokens = plain.get(promptOf(arm, question));
      const spend = spends.get(key) ?? {};
      return [{ question, label, events, utilities, spend, plainTokens, seconds: seconds.get(key) }];
    });
    return choices.length === 0 ? [] : [{ spec: arm, choices }];
  });
}

/**
 * Finds thresholds for `rums.threshold` of each task and arm by Youden's J. Questions gain from the history by the labels, else
 * where `rag` of the run is right and `prompt` is not. Throws UsageError where nothing says it.
 */
export function thresholds(
  run: StoredRun,
  measured: readonly Measured[],
  labels: string | undefined,
  io: Pick<Io, "cwd">,
) {
  const known = readLabels(labels, io.cwd);
  return [...groupBy(measured, ({ spec }) => spec.id).values()].map((ofArm) => {
    const { spec, utilities } = ofArm[0]!; // groups are never empty
    const name = `${spec.task}, ${armName(spec, run.manifest.identity.arms)}`;
    const [prompt, rag] = ["prompt", "rag"].map((method) => {
      const peer = run.manifest.identity.arms.find(
        (one) => one.method === method && one.task === spec.task && one.model === spec.model && one.repeat === 0,
      );
      const rows = run.rows.filter((row) => row.arm === peer?.id);
      return new Map(rows.map((row) => [row.question, isRight(row)]));
    });
    const flips = (question: string): boolean | undefined => {
      const [plain, informed] = [prompt!.get(question), rag!.get(question)];
      return plain === undefined || informed === undefined ? undefined : !plain && informed;
    };
    const usesLabels = labels !== undefined || ofArm.every(({ question }) => flips(question) === undefined);
    const gains = usesLabels ? (question: string) => labelOf(question, known)?.personal : flips;
    const samplesOf = (some: readonly Measured[]) => {
      const best = (wanted: boolean) =>
        some.flatMap(({ question, utilities }) => (gains(question) === wanted ? (utilities.best ?? []) : []));
      return { high: best(true), low: best(false) };
    };
    const samples = samplesOf(ofArm);
    if (samples.high.length + samples.low.length === 0)
      throw new UsageError(
        `nothing says which questions of ${name} gain from the history; give --labels FILE, or run --method rums,prompt,rag`,
      );
    const users = [...groupBy(ofArm, ({ user }) => user)].flatMap(([user, ofUser]) => {
      const threshold = youdenCut(samplesOf(ofUser))?.threshold;
      return threshold === undefined ? [] : [[user, threshold] as const];
    });
    const ofUsers = users.map(([, threshold]) => threshold);
    return {
      ...{ name, model: String(spec.options["model.reference"] ?? spec.model) },
      entropy: utilities.entropy,
      ...{ gains: samples.high.length, others: samples.low.length },
      youden: youdenCut(samples),
      area: areaUnderRoc(samples),
      /** RUMS, figure 24: of users with questions of both kinds. */
      byUser:
        users.length < 2
          ? undefined
          : { mean: meanOf(ofUsers), deviation: deviation(ofUsers), users: Object.fromEntries(users) },
    };
  });
}

/** Returns whether an answer is its gold; undefined where that cannot be told. */
function isRight({ outcome, gold }: Row): boolean | undefined {
  if (gold === undefined || outcome.kind === "failed") return undefined;
  return outcome.kind === "answered" && (outcome.lenient ?? outcome.reply.trim()) === gold;
}
