import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Io } from "../../run/io.js";
import type { Task } from "../../types/index.js";

type Kind = Task["kind"];

export const exampleKinds: readonly Kind[] = ["label", "choice", "rating", "text"];

/** Writes a small task of one's own, to be changed into the real one: `own.yaml` and `rows.jsonl`. Throws UsageError where one is there. */
export function writeOwnExample(folder: string, kind: Kind, { cwd }: Io): readonly string[] {
  const { task, rows } = examples[kind];
  const files = Object.entries({ "own.yaml": HEAD + task, "rows.jsonl": rows });
  const paths = files.map(([name]) => join(resolve(cwd, folder), name));
  const there = paths.find((path) => existsSync(path));
  if (there !== undefined) throw new UsageError(`${there}: is there already; name another folder`);
  for (const [at, [, text]] of files.entries()) writeWhole(paths[at]!, text);
  return paths;
}

const HEAD =
  "# A task of your own: what is asked, and how an answer is scored. lamp-eval run --task own.yaml --data rows.jsonl --method prompt,rag\n";

const examples: Readonly<Record<Kind, { readonly task: string; readonly rows: string }>> = {
  label: {
    task: `name: support-tickets
kind: label # label (one of labels), choice, rating or text: lamp-eval data example --kind writes each
labels: [billing, delivery, account]
question: "Which category does this ticket belong to? Answer with one of these options and nothing else. options: {labels} ticket: {input}"
item: ticket # what one past item is called, and what is answered
answer: category # the embedded model knows an item's answer behind tag, category, label, score, rating, title or answer alone
`,
    rows: `{"user":"ann","history":[{"text":"my card was charged twice","label":"billing","date":"2026-01-05"},{"text":"the parcel has not come","label":"delivery","date":"2026-02-11"}],"question":"the card was charged again this month","date":"2026-03-01","gold":"billing"}
{"user":"ben","history":[{"text":"I cannot log in to my account","label":"account","date":"2026-01-20"}],"question":"the account does not take my new password","date":"2026-03-02","gold":"account"}
{"user":"cem","history":[{"text":"the parcel came to a neighbour","label":"delivery","date":"2026-02-02"}],"question":"where is the parcel that I ordered","date":"2026-03-03","gold":"delivery"}
`,
  },
  choice: {
    task: `name: dinner-tips
kind: choice # each line of rows.jsonl brings its own options; gold is the text of one; they are shown in an order drawn by --seed
options: 3 # most options of a question, up to 10
question: |-
  {input}

  Which reply suits this user best?
  {options}

  Answer with the letter of one reply and nothing else.
item: message
event: "user: {text}"
`,
    rows: `{"user":"ann","history":[{"text":"I have not eaten meat for years"},{"text":"my oven is broken"}],"question":"what can I cook tonight?","options":["A lentil curry on the stove.","A roast chicken.","A baked pasta."],"gold":"A lentil curry on the stove.","tags":{"about":"food"}}
{"user":"ben","history":[{"text":"I run every morning before work"}],"question":"how should I spend Saturday morning?","options":["Sleep until noon.","Take a longer run by the river.","Clean the kitchen."],"gold":"Take a longer run by the river.","tags":{"about":"leisure"}}
{"user":"cem","history":[{"text":"nuts make me ill, I carry a pen for it"}],"question":"which cake shall I bake for my birthday?","options":["A hazelnut cake.","A lemon cake.","An almond tart."],"gold":"A lemon cake.","tags":{"about":"food"},"cluster":"family-1"}
`,
  },
  rating: {
    task: `name: shop-reviews
kind: rating
range: { from: 1, to: 5 }
question: "How many stars does this user give with the following review? Answer with one number on a scale of 1 to 5 and nothing else. review: {input}"
item: review
answer: stars
`,
    rows: `{"user":"ann","history":[{"text":"good shoes, but they came late","label":3,"date":"2026-01-05"}],"question":"good bag, but it came late","date":"2026-03-01","gold":3}
{"user":"ben","history":[{"text":"great lamp, I love it","label":5,"date":"2026-01-20"}],"question":"great chair, I love it","date":"2026-03-02","gold":5}
{"user":"cem","history":[{"text":"the kettle broke on the first day","label":1,"date":"2026-02-02"}],"question":"the toaster broke in a week","date":"2026-03-03","gold":1}
`,
  },
  text: {
    task: `name: note-titles
kind: text
question: "Write a title for the following note as this user would. Answer with the title only. note: {input}"
item: note
answer: title
`,
    rows: `{"user":"ann","history":[{"text":"milk, bread and apples for Monday","label":"Shopping: Monday","date":"2026-01-05"}],"question":"eggs, rice and tea for Friday","date":"2026-03-01","gold":"Shopping: Friday"}
{"user":"ben","history":[{"text":"call the bank about the card","label":"call bank!!","date":"2026-01-20"}],"question":"call the school about the trip","date":"2026-03-02","gold":"call school!!"}
{"user":"cem","history":[{"text":"the heating was repaired on Tuesday","label":"Heating, repaired","date":"2026-02-02"}],"question":"the window was repaired on Sunday","date":"2026-03-03","gold":"Window, repaired"}
`,
  },
};
