import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `npm run bench -- NAME [args]`, `npm run faults -- NAME [args]`: runs scripts/bench/NAME.ts or scripts/faults/NAME.ts. Without a name: lists them. */
const [kind = "", name, ...args] = process.argv.slice(2);
const names = readdirSync(fileURLToPath(new URL(`./${kind}/`, import.meta.url)))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));
if (name === undefined || !names.includes(name)) {
  console.error(`npm run ${kind} -- NAME; there are: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  const suite = (await import(`./${kind}/${name}.ts`)) as { main(args: string[]): Promise<void> };
  await suite.main(args);
}
