import { readdirSync, readFileSync, statSync } from "node:fs";
import { sep } from "node:path";

/** The part of the code that is tested by mutants, and the tests that shall kill them. */
export type Room = {
  /** Files, or folders with all their files, from the root of the project. */
  readonly code: readonly string[];
  /** Globs of fast tests only: each mutant runs every test that reaches it, simulations and whole commands run elsewhere. */
  readonly tests: readonly string[];
  /** The least share of mutants, in percent, that must die. */
  readonly least: number;
};

export const rooms: Readonly<Record<string, Room>> = {
  metrics: {
    code: ["src/metrics"],
    tests: ["test/metrics/**/*.test.ts"],
    least: 97,
  },
  statistics: {
    code: ["src/statistics"],
    tests: ["test/statistics/**/*.test.ts", "!test/statistics/simulations/**"],
    least: 90,
  },
  selectors: {
    code: [
      ...files("src/selectors/rums", ["entropy", "search", "label-shares", "logistic", "estimate", "plan"]),
      ...files("src/retrievers", ["k-means", "inverted-lists"]),
      "src/statistics/separation.ts",
    ],
    tests: [
      "test/selectors/{entropy,search,label-shares,logistic,rums,plan,estimate}.test.ts",
      "test/retrievers/inverted-lists.test.ts",
      "test/statistics/separation.test.ts",
    ],
    least: 90,
  },
  trained: {
    code: [
      "src/app/rums",
      ...files("src/selectors/rums", ["features", "principal", "logreg-file"]),
      "src/methods/sage/profile.ts",
      "src/memory/fact-memory.ts",
    ],
    tests: [
      "test/app/rums-*.test.ts",
      "test/selectors/{features,principal,logreg-file}.test.ts",
      "test/methods/sage.test.ts",
      "test/memory/fact-memory.test.ts",
      "test/data/profile-questions.test.ts",
    ],
    least: 90,
  },
  judgements: {
    code: files("src/report/judgements", ["wins", "scores", "win-rates", "verdict-difference", "verdict-interval"]),
    tests: ["test/report/{judgements,win-rates}.test.ts"],
    least: 90,
  },
  wrap: {
    code: ["src/models/wrap"],
    tests: ["test/models/wrap/**/*.test.ts", "!test/models/wrap/layered.test.ts"],
    least: 95,
  },
  run: {
    code: files("src/run", ["engine", "kit", "spend", "estimate", "floor", "import-rows"]),
    tests: ["test/run/**/*.test.ts"],
    least: 90,
  },
  data: {
    code: files("src/data", ["visible", "others", "cut", "selection", "units", "same-content"]),
    tests: ["test/data/{visible,others,hidden-twins,cut,selection,units,same-content,same-item}.test.ts"],
    least: 90,
  },
  report: {
    code: [
      ...files("src/report/gate", ["gate", "claims", "paired-loss", "pairs", "scored", "influence"]),
      ...files("src/report/gate", ["identical", "planner", "baseline", "result"]),
      "src/report/gate/rule-0.1.0",
      "src/report/compare",
      ...files("src/report", ["pairs", "summary", "times", "spending", "sweep"]),
      ...files("src/report/sweeps", ["ablation", "points"]),
      "src/report/per-user/per-user.ts",
      "src/report/tables/intervals.ts",
      ...files("src/report/reproduce", ["implied-counts", "implied-pair"]),
    ],
    tests: [
      "test/report/*.test.ts",
      "test/report/{gate,compare,per-user}/**/*.test.ts",
      "test/report/tables/intervals.test.ts",
      "test/report/reproduce/implied.test.ts",
      "!test/report/gate/rates.test.ts",
    ],
    least: 90,
  },
};

function files(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}.ts`);
}

/** The files of a room's code, relative to the project as its folders are. */
export function filesOf(code: readonly string[]): string[] {
  return code.flatMap(filesUnder);
}

function filesUnder(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${path}/${file.replaceAll(sep, "/")}`)
    .sort();
}

/** Gives the text of a file that any room mutates, undefined of any other. */
export function sourceOfRooms(): (file: string) => string | undefined {
  const files = new Set(Object.values(rooms).flatMap(({ code }) => filesOf(code)));
  return (file) => (files.has(file) ? readFileSync(file, "utf8") : undefined);
}
