import { type Plant, plant } from "./plant.js";

/** Bugs in the log of a run, and in what is made from it. */
export const logPlants: readonly Plant[] = [
  plant(
    ["test/commands/batch.test.ts"],
    "wave-lost",
    "a batch that was sent before a kill is bought again",
    'log.append({ t: "batch", id, model: queue.model.id, at: clock.now(), keys });',
    "void [id, queue, clock, keys];",
  ),
  plant(
    ["test/log/log.test.ts"],
    "settled-twice",
    "a refused call is taken off --max-calls twice: more is sent than was allowed",
    "const openTry = closeTry(state, key);",
    "const openTry = closeTry(state, key) ?? { usd: 0 };",
  ),
  plant(
    ["test/outside", "test/commands/run-resume.test.ts"],
    "retry-outside-the-cap",
    "--max-calls counts calls, not tries: a server that fails is paid for more than was allowed",
    "    (next) => capped(next, caps),",
    "    ",
    "    (next) => retried(next, settings),",
    "    (next) => capped(next, caps),\n    (next) => retried(next, settings),",
  ),
  plant(
    ["test/commands/verify.test.ts"],
    "gold-in-a-pack",
    "a pack without requests hands golds on, which the licence of the data does not let out",
    "if (requests) for (const row of rows)",
    "for (const row of rows)",
  ),
  plant(
    ["test/run/replay.test.ts"],
    "replayed-failure-sent-again",
    "a replay asks again for calls that failed, and misses them",
    "replayed?.log.state.failures.get(key)",
    "undefined",
  ),
  plant(
    ["test/commands/shards.test.ts"],
    "reuse-across-servers",
    "replies of another server, perhaps of another model by that name, are scored as this one's",
    "isDeepStrictEqual(models[id], manifest.models?.[id])",
    "isDeepStrictEqual(models[id], models[id])",
  ),
];
