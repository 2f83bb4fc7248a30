import { createServer } from "node:http";

/** An OpenAI-compatible server that answers every call with `comedy` after 50 ms. Prints its base URL. */
const reply = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 0,
  model: "bench",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "comedy" } }],
  usage: { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102 },
});
const server = createServer((request, response) => {
  request.resume();
  request.on("end", () =>
    setTimeout(() => {
      response.setHeader("content-type", "application/json");
      response.end(reply);
    }, 50),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
