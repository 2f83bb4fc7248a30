import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seeded } from "../../src/random/seeded.js";
import { startProviderServer } from "../../test/helpers/provider-server.js";
import { chatReply } from "../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../test/helpers/review-data.js";
import { runCommandLine } from "../../test/helpers/test-io.js";
import { spoiltBytes } from "./folder.js";

/**
 * `npm run faults -- inputs [COUNT] [SEED] [PART]`: files beside run folders that commands read (whose name holds PART), spoilt at random, COUNT times
 * each: weights of RUMS, what people said, a baseline, a cassette, and a purse. Exit code 1 where a command gives a trace, where it takes other
 * bytes of a file with checks without a word, or where more calls are made than a spoilt purse allows.
 */
export async function main([count = "100", seed = "inputs", part = ""]: readonly string[]): Promise<void> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-inputs-"));
  let sent = 0;
  const server = await startProviderServer({
    forget: true,
    reply(request) {
      sent += 1;
      return chatReply(request, "5");
    },
  });
  const place = { cwd, env: { OPENAI_API_KEY: "sk-faults-0123456789" } };
  const random = seeded(seed);
  let offended = 0;
  try {
    for (const line of prepare(cwd, server.url)) {
      const { code, stderr } = await runCommandLine(line, place);
      if (code !== 0) throw new Error(`${line}: ${stderr}`);
    }
    for (const { file, line, checked = false, most } of inputs(server.url).filter(({ file }) => file.includes(part))) {
      const whole = readFileSync(join(cwd, file));
      const sound = checked ? await runCommandLine(line, place) : undefined;
      let wrong = 0;
      for (let n = 1; n <= Number(count); n++) {
        const kind = n % 4;
        writeFileSync(join(cwd, file), spoiltBytes(whole, kind, random));
        sent = 0;
        const found = await runCommandLine(line, place);
        const allowed = kind === CUT ? undefined : most;
        const offence =
          offenceOf(found, sound) ?? (allowed !== undefined && sent > allowed ? `${sent} calls` : undefined);
        rmSync(join(cwd, "out"), { recursive: true, force: true });
        if (offence === undefined) continue;
        wrong += 1;
        console.log(`${file} ${n}: ${offence}`);
      }
      writeFileSync(join(cwd, file), whole);
      console.log(`${file}: ${count} spoilt, ${wrong} offences`);
      offended += wrong;
    }
  } finally {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  }
  console.log(`${offended} offences`);
  if (offended > 0) process.exitCode = 1;
}

interface Input {
  readonly file: string;
  readonly line: string;
  /** Its records check themselves: other bytes give the same, or are told. */
  readonly checked?: boolean;
  /** Most calls that may be sent; of a file whose end is gone nothing is promised. */
  readonly most?: number;
}

const paid = (url: string, out: string): string =>
  `run --task lamp3 --method prompt --data data --model openai/m --base-url ${url}/v1 --concurrency 1 --purse lab.purse --max-calls 4 --out ${out}`;

function prepare(cwd: string, url: string): string[] {
  const users = ["ann", "bob", "cleo", "dan"];
  writeReviews(
    join(cwd, "data"),
    users.map((id) => reviewUser(id, 2, 1)),
  );
  const labels = users.map((id, at) => [`${id}-q0`, { personal: at % 2 === 0, items: [] }]);
  writeFileSync(join(cwd, "labels.json"), JSON.stringify(Object.fromEntries(labels)));
  return [
    "run --task lamp3 --method rums,prompt,rag --data data --out measured",
    "rums train measured --data data --out weights.json",
    "gate measured --method rag --write-baseline base.json",
    "cassette export measured --out taken.jsonl",
    `${paid(url, "first")} --limit 3`,
  ];
}

const inputs = (url: string): readonly Input[] => [
  {
    file: "weights.json",
    line: "run --task lamp3 --method rag --data data --set select=rums-logreg:weights.json --out out",
  },
  { file: "labels.json", line: "rums eval measured --labels labels.json" },
  { file: "base.json", line: "gate measured --method rag --baseline base.json" },
  {
    file: "taken.jsonl",
    line: "run --task lamp3 --method rums,prompt,rag --data data --replay taken.jsonl --out out",
    checked: true,
  },
  { file: "lab.purse", line: paid(url, "out"), most: 1 },
];

/** The kind of `spoiltBytes` that removes the end. */
const CUT = 1;
const TRACE = /internal error|^\s+at .*:\d+/m;

function offenceOf(
  { code, stdout, stderr }: { readonly code: number; readonly stdout: string; readonly stderr: string },
  sound: { readonly stdout: string } | undefined,
): string | undefined {
  if (TRACE.test(stderr)) return stderr;
  if (code === 2 && !/^lamp-eval: /m.test(stderr)) return `exit 2: ${stderr}`;
  return sound === undefined || code !== 0 || stdout === sound.stdout
    ? undefined
    : `exit 0, other output, and nothing is said: ${stdout}\n${stderr}`;
}
