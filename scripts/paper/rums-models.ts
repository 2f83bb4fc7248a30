import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The config whose tables have rows of RUMS-Binary and RUMS-Multi: they are trained first, on other users and other questions. */
export const RUMS_MODELS = "configs/rums-selection.yaml";

/** Folder of the users and questions that the classifiers have not seen. */
export const RUMS_TEST = "rums-test";

const DEMO = "datasets/demo/profile-questions";

interface Profiles {
  readonly query: readonly { readonly id: string }[];
}

/** Trains both on one half of the built-in profiles and questions; gives the command that runs all selectors on the other half. */
export async function rumsModels(
  out: string,
  encoder: string,
  command: (line: string) => Promise<string>,
): Promise<string> {
  const [train, test, measured] = ["rums-train", RUMS_TEST, "rums-measured"].map((name) => join(out, name)) as [
    string,
    string,
    string,
  ];
  rmSync(measured, { recursive: true, force: true });
  half(train, 0, 3, 1);
  half(test, 3, 5, 0);
  await command(`run --preset rums --method rums --data ${train} ${encoder} --set rums.threshold=0 --out ${measured}`);
  const [binary, multi] = [join(out, "rums-binary.json"), join(out, "rums-multi.json")];
  await command(`rums train ${measured} --data ${train} --out ${binary}`);
  await command(`rums train ${measured} --data ${train} --multi --out ${multi}`);
  const config = {
    extends: "rums",
    kind: "grid",
    task: "profile-questions",
    method: "rag",
    set: {
      "rums.search": "greedy", // scores single items too, for figures 12 to 15
      "select.above": 0, // of dense and bm25
    },
    sweep: {
      select: [
        ...["none", "all", "random", "dense", "bm25", "llm-zero", "llm-few", "rums"],
        ...[`rums-binary:${binary}`, `rums-multi:${multi}`, `file:${join(test, "people.json")}`],
      ],
    },
  };
  writeFileSync(join(out, "rums-models.json"), JSON.stringify(config, undefined, 1));
  return `run --config ${join(out, "rums-models.json")} --data ${test}`;
}

/** Some profiles with every second question. */
function half(folder: string, from: number, to: number, remainder: number): void {
  const read = (name: string) => JSON.parse(readFileSync(join(DEMO, name), "utf8"));
  const users = (read("users.json") as Profiles[]).slice(from, to).map((user) => ({
    ...user,
    query: user.query.filter(({ id }) => Number(id.slice(1, 3)) % 2 === remainder),
  }));
  const ids = new Set(users.flatMap(({ query }) => query.map(({ id }) => id)));
  const { golds, ...rest } = read("users_label.json");
  const people = Object.entries(read("people.json")).filter(([id]) => ids.has(id));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "users.json"), JSON.stringify(users));
  writeFileSync(
    join(folder, "users_label.json"),
    JSON.stringify({ ...rest, golds: golds.filter(({ id }: { id: string }) => ids.has(id)) }),
  );
  writeFileSync(join(folder, "people.json"), JSON.stringify(Object.fromEntries(people)));
}
