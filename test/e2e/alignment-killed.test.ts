import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toChatBody } from "../../src/models/providers/openai/chat.js";
import { onChatCompletions } from "../../src/models/providers/openai/models.js";
import { quirksOf } from "../../src/models/providers/openai/quirks.js";
import { rowsOf, unitsOf } from "../../src/run/rows.js";
import { repliesIn } from "../helpers/planted-log.js";
import type { ProviderServer, ServedRequest } from "../helpers/provider-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { openaiDialect, startAgentServer } from "./agents-server.js";
import { startCli } from "./cli-process.js";
import { runHere } from "./in-process.js";
import { until } from "./until.js";

const cwd = suiteDir();
const concurrency = 4;
const users = 5;
/** Per user: a summary, three simulated runs of two turns, three gradients, one update; then two questions of two turns. */
const total = 1 + users * (1 + 3 * 2 + 3 + 1 + 2 * 2);
let server: ProviderServer;
/** Requests that are never answered. */
let hangs: (request: ServedRequest) => boolean = () => false;

beforeAll(async () => {
  server = await startAgentServer(openaiDialect, {
    fault: (request) => (hangs(request) ? { kind: "hang" } : undefined),
  });
  writeReviews(
    join(cwd, "reviews"),
    Array.from({ length: users }, (_, i) => reviewUser(`u${i + 10}`, 4)),
  );
});
afterAll(() => server.close());

const settings = { cwd, env: { ...openaiDialect.env } };
const argumentsFor = (out: string): string[] =>
  `run --task lamp3 --method persona-agent --data reviews --model openai/local --base-url ${server.url}/v1 --set wiki.mode=off --concurrency ${concurrency} --out ${out}`.split(
    " ",
  );

const bodyOf = ({ body }: Pick<ServedRequest, "body">): string => JSON.stringify(body);
const bodiesSince = (index: number): string[] => server.requests.slice(index).map(bodyOf);
/** Reviews of the past are asked about in simulations alone. */
const isSimulation = (body: string): boolean =>
  body.includes('"episodic_memory"') && /review: Review number/.test(body) && !body.includes("Question ");

/** The bodies whose replies are on disk, byte for byte as they were sent. */
function answered(out: string): Set<string> {
  const capabilities = onChatCompletions("local", false);
  const wire = { modelId: "local", quirks: quirksOf("127.0.0.1"), capabilities, cache: "auto" } as const;
  return new Set(repliesIn(join(cwd, out)).map(({ request }) => JSON.stringify(toChatBody(request, wire))));
}
const answeredSimulations = (out: string): string[] => [...answered(out)].filter(isSimulation);

test("a run killed while it aligns sends no answered call again and ends as if nothing had been", async () => {
  expect(await runHere(argumentsFor("uninterrupted"), settings)).toMatchObject({ code: 0 });
  const whole = new Set(bodiesSince(0));
  expect(server.requests).toHaveLength(total);
  expect(whole.size).toBe(total);
  expect(answered("uninterrupted")).toEqual(whole);

  const begun = server.requests.length;
  const isFeedback = (body: string): boolean => body.includes("Feedback:");
  const lost: string[] = [];
  // After so many answered simulation calls, twice, then among the gradients: the others hang until the kill.
  for (const [kind, enough] of [
    [isSimulation, 7],
    [isSimulation, 9],
    [isFeedback, 5],
  ] as const) {
    const before = server.requests.length;
    const known = before === begun ? new Set<string>() : answered("killed");
    let served = 0;
    let hanging = 0;
    hangs = (request) => {
      if (!kind(bodyOf(request)) || ++served <= enough) return false;
      hanging++;
      lost.push(bodyOf(request));
      return true;
    };
    const cli = startCli(argumentsFor("killed"), settings);
    await until(() => hanging === concurrency || cli.ended); // nothing else is in flight, and what was answered is on disk
    cli.kill("SIGKILL");
    expect(await cli.exit).toMatchObject({ signal: "SIGKILL" });
    expect(bodiesSince(before).filter((body) => known.has(body))).toEqual([]);
    expect([...answered("killed")].filter(kind).length).toBe([...known].filter(kind).length + enough);
    expect(unitsOf(join(cwd, "killed")).length).toBeLessThan(users); // alignment was not over
    expect(rowsOf(join(cwd, "killed")).length).toBeLessThan(users * 2);
  }
  expect(answeredSimulations("killed").length).toBeGreaterThanOrEqual(16);

  hangs = () => false;
  const before = server.requests.length;
  const known = answered("killed");
  expect(await runHere(argumentsFor("killed"), settings)).toMatchObject({ code: 0 });
  expect(bodiesSince(before).filter((body) => known.has(body))).toEqual([]);
  expect(known.size + server.requests.length - before).toBe(total);

  // By body: everything went out once, and once more for each time that it was lost.
  const times = countOf(bodiesSince(begun));
  const lostTimes = countOf(lost);
  expect(new Set(times.keys())).toEqual(whole);
  for (const [body, count] of times) expect(count).toBe(1 + (lostTimes.get(body) ?? 0));
  expect(comparable(join(cwd, "killed"))).toEqual(comparable(join(cwd, "uninterrupted")));
});

function countOf(bodies: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const body of bodies) counts.set(body, (counts.get(body) ?? 0) + 1);
  return counts;
}
