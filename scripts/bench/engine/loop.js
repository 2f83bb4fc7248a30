import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import OpenAI from "openai";
import pLimit from "p-limit";
import { openEmbedder } from "../../../dist/embedders/index.js";
import { prompt } from "../../../dist/methods/prompt.js";
import { openModel } from "../../../dist/models/index.js";
import { layered } from "../../../dist/models/wrap/layered.js";
import { realClock } from "../../../dist/process-io.js";
import { seeded } from "../../../dist/random/seeded.js";
import { runArms } from "../../../dist/run/engine.js";
import { lockFolder } from "../../../dist/run/manifest.js";
import { planArms } from "../../../dist/run/plan.js";
import { ResponseStore } from "../../../dist/run/response-store.js";
import { RunRows, runFiles } from "../../../dist/run/run-rows.js";
import { tasks } from "../../../dist/tasks/index.js";

/** One measured loop in a process of its own: `loop.ts fetch|sdk|engine CALLS URL OUT`. Prints its figures as JSON. */
const concurrency = 50;
const filler = "a prompt of the size that the benchmark has, about a thousand characters in all. ".repeat(12);
const question = (i) => `Which tag? tags: [comedy, action] description: film ${i}, ${filler}`;
const [loop = "", callsText = "", url = "", out = ""] = process.argv.slice(2);
const calls = Number(callsText);

const loops = {
  async fetch() {
    const limit = pLimit(concurrency);
    return limit.map(range(), async (i) => {
      const body = JSON.stringify({
        model: "bench",
        max_tokens: 64,
        messages: [{ role: "user", content: question(i) }],
      });
      const response = await fetch(`${url}/chat/completions`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      await response.json();
    });
  },
  async sdk() {
    const client = new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 });
    const limit = pLimit(concurrency);
    return limit.map(range(), async (i) => {
      await client.chat.completions.create({
        model: "bench",
        max_tokens: 64,
        messages: [{ role: "user", content: question(i) }],
      });
    });
  },
  async engine() {
    setFlagsFromString("--heap-growing-percent=20"); // as bin/lamp-eval.js does
    const release = lockFolder(out);
    const rows = new RunRows(out);
    const store = new ResponseStore(join(out, runFiles.responses));
    const provider = await openModel("openai/bench", { env: {}, baseUrl: url, concurrency });
    const model = layered(provider, { unsupported: "error", concurrency, store, clock: realClock, random: seeded(0) });
    const others = { kind: "none", size: 0, eventsFor: () => [] };
    const dataset = { name: "bench", task: "lamp2m", users: [], files: [], ordered: true, facts: {} };
    const loaded = {
      task: tasks.get("lamp2m"),
      dataset,
      units: units(),
      others,
      given: {},
      dataOptions: {},
      remarks: [],
    };
    const arms = planArms({
      tasks: [loaded],
      methods: [prompt],
      models: [provider.id],
      runOptions: () => ({}),
      seed: 0,
      repeats: 1,
    });
    const embedder = await openEmbedder("embedded/hashed-1", { env: {} });
    const stop = new AbortController();
    const kill = new AbortController().signal;
    await runArms({
      arms,
      equip: () => ({ model, embedder, temperature: undefined }),
      tool: () => undefined,
      concurrency,
      clock: realClock,
      rows,
      stop,
      kill,
    });
    rows.finish();
    store.close();
    release();
  },
};

const startedMs = performance.now();
const cpuBefore = process.cpuUsage();
await loops[loop]?.();
const cpu = process.cpuUsage(cpuBefore);
console.log(
  JSON.stringify({
    wallMs: performance.now() - startedMs,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
);

function range() {
  return Array.from({ length: calls }, (_, i) => i);
}

/** 40 questions a user. */
function units() {
  return Array.from({ length: Math.ceil(calls / 40) }, (_, u) => ({
    id: `u${u}`,
    user: { id: `u${u}`, history: [] },
    examples: Array.from({ length: Math.min(40, calls - u * 40) }, (_, q) => {
      const i = u * 40 + q;
      return { question: posed(i), gold: "comedy" };
    }),
  }));
}

/** Texts are made when read, so that what is measured is the engine's memory, not the data's. */
function posed(i) {
  return {
    id: `q${i}`,
    get text() {
      return question(i);
    },
    content: "",
    query: "",
  };
}
