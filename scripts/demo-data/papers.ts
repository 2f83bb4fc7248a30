import type { Random } from "../../src/types/index.js";
import { FIELDS, type Field } from "./fields.js";
import { pick, titleCase, weighted, writer } from "./grammar.js";
import type { DemoTask } from "./people.js";

/** Authors differ in what they cite: half of the time the field at hand, else a method that only they care for. */
export const lamp1: DemoTask = {
  name: "lamp1",
  official: "LaMP_1",
  yearsOnly: true,
  person(habits) {
    const [main, side, hobby] = habits.sample(FIELDS, 3);
    return (random) => {
      const field = weighted(random, [main!, side!], [0.65, 0.35]);
      const made = paper(field, random);
      const citation = reference(random.next() < 0.45 ? field : hobby!, random, made.title);
      const negative = reference(
        random.next() < DISTRACTOR ? field : stranger([main!, side!, hobby!], random),
        random,
        made.title,
        citation,
      );
      const first = random.next() < 0.5;
      const options = first ? [citation, negative] : [negative, citation];
      const input = `For an author who has written the paper with the title "${made.title}", which reference is related? Just answer with [1] or [2] without explanation. [1]: "${options[0]}" [2]: "${options[1]}"`;
      return {
        item: { title: made.title, abstract: made.abstract, citation },
        input,
        gold: first ? "[1]" : "[2]",
        content: made.title,
      };
    };
  },
};

/** Authors differ in how they word titles. */
export const lamp5: DemoTask = {
  name: "lamp5",
  official: "LaMP_5",
  yearsOnly: true,
  person(habits) {
    const [main, side] = habits.sample(FIELDS, 2);
    const [usual, other] = habits.sample(TITLES, 2);
    return (random) => {
      const field = weighted(random, [main!, side!], [0.65, 0.35]);
      const title = weighted(random, [usual!, other!, pick(random, TITLES)], [0.65, 0.25, 0.1]);
      const made = paper(field, random, title);
      const input = `Generate a title for the following abstract of a paper: ${made.abstract}`;
      return { item: { title: made.title, abstract: made.abstract }, input, gold: made.title, content: made.abstract };
    };
  },
};

/** How often the wrong reference is of the paper's own field. */
const DISTRACTOR = 0.35;

const TITLES = [
  "{method} for {problem}",
  "Towards {quality} {problem} with {method}",
  "{problem}: a {quality} approach",
  "On the limits of {method} in {problem}",
  "Do we need {method} for {problem}?",
  "{name}: {quality} {problem} by {method}",
  "A comparative study of {method} and {+method} for {problem}",
  "{problem} revisited",
];

const ABSTRACTS = [
  "{opening} {problem}. We present {name}, which uses {method} to make it {quality}. {result}.",
  "{problem} is often slow or unreliable. This paper asks whether {method} can help. {result}. The {quality} variant is called {name}.",
  "{opening} {problem} {setting}. Our approach, {name}, combines {method} with {+method}. {result}.",
];

const SHARED = {
  opening: ["We study", "This work revisits", "We consider the problem of", "There is growing interest in"],
  quality: ["robust", "scalable", "interpretable", "efficient", "adaptive", "private"],
  name: ["Heron", "Basalt", "Quill", "Lantern", "Tern", "Mosaic", "Ember", "Larch", "Orrery", "Sable"],
  setting: [
    "under limited supervision",
    "in noisy conditions",
    "at large scale",
    "without access to the full data",
    "in real time",
  ],
  result: [
    "Experiments on four data sets show a gain of nine percent",
    "The error falls by a third while the cost stays the same",
    "A user study with forty participants confirms the findings",
    "We prove a bound and verify it in simulation",
    "Results are mixed, and we discuss where the method fails",
  ],
};

function paper(field: Field, random: Random, titleForm = pick(random, TITLES)): { title: string; abstract: string } {
  const write = writer(random, { ...SHARED, problem: field.problems, method: field.methods });
  const abstract = write(pick(random, ABSTRACTS));
  return { abstract, title: titleCase(write(titleForm)) };
}

/** A paper's title, other than those given. */
function reference(field: Field, random: Random, ...not: string[]): string {
  for (;;) {
    const { title } = paper(field, random);
    if (!not.includes(title)) return title;
  }
}

function stranger(own: readonly Field[], random: Random): Field {
  return pick(
    random,
    FIELDS.filter((field) => !own.includes(field)),
  );
}
