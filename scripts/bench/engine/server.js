import { createServer } from "node:http";
import { createInterface } from "node:readline";

/**
 * An OpenAI-compatible server that answers every call with `comedy` after 50 ms. Prints its base URL; then, for every line
 * on its input, when the first call since the last line came and when the last answer was sent, milliseconds since the epoch.
 */
const reply = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 0,
  model: "bench",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "comedy" } }],
  usage: { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102 },
});
let served = { calls: 0, firstMs: 0, lastMs: 0 };
const server = createServer((request, response) => {
  if (served.calls === 0) served.firstMs = Date.now();
  served.calls += 1;
  request.resume();
  request.on("end", () =>
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(reply);
      served.lastMs = Date.now();
    }, 50),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
createInterface({ input: process.stdin }).on("line", () => {
  console.log(JSON.stringify(served));
  served = { calls: 0, firstMs: 0, lastMs: 0 };
});
