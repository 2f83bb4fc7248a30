#!/usr/bin/env node
/**
 * A method of your own for `lamp-eval run --method exec:./mine.mjs --model PROVIDER/ID`: asks the run's model with the user's
 * last five items, so that the calls are counted, capped and stored like those of any other method.
 * The protocol is in docs/EXTENDING.md. stdout is for messages only; print anything else with console.error.
 */
let task;
const histories = new Map();
const waiting = new Map();
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

function shown({ fields, label }) {
  const text = Object.entries(fields).flatMap(([name, value]) => (name === "id" ? [] : [`${name}: ${value}`]));
  return label === undefined ? text.join("; ") : `${text.join("; ")} => ${label}`;
}

const handlers = {
  hello(message) {
    task = message.task;
    send({ type: "hello", calls: "ask" }); // it makes no others
  },
  user({ unit, history }) {
    histories.set(unit, history);
  },
  question({ id, unit, text }) {
    const past = histories.get(unit).slice(-5).map(shown).join("\n");
    const content = `What this user did before:\n${past}\n\n${text}`;
    waiting.set(`ask ${id}`, id);
    send({
      type: "ask",
      ask: `ask ${id}`,
      id,
      request: { messages: [{ role: "user", content }], maxTokens: task.maxAnswerTokens },
    });
  },
  reply({ ask, text, error }) {
    const id = waiting.get(ask);
    waiting.delete(ask);
    send(error === undefined ? { id, output: text } : { id, error });
  },
};

let pending = "";
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = (pending + chunk).split("\n");
  pending = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    handlers[message.type]?.(message);
  }
}
