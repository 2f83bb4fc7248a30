import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Io } from "../io.js";

/** Writes a small task of one's own, to be changed into the real one: `own.yaml` and `rows.jsonl`. Throws UsageError where one is there. */
export function writeOwnExample(folder: string, { cwd }: Io): readonly string[] {
  const files = Object.entries({ "own.yaml": TASK, "rows.jsonl": ROWS });
  const paths = files.map(([name]) => join(resolve(cwd, folder), name));
  const there = paths.find((path) => existsSync(path));
  if (there !== undefined) throw new UsageError(`${there}: is there already; name another folder`);
  for (const [at, [, text]] of files.entries()) writeWhole(paths[at]!, text);
  return paths;
}

const TASK = `# A task of your own: what is asked, and how an answer is scored. lamp-eval run --task own.yaml --data rows.jsonl --method prompt,rag
name: support-tickets
kind: label # label (one of labels), rating (a whole number of range: {from: 1, to: 5}) or text
labels: [billing, delivery, account]
question: "Which team does this ticket go to? Answer with one of these options and nothing else. options: {labels} ticket: {input}"
item: ticket # what one past item is called, and what is answered
answer: team
`;

const ROWS = `${[
  {
    user: "ann",
    history: [
      { text: "my card was charged twice", label: "billing", date: "2026-01-05" },
      { text: "the parcel has not come", label: "delivery", date: "2026-02-11" },
    ],
    question: "the card was charged again this month",
    date: "2026-03-01",
    gold: "billing",
  },
  {
    user: "ben",
    history: [{ text: "I cannot log in to my account", label: "account", date: "2026-01-20" }],
    question: "the account does not take my new password",
    date: "2026-03-02",
    gold: "account",
  },
  {
    user: "cem",
    history: [{ text: "the parcel came to a neighbour", label: "delivery", date: "2026-02-02" }],
    question: "where is the parcel that I ordered",
    date: "2026-03-03",
    gold: "delivery",
  },
]
  .map((row) => JSON.stringify(row))
  .join("\n")}\n`;
