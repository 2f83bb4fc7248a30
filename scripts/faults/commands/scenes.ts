import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProviderServer, startProviderServer } from "../../../test/helpers/provider-server.js";
import { chatReply } from "../../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";
import { runCommandLine } from "../../../test/helpers/test-io.js";

/** A command that writes, in a folder of its own. */
export interface Scene {
  readonly name: string;
  readonly line: string;
  /** What of the world is copied into its folder; all else is read from `..`. */
  readonly needs: readonly string[];
  /** What it prints depends on what it finds. */
  readonly tellsWhatWasThere?: boolean;
  /** A fault is what it finds: it ends with exit code 1, or names the run that it could not read in its page. */
  readonly findsFaults?: boolean;
  /** Changes the copies. */
  prepare?(folder: string): void;
}

/** A folder with data, finished runs and what else commands read, and a server of replies. */
export interface World {
  readonly cwd: string;
  readonly scenes: readonly Scene[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-commands-"));
  const server = await startProviderServer({
    reply: (request) => (request.path.endsWith("/embeddings") ? undefined : chatReply(request, "5")),
    record: (path) => (path.endsWith("_outputs.json") ? { task: "LaMP_3", golds: OFFERED } : OFFERED),
    forget: true,
  });
  const env = { OPENAI_API_KEY: "sk-faults-0123456789" };
  writeInputs(cwd);
  const served = `--set embedder=openai/small --set embedder.baseUrl=${server.url}/v1`;
  for (const line of [...runLines, `run --task lamp3 --method rums --data many ${served} --out served`]) {
    const { code, stderr } = await runCommandLine(line, { cwd, env });
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
  }
  return {
    cwd,
    env,
    scenes: scenesWith(server),
    async close() {
      await server.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

const users = ["ann", "bob"];
/** As many as a map of personas needs. */
const MAPPED = ["ann", "bob", "cleo", "dan"];
/** What the server has for `data download`. */
const OFFERED = [{ id: "q1", input: "review: x", output: "5" }];
const agent = "persona-agent-wo-action";

/** Runs and files that scenes begin with. */
const runLines = [
  `run --task lamp3 --method prompt,pag,graph-rag,${agent} --data data --out r`,
  `run --task lamp3 --method ${agent} --data many --out crowd`,
  "run --task lamp3 --method rums,prompt,rag --data many --out measured",
  "gate r --method pag --write-baseline base.json",
  "cassette export r --out taken",
  ...[1, 2].map((shard) => `run --task lamp3 --method prompt,pag --data data --shard ${shard}/2 --out part-${shard}`),
];

function writeInputs(cwd: string): void {
  const people = users.map((id) => reviewUser(id, 2, 1));
  writeReviews(join(cwd, "data"), people);
  writeReviews(
    join(cwd, "many"),
    MAPPED.map((id) => reviewUser(id, 2, 1)),
  );
  const ids = users.map((id) => `${id}-q0`);
  const golds = (output: string): string =>
    JSON.stringify({ task: "LaMP_3", golds: ids.map((id) => ({ id, output })) });
  writeFileSync(join(cwd, "fours.json"), golds("4"));
  writeFileSync(join(cwd, "golds.json"), golds("5"));
  const values = ids.map((id) => ({ id, value: 0.5 }));
  writeFileSync(join(cwd, "own.json"), JSON.stringify({ better: "higher", most: 1, values }));
  writeFileSync(join(cwd, "sweep.yaml"), "task: lamp3\nmethod: rag\nsweep: { rag.k: [1, 2] }\n");
  const labels = MAPPED.map((id, at) => [`${id}-q0`, { personal: at % 2 === 0, items: [] }]);
  writeFileSync(join(cwd, "labels.json"), JSON.stringify(Object.fromEntries(labels)));
  const wild = { conversation_hash: "w1", language: "English", conversation: [{ role: "user", content: "What now?" }] };
  writeFileSync(join(cwd, "queries.jsonl"), `${JSON.stringify(wild)}\n`);
  writeFileSync(join(cwd, "people.jsonl"), `${JSON.stringify({ id: "ann", age: "30", job: "baker" })}\n`);
  mkdirSync(join(cwd, "official"));
  const asked = ids.map((id, i) => ({ id, user_id: users[i], input: "review: x", profile: people[i]?.profile }));
  writeFileSync(join(cwd, "official", "train_questions.json"), JSON.stringify(asked));
  writeFileSync(join(cwd, "official", "train_outputs.json"), golds("5"));
}

function scenesWith({ url }: ProviderServer): Scene[] {
  const hosted = `--data ../data --model openai/m --base-url ${url}/v1 --concurrency 1 --out r`;
  const searched = "run --task lamp2m --method react --users 1 --limit 1 --concurrency 1 --out r";
  const scene = (name: string, line: string, ...needs: string[]): Scene => ({ name, line, needs });
  return [
    scene("run", `run --task lamp3 --method prompt,pag ${hosted}`),
    scene("run, searches", searched),
    scene(
      "run, all kinds of files",
      `run --task lamp3 --method graph-rag,${agent} --data ../data --concurrency 1 --out r`,
    ),
    scene("run --online", `run --task lamp3 --method prompt,pag --online ${hosted}`),
    scene(
      "run --replay",
      "run --task lamp3 --method prompt,pag --data ../data --replay ../taken --concurrency 1 --out r",
    ),
    scene("sweep", `sweep grid --config ../sweep.yaml ${hosted}`),
    scene("run --shard", "run --task lamp3 --method prompt --data ../data --shard 1/2 --concurrency 1 --out r"),
    scene(
      "run --shared-only",
      "run --task lamp3 --method graph-rag --data ../data --shared-only --concurrency 1 --out r",
    ),
    scene("merge", "merge ../part-1 ../part-2 --out r"),
    scene("import", "import --task lamp3 --data ../data --name mine --predictions ../fours.json --out r"),
    scene("import --run", "import --run ../r --method pag --metric own=../own.json --data ../data --out again"),
    scene("cassette export", "cassette export ../r --out taken"),
    scene("cassette export, packed", "cassette export ../r --out packed.jsonl.gz"),
    { ...scene("cassette import", "cassette import ../taken --out again"), tellsWhatWasThere: true },
    scene("report --html", "report r --html", "r"),
    { ...scene("report of several --html", "report ../r ../crowd --html"), findsFaults: true },
    scene("report --figures", "report r --figures", "r"),
    ...["markdown", "latex", "csv", "json"].map((form) =>
      scene(`report --format ${form}`, `report ../r --format ${form} --out tables.${form}`),
    ),
    scene("rescore --write", "rescore ../r --data ../data --write --out rescored"),
    {
      ...scene("verify --accept-edit", "verify r --accept-edit tried", "r"),
      prepare: (folder) => writeFileSync(join(folder, "r", "responses.jsonl"), ""),
    },
    scene("persona --map", "persona crowd --map --jaccard", "crowd"),
    scene("graph --export", "graph ../r --data ../data --export gexf --out graph.gexf"),
    scene("graph --picture", "graph ../r --data ../data --picture picture.svg --user ann"),
    scene("gate --write-baseline", "gate ../r --method pag --write-baseline base.json"),
    scene("gate", "gate ../r --method pag --baseline ../base.json --junit junit.xml --summary summary.md"),
    scene(
      "score --output",
      "score --task lamp3 --predictions ../fours.json --golds ../golds.json --output scored.json",
    ),
    scene("judge", "judge r --data ../data --concurrency 1", "r"),
    scene("judge, paid", `judge r --data ../data --model openai/m --base-url ${url}/v1 --concurrency 1`, "r"),
    ...["official", "csv", "parquet"].map((form) =>
      scene(`export --form ${form}`, `export ../r --form ${form} --out tables`),
    ),
    scene("init", "init --yes --out mine.yaml"),
    { ...scene("doctor", "doctor --offline --model offline/lexical --out found.json"), findsFaults: true },
    scene("rums calibrate", "rums calibrate ../measured"),
    scene("rums train", "rums train ../measured --data ../many --out weights.json"),
    scene("rums train, paid vectors", "rums train ../served --data ../many --out weights.json"),
    scene("rums eval", "rums eval ../measured --labels ../labels.json"),
    scene("rums questions", "rums questions --queries ../queries.jsonl --profiles ../people.jsonl --out asked"),
    {
      ...scene("data download", `data download lamp3 --part dev --base-url ${url}/data/ --out fetched`),
      tellsWhatWasThere: true,
    },
    scene("data prepare", "data prepare --task lamp3 --from ../official --out prepared --users 1"),
  ];
}

/** A fresh folder for a scene, with its copies. */
export function stage({ cwd }: World, { needs, prepare }: Scene, name: string): string {
  const folder = join(cwd, name);
  mkdirSync(folder);
  for (const need of needs) cpSync(join(cwd, need), join(folder, need), { recursive: true });
  prepare?.(folder);
  return folder;
}
