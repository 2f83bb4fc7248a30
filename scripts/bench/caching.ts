import { existsSync } from "node:fs";
import { playCaching, type Wired, wires } from "./caching/play.js";

/**
 * `npm run bench -- caching [USERS] [DATA]`: input cost with prompt caching and without, by local servers that keep the providers'
 * rules for their caches, count for themselves and answer with the embedded model. DATA: `TASK=FOLDER`, else the demo data of LaMP-3.
 * Exit code 1 where replies differ, or the tables' tokens or dollars are not the server's.
 */
export async function main([users = "12", data]: readonly string[]): Promise<void> {
  const [task = "lamp3", folder] = data === undefined ? [] : data.split("=");
  if (folder !== undefined && !existsSync(folder)) throw new Error(`no data at ${folder}`);
  console.log(`${task}, ${users} users${folder === undefined ? " of the demo data" : ""}; input dollars`);
  let isWrong = false;
  for (const wired of wires)
    for (const method of METHODS)
      isWrong = !(await compare(method, wired, { task, folder, users: Number(users) })) || isWrong;
  if (isWrong) process.exitCode = 1;
}

/** Agents, then methods whose calls begin alike (demonstrations, a portrait), then those whose calls share nothing. */
const METHODS = ["persona-agent", "react", "icl", "membank", "rag", "prompt"];

type Where = Parameters<typeof playCaching>[2];

async function compare(method: string, wired: Wired, where: Where): Promise<boolean> {
  const without = await playCaching(method, wired, where, "off");
  const withIt = await playCaching(method, wired, where, "auto");
  const factor = (withIt.inputUsd / without.inputUsd).toFixed(3);
  const share = (tokens: number): string => `${Math.round((100 * tokens) / withIt.in)} %`;
  const isEqual = without.replies === withIt.replies;
  const wrong = [...(isEqual ? [] : ["replies DIFFER"]), ...without.offences, ...withIt.offences];
  console.log(
    `${wired.model}  ${method}: ${withIt.calls} calls of ${Math.round(withIt.in / withIt.calls)} tokens; $${without.inputUsd.toFixed(5)} without, $${withIt.inputUsd.toFixed(5)} with: x ${factor}; read ${share(withIt.read)}, written ${share(withIt.written)}${wrong.map((one) => `; ${one}`).join("")}`,
  );
  return wrong.length === 0;
}
