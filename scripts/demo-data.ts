/** Writes the built-in demo data: `npm run demo-data [-- folder]`. Same code, same bytes. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as all from "./demo-data/all.js";
import { chatFile } from "./demo-data/chats.js";
import { dialogueUsers } from "./demo-data/dialogues.js";
import { encyclopedia } from "./demo-data/encyclopedia.js";
import { homeUsers } from "./demo-data/home.js";
import { lampQaFiles } from "./demo-data/lamp-qa.js";
import { longTexts } from "./demo-data/long-texts.js";
import { type DemoTask, type DemoUser, demoUsers } from "./demo-data/people.js";
import { personamemFiles } from "./demo-data/personamem.js";
import { profileLabels, profileUsers } from "./demo-data/profiles.js";

const DEFAULT_FOLDER = fileURLToPath(new URL("../datasets/demo", import.meta.url));

/** The demo files by path inside the demo folder. */
export function demoFiles(): Map<string, string> {
  const ofTasks = Object.values(all).flatMap(filesOf);
  return new Map([
    ...ofTasks,
    ...questionFiles({ name: "home-commands", official: "home_commands" }, homeUsers()),
    ...questionFiles({ name: "alex-like", official: "alex_like" }, dialogueUsers()),
    ["personachat/personachat_self_original.json", chatFile()],
    ...questionFiles({ name: "profile-questions", official: "profile_questions" }, profileUsers()),
    ...lampQaFiles(),
    ...longTexts(),
    ...personamemFiles(),
    ["wikipedia.json", encyclopedia(demoUsers(all.lamp1).users, demoUsers(all.lamp3).users)],
    ["profile-questions/people.json", `${JSON.stringify(profileLabels(), undefined, 1)}\n`],
  ]);
}

export async function main(args: readonly string[]): Promise<void> {
  const folder = resolve(args[0] ?? DEFAULT_FOLDER);
  for (const [path, text] of demoFiles()) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

function filesOf(task: DemoTask): [string, string][] {
  const { users, others } = demoUsers(task);
  return [...questionFiles(task, users), [`${task.name}/user_others.json`, lines(others)]];
}

function questionFiles(
  { name, official }: Pick<DemoTask, "name" | "official">,
  users: readonly DemoUser[],
): [string, string][] {
  const golds = users.flatMap(({ query }) =>
    query.flatMap(({ id, gold }) => (gold === undefined ? [] : [{ id, output: gold }])),
  );
  return [
    [`${name}/users.json`, lines(users)],
    [`${name}/users_label.json`, `{"task": ${JSON.stringify(official)}, "golds": ${lines(golds)}}\n`],
  ];
}

/** A JSON array with one element per line, so that a diff can be read. */
const lines = (values: readonly unknown[]): string =>
  `[\n${values.map((value) => JSON.stringify(value)).join(",\n")}\n]\n`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv.slice(2));
