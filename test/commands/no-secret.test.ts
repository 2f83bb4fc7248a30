import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandGroups } from "../../src/commands/commands.js";
import { main } from "../../src/commands/main.js";
import { realClock } from "../../src/commands/terminal.js";
import { type ProviderServer, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { chatReply } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { testIo } from "../helpers/test-io.js";

/** Addresses write some of its signs otherwise, and so does JSON. */
const key = 'sk-plant/9+x=7&Zz"q\\0123456789';
/** Stands in the query of the model's address. */
const addressKey = "address-plant-0123456789";
/** What must be found nowhere. */
const forms = [key, addressKey].flatMap((secret) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  encodeURIComponent(secret).toLowerCase(),
]);
/** As a server, a program or a file might say it. */
const echo = `key ${key}, ${encodeURIComponent(key)}, ${JSON.stringify(key)}`;

const cwd = suiteDir();
const users = ["u1", "u2", "u3", "u4"];
const env = { OPENAI_API_KEY: key, PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(":") };
/** Files that this test writes itself. */
const planted = new Set(["predictions.json", "verdicts.jsonl"]);
/** Every command line of this file. */
const given: string[] = [];
const child = fileURLToPath(new URL("../fixtures/exec/child.mjs", import.meta.url));
let server: ProviderServer;
let failing: string | undefined;

beforeAll(async () => {
  server = await startProviderServer({
    fault: () => (failing === undefined ? undefined : { kind: "status", status: 400, message: failing }),
    reply: (request) => chatReply(request, reply(request)),
  });
  writeReviews(
    join(cwd, "reviews"),
    users.map((user) => reviewUser(user)),
  );
  const ids = users.flatMap((user) => [`${user}-q0`, `${user}-q1`]);
  const golds = (output: string) => JSON.stringify({ task: "LaMP_3", golds: ids.map((id) => ({ id, output })) });
  writeFileSync(join(cwd, "predictions.json"), golds(`4 ${echo}`));
  writeFileSync(join(cwd, "fours.json"), golds("4"));
  writeFileSync(join(cwd, "golds.json"), golds("5"));
  writeFileSync(join(cwd, "sweep.yaml"), "task: lamp3\nmethod: rag\nsweep: { rag.k: [1, 2] }\n");
  const labels = users.map((user, at) => [`${user}-q0`, { personal: at % 2 === 0, items: [] }]);
  writeFileSync(join(cwd, "labels.json"), JSON.stringify(Object.fromEntries(labels)));
  const wild = { conversation_hash: "w1", language: "English", conversation: [{ role: "user", content: "What now?" }] };
  writeFileSync(join(cwd, "queries.jsonl"), `${JSON.stringify(wild)}\n`);
  writeFileSync(join(cwd, "people.jsonl"), `${JSON.stringify({ id: "ann", age: "30", job: "baker" })}\n`);
  writeFileSync(
    join(cwd, "verdicts.jsonl"),
    `${JSON.stringify({ id: "u1-q0", a: "rums", b: "none", winner: echo })}\n`,
  );
  mkdirSync(join(cwd, "official"));
  const asked = ids.map((id) => ({
    id,
    user_id: id.slice(0, 2),
    input: "review: x",
    profile: reviewUser("u").profile,
  }));
  writeFileSync(join(cwd, "official", "train_questions.json"), JSON.stringify(asked));
  writeFileSync(join(cwd, "official", "train_outputs.json"), golds("5"));
});
afterAll(() => server.close());

/** Ratings, summaries and personas, each with the key beside. */
const reply = (request: ServedRequest): string =>
  JSON.stringify(request.body).includes("most common")
    ? `most common positive score: 5 ${echo}, ${addressKey}`
    : `5 ${echo}, ${addressKey}`;

async function run(line: string | readonly string[]): Promise<number> {
  const args = typeof line === "string" ? line.split(" ") : line;
  given.push(args.join(" "));
  const io = { ...testIo({ cwd, env, argv: args }), clock: realClock }; // a program's time is real
  const code = await main(args, io);
  const said = [...io.printed, ...io.messages].join("\n");
  expect(said, String(line)).not.toContain("internal error");
  for (const form of forms) expect(said, String(line)).not.toContain(form);
  return code;
}

/** Every file below a folder, packed ones unpacked, by path. */
function textsBelow(folder: string): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return textsBelow(path);
    const bytes = readFileSync(path);
    return [[path, (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("latin1")] as [string, string]];
  });
}

test("no command writes or prints a key that a server, a program or a file echoes, in any of its forms", async () => {
  const model = () => `--data reviews --model openai/m --base-url ${server.url}/v1?api-key=${addressKey}`;
  const asks = [
    `run --task lamp3 --method rag,pag,prompt,graph-rag,persona-agent-wo-action ${model()} --out r`,
    `run --task lamp3 --method rag,pag --online ${model()} --out online`,
    `run --task lamp3 --method rums,prompt,rag ${model()} --out measured`,
    `sweep grid --config sweep.yaml ${model()} --out swept`,
    ...[1, 2].map((shard) => `run --task lamp3 --method prompt ${model()} --shard ${shard}/2 --out part-${shard}`),
  ];
  for (const line of asks) expect([0, 1], line).toContain(await run(line)); // 1: no reply with such an echo can be read
  const hex = Buffer.from(`5 ${echo}`).toString("hex");
  const program = `exec:node "${child}" echo ${hex}`;
  await run(["run", "--task", "lamp3", "--data", "reviews", "--method", program, "--out", "program"]);
  failing = `no: ${echo}, ${addressKey}`;
  await run(`run --task lamp3 --method prompt ${model()} --limit 1 --out refused`);
  await run(`run --task lamp3 --method rag ${model()} --max-failed 1 --out refused-too`);
  failing = undefined;
  await run(`import --task lamp3 --data reviews --name mine --predictions predictions.json --out imported`);
  const lines = [
    "show r --preparation",
    "show program",
    "show imported",
    "report r",
    ...["markdown", "latex", "csv", "json", "html"].map((form) => `report r --format ${form} --out tables.${form}`),
    ...["markdown", "latex", "csv", "json", "html"].map((form) => `report imported --format ${form}`),
    "report r --html",
    "report r --figures cost",
    "report r --wide",
    "report swept --html",
    "compare r --methods rag,prompt",
    "compare r --methods rag,prompt --json",
    "gate r --method rag --write-baseline base.json",
    "gate r --method rag --baseline base.json --junit junit.xml --summary summary.md",
    "export r --form pack --out packed.jsonl.gz",
    "export r --form pack --without-requests --out bare.jsonl.gz",
    "verify packed.jsonl.gz --data reviews",
    "verify r --data reviews",
    "verify r --data reviews --json",
    "data prepare --task lamp3 --from official --out prepared --users 1",
    "data audit --task lamp3 --data reviews",
    "init tickets",
    "score --task lamp3 --predictions fours.json --golds golds.json --output scored.json",
    "reproduce personaagent/T2 --run r",
    "run --config sweep.yaml --dry-run",
    "list options",
    "list --json",
    "list rag",
    "completion bash",
    "export r --form official --out handed",
    "export r --form csv --out rows.csv",
    `judge r ${model()}`,
    `judge r --against rag ${model()}`,
    "doctor --model offline/lexical --json",
    `run --task lamp3 --method prompt ${model()} --reuse part-1 --reuse part-2 --out joined`,
    "rums train measured --threshold",
    "rums train measured --threshold --json",
    "rums train measured --data reviews --out weights.json",
    "rums eval measured --labels labels.json",
    "data prepare --task profile-questions --from queries.jsonl --profiles people.jsonl --out asked",
  ];
  for (const line of lines) expect([0, 1], line).toContain(await run(line)); // 1: no reply with such an echo can be read
  expect(await run("rums eval measured --labels labels.json --verdicts verdicts.jsonl")).toBe(2); // it names what it cannot read
  expect(await run(`data download lamp3 --base-url not-an-address?api-key=${addressKey} --out fetched`)).toBe(2);
  expect(await run(`worker --workers postgres://lamp:${addressKey}@127.0.0.1:9/lamp`)).toBe(3); // nothing listens there
  await run(["doctor", program]);
  expect(await run("data audit --task lamp3 --data reviews")).toBe(0);
  await run(
    "run --task lamp3 --method rag,pag --data reviews --model openai/m --replay packed.jsonl.gz --out replayed",
  );
  const written = textsBelow(cwd).filter(([path]) => !planted.has(basename(path)));
  for (const [path, text] of written)
    for (const form of forms) expect(text.includes(form), `${path}: ${form}`).toBe(false);
  for (const name of ["r/report.html", "junit.xml", "summary.md", "base.json", "packed.jsonl.gz"])
    expect(existsSync(join(cwd, name)), name).toBe(true);
  for (const out of ["r", "program", "refused", "imported"])
    expect(readFileSync(join(cwd, out, "rows.jsonl"), "utf8"), out).toContain("[redacted]"); // so the key did arrive
});

test("the search knows every command of the help", async () => {
  const io = testIo({ cwd });
  const names: string[] = [];
  const commands = Object.values(commandGroups).flatMap((group) => Object.entries(group));
  for (const [name, { load }] of commands) {
    const command = await load(io);
    if (command.commands.length === 0 || command.registeredArguments.length > 0) names.push(name);
    names.push(...command.commands.map((part) => `${name} ${part.name()}`));
  }
  const unseen = names.filter((name) => !given.some((line) => line === name || line.startsWith(`${name} `)));
  expect(unseen).toEqual([]);
});
