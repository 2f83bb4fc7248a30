import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Answers {
  readonly golds: readonly { readonly id: string }[];
}

interface UserRecord {
  readonly query: readonly { readonly id: string }[];
}

/** Every second user of a folder in each of two folders below `out`, so that what is trained on the one is tried on the other. */
export function halves(data: string, out: string): [string, string] {
  const users = read(join(data, "users.json")) as readonly UserRecord[];
  const answers = read(join(data, "users_label.json")) as Answers;
  const half = (part: number): string => {
    const own = users.filter((_, at) => at % 2 === part);
    const asked = new Set(own.flatMap(({ query }) => query.map(({ id }) => id)));
    const folder = join(out, `half-${part}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "users.json"), JSON.stringify(own));
    const golds = answers.golds.filter(({ id }) => asked.has(id));
    writeFileSync(join(folder, "users_label.json"), JSON.stringify({ ...answers, golds }));
    return folder;
  };
  return [half(0), half(1)];
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
