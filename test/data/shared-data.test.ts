import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { othersOf } from "../../src/data/others.js";
import { unitsOf } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import { sharedDir } from "../helpers/shared.js";
import { load } from "./fixtures.js";

const shared = sharedDir();

describe.skipIf(shared === undefined)(
  "real histories in shared/data beside the checkout (skipped where it is absent)",
  () => {
    it.each([
      ["lamp3", "lamp3_time_users", 3, 562, true],
      ["lamp2n", "huffpost_2N", 28, 983, true],
      ["lamp4", "huffpost_4", 34, 1366, true],
      ["lamp5", "lamp5_authors", 6, 148, true],
      ["lamp1", "lamp1_real", 6, 6, false],
      ["lamp2n", "lamp2N_real", 6, 6, false],
      ["lamp1", "official/LaMP_1", 3, 3, false],
      ["lamp2n", "official/LaMP_2_news_2023", 3, 3, false],
    ])("%s reads %s", async (name, folder, users, questions, ordered) => {
      const task = tasks.get(name);
      const data = await loadDataset(load(name, join(shared ?? "", "data", folder)));
      expect(data).toMatchObject({ ordered, facts: { users, questions } });
      const units = unitsOf(data, task, { visible: "strict" });
      expect([...units].flatMap(({ examples }) => examples)).toHaveLength(questions);
      for (const { user } of units) expect(user.history.length).toBeGreaterThan(0);
      const pool = othersOf(data, task, { others: "auto", visible: "before-query" }, units);
      expect(pool.kind).toBe(folder.startsWith("official") ? "training users" : "leave-one-out");
    });
  },
);
