import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { dataOptions } from "../../src/data/options.js";
import { seenOf } from "../../src/data/others.js";
import { readOptions } from "../../src/registry/options.js";
import { tasks } from "../../src/tasks/index.js";
import { suiteDir } from "../helpers/suite-dir.js";

const folder = suiteDir();
const task = tasks.get("personachat");
const settings = {
  task,
  path: folder,
  lamp1Labels: "auto",
  emptyProfile: "error",
  seed: 0,
} as const;
const load = (dialogues: readonly object[], more = {}) => {
  writeFileSync(
    join(folder, "personachat_self_original.json"),
    JSON.stringify({ train: dialogues, valid: [dialogues[0]] }),
  );
  return loadDataset({ ...settings, split: "train", ...more });
};
const dialogue = {
  personality: ["i like  to remodel homes .", "i have a cat ."],
  utterances: [
    { candidates: ["wrong", "first reply"], history: ["hi"] },
    {
      candidates: ["other", " the  true reply "],
      history: ["hi ,\tthere", "hello .", "do you  cook ?", "i do .", "what else ?"],
    },
  ],
};

describe("PersonaChat's file", () => {
  test("is read as the assistant paper reads it: the last utterance's last line, blanks squeezed, what was said before in turns", async () => {
    const [user] = [...(await load([dialogue])).users];
    expect(user).toEqual({
      id: "dialogue-1",
      profile: [
        { id: "dialogue-1-p1", text: "i like to remodel homes .", speaker: "answers" },
        { id: "dialogue-1-p2", text: "i have a cat .", speaker: "answers" },
      ],
      queries: [
        {
          id: "dialogue-1",
          input: "what else ?",
          gold: "the true reply",
          before: [
            { id: "dialogue-1-t1", said: "hi , there", reply: "hello ." },
            { id: "dialogue-1-t2", said: "do you cook ?", reply: "i do ." },
          ],
        },
      ],
    });
  });

  test("gives the first dialogues in file order, and the other half by data.split=dev", async () => {
    const three = [dialogue, { ...dialogue, personality: ["second"] }, { ...dialogue, personality: ["third"] }];
    const ids = async (more: object) => [...(await load(three, more)).users].map(({ id }) => id);
    expect(await ids({ users: 2 })).toEqual(["dialogue-1", "dialogue-2"]);
    expect(await ids({ split: "dev" })).toEqual(["dialogue-1"]);
    expect(await ids({ split: "train" })).toHaveLength(3);
    expect(await ids({ split: "auto" })).toEqual(["dialogue-1", "dialogue-2", "dialogue-3", "dialogue-4"]); // train, then valid
  });

  test("a dialogue is one unit whose past is the persona, with the turns before its question", async () => {
    const dataset = await load([dialogue]);
    const { units } = seenOf(dataset, task, readOptions(dataOptions, {}), false);
    expect([...units]).toHaveLength(1);
    const [unit] = [...units];
    expect(unit?.user.history.map(({ content }) => content)).toEqual(["i like to remodel homes .", "i have a cat ."]);
    expect(unit?.examples[0]?.before).toHaveLength(2);
  });

  test.each([
    [{ ...dialogue, utterances: [{ candidates: ["x"], history: [] }] }, "its history is empty"],
    [{ ...dialogue, personality: undefined }, '"personality"'],
    [{ ...dialogue, utterances: "none" }, '"utterances"'],
  ])("names the dialogue that is not in form (%#)", async (broken, message) => {
    await expect(load([dialogue, broken])).rejects.toThrow(/record 2.*dialogue-2/);
    await expect(load([dialogue, broken])).rejects.toThrow(message);
  });
});
