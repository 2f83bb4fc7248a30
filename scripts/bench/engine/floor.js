import OpenAI from "openai";
import pLimit from "p-limit";
import { question } from "./texts.js";

/** A loop that only calls: `floor.js http|sdk CALLS URL`. Nothing is stored. */
const [loop = "", calls = "0", url = ""] = process.argv.slice(2);
const body = (i) => ({ model: "bench", max_tokens: 64, messages: [{ role: "user", content: question(i) }] });
const client = loop === "sdk" ? new OpenAI({ apiKey: "none", baseURL: url, maxRetries: 0 }) : undefined;

const ask = {
  async http(i) {
    const response = await fetch(`${url}/chat/completions`, {
      method: "POST",
      body: JSON.stringify(body(i)),
      headers: { "content-type": "application/json" },
    });
    await response.json();
  },
  async sdk(i) {
    await client?.chat.completions.create(body(i));
  },
}[loop];

const limit = pLimit(50);
await limit.map(
  Array.from({ length: Number(calls) }, (_, i) => i),
  ask,
);
