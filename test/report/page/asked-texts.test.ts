import { expect, test } from "vitest";
import { askedCollector } from "../../../src/report/page/pack-transcripts.js";
import type { Cell, Row, Trace } from "../../../src/types.js";
import { ask, replyOf } from "../../helpers/model-request.js";

const cell = { id: "c", task: "lamp1", dataset: "demo" } as Cell;

/** What the list says of questions that were sent as these texts. */
function asked(...sent: readonly string[]): readonly string[] {
  const rows = sent.map((_, q) => ({ cell: "c", question: `q${q}` }) as Row);
  const collector = askedCollector([cell], rows);
  for (const [q, content] of sent.entries())
    collector.add(q, { notes: [] as Trace["notes"] } as Trace, [{ request: ask(content), reply: replyOf("") }]);
  return collector.texts().askedTexts;
}
const long = "and words that every question has ".repeat(10);

test("a long question shows what follows the shared instruction, in whole words", () => {
  const [first] = asked(
    ...["Planar graphs", "Sparse codes"].map((t) => `For an author who wrote the paper called "${t}", ${long}`),
  );
  expect(first).toMatch(/^"Planar graphs", and words .* …$/);
  expect(first).not.toMatch(/\bquestio …$/);
});

test("a long one without an instruction shows its end, where the question stands behind events", () => {
  const [, last] = asked(`"a" is ${long} review: dull`, `"b" is ${long} review: fine`);
  expect(last).toMatch(/^… \w+ .* review: fine$/);
  expect(long).toContain(` ${last?.split(" ")[1]} `);
});
