import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pool } from "../memory/graph/graph-fixtures.js";

/** Writes `news`: the graph pool's three writers as test users, each asked one question later than all of it. */
export function writeNews(cwd: string): void {
  const owners = [...new Set(pool.map(({ owner }) => owner))];
  const users = owners.map((owner) => ({
    user_id: owner,
    profile: pool.filter((item) => item.owner === owner).map(({ event }) => event.fields),
    query: [
      {
        id: `q-${owner}`,
        input: `Which category? categories: [politics, travel] article: Parkland march by ${owner}`,
        gold: "politics",
        date: "2018-05-01",
      },
    ],
  }));
  mkdirSync(join(cwd, "news"));
  writeFileSync(join(cwd, "news", "users.json"), JSON.stringify(users));
  const golds = owners.map((owner) => ({ id: `q-${owner}`, output: "politics" }));
  writeFileSync(join(cwd, "news", "users_label.json"), JSON.stringify({ task: "LaMP_2N", golds }));
}
