import type { Population } from "./simulation/clustered-users.js";
import { type GateRates, gateRates, lossFor, marginFor } from "./simulation/gate.js";

const DEFAULT_SAMPLES = 1000;
const ALPHA = 0.05;
const POWER = 0.8;

/**
 * `npm run bench -- gate [--samples 1000]`: how often the gate passes and refuses candidates with planted losses. The margin
 * of every population is the one at which its size gives 80 % power, so a table row says what is promised of it.
 * The exit code is 1 where a rate breaks its promise by more than Monte-Carlo error (three standard errors).
 */
export async function main(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--samples");
  const samples = at < 0 ? DEFAULT_SAMPLES : Number(args[at + 1]);
  console.log(
    `${samples} gates a line, alpha ${ALPHA}; percent, Monte-Carlo error +-${(100 * errorOf(ALPHA, samples)).toFixed(1)} at 5 %, +-${(100 * errorOf(POWER, samples)).toFixed(1)} at 80 %`,
  );
  console.log(
    `a line is BROKEN beyond: three standard errors, +${percent(EDGE).trim()} where alpha is at stake, -${percent(POWER_SLACK).trim()} where power is`,
  );
  for (const population of populations) report(population, samples);
  for (const still of stills) reportStill(still, samples);
}

// --- internal ---

function report(population: Population, samples: number): void {
  const simulation = { population, repeated: 0.6, alpha: ALPHA, tasks: 1 };
  const margin = marginFor(simulation, POWER, PILOTS);
  const losses = { none: 0, margin, found: lossFor({ ...simulation, margin }, POWER, PILOTS) };
  for (const { name, loss, tasks, promised, promise } of plans) {
    const rates = gateRates({ ...simulation, tasks, margin, loss: losses[loss] }, samples, "gate");
    const kept = promise(rates, (share) => errorOf(share, samples));
    if (!kept) process.exitCode = 1;
    console.log(
      `${lineOf(population)} margin ${margin.toFixed(3)}, ${name} loss ${losses[loss].toFixed(3)}: pass ${percent(rates.pass)}  regress ${percent(rates.regress)}   ${promised}${kept ? "" : "  BROKEN"}`,
    );
  }
}

/** A candidate that mostly repeats the baseline's answers: what was not seen matters more than what was. */
function reportStill({ population, repeated }: Still, samples: number): void {
  const simulation = { population, repeated, alpha: ALPHA, tasks: 1, margin: STILL_MARGIN };
  const rates = gateRates({ ...simulation, loss: STILL_MARGIN }, samples, "gate");
  const unchanged = gateRates({ ...simulation, loss: 0 }, samples, "gate");
  const kept = rates.pass <= ALPHA + errorOf(ALPHA, samples) + EDGE && unchanged.regress <= ALPHA;
  if (!kept) process.exitCode = 1;
  console.log(
    `${lineOf(population)} margin ${STILL_MARGIN.toFixed(3)}, ${percent(repeated).trim()} % repeated, loss ${STILL_MARGIN.toFixed(3)}: pass ${percent(rates.pass)}  regress ${percent(rates.regress)}, no loss: pass ${percent(unchanged.pass)}   pass of the loss about 5 at most${kept ? "" : "  BROKEN"}`,
  );
}

interface Still {
  readonly population: Population;
  readonly repeated: number;
}

const STILL_MARGIN = 0.02;

const stills: readonly Still[] = [0.98, 1].flatMap((repeated) =>
  [
    { users: 24, questions: [3, 3] as const },
    { users: 100, questions: [1, 1] as const },
    { users: 200, questions: [1, 1] as const },
    { users: 100, questions: [3, 3] as const },
  ].map((size) => ({ population: { ...size, chance: 0.6, likeness: 0.2 }, repeated })),
);

const PILOTS = 4000;

interface Plan {
  readonly name: string;
  /** Planted: nothing, one margin, or the loss that should be found with 80 % power. */
  readonly loss: "none" | "margin" | "found";
  readonly tasks: number;
  readonly promised: string;
  promise(rates: GateRates, error: (share: number) => number): boolean;
}

/** The normal approximation behind "80 %" may be off by so much where users are few and unequal. */
const POWER_SLACK = 0.04;

const plans: readonly Plan[] = [
  {
    name: "1 task,",
    loss: "none",
    tasks: 1,
    promised: "pass about 80, regress about 5 at most",
    promise: ({ pass, regress }, error) =>
      Math.abs(pass - POWER) <= error(POWER) + POWER_SLACK && regress <= ALPHA + error(ALPHA),
  },
  {
    name: "1 task,",
    loss: "margin",
    tasks: 1,
    promised: "pass about 5 at most, regress about 5 at most",
    promise: ({ pass, regress }, error) =>
      pass <= ALPHA + error(ALPHA) + EDGE && regress <= ALPHA + error(ALPHA) + EDGE,
  },
  {
    name: "1 task,",
    loss: "found",
    tasks: 1,
    promised: "pass about 0, regress about 80",
    promise: ({ pass, regress }, error) => pass <= ALPHA && regress >= POWER - POWER_SLACK - error(POWER),
  },
  {
    name: "4 tasks, each",
    loss: "none",
    tasks: 4,
    promised: "any regress about 5 at most",
    promise: ({ regress }, error) => regress <= ALPHA + error(ALPHA),
  },
  {
    name: "4 tasks, each",
    loss: "margin",
    tasks: 4,
    promised: "pass about 5 at most, any regress about 5 at most",
    promise: ({ pass, regress }, error) => pass <= ALPHA + error(ALPHA) && regress <= ALPHA + error(ALPHA) + EDGE,
  },
];

/** What coverage of 93 instead of 95 % means for one tail. */
const EDGE = 0.01;

const populations: readonly Population[] = [
  { users: 30, questions: [1, 10], chance: 0.6, likeness: 0.2 },
  { users: 100, questions: [1, 1], chance: 0.6, likeness: 0 },
  { users: 100, questions: [1, 30], chance: 0.7, likeness: 0.3 },
];

const errorOf = (share: number, samples: number): number => 3 * Math.sqrt((share * (1 - share)) / samples);
const percent = (share: number): string => (100 * share).toFixed(1).padStart(5);
const lineOf = ({ users, questions: [low, high] }: Population): string =>
  `${String(users).padStart(3)} users x ${low}..${high}`.padEnd(19);
