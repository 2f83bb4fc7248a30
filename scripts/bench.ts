import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `npm run bench -- NAME [args]`: runs scripts/bench/NAME.ts. Without a name: lists them. */
const folder = fileURLToPath(new URL("./bench/", import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`npm run bench -- NAME; benchmarks: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  const bench = (await import(`./bench/${name}.ts`)) as { main(args: string[]): Promise<void> };
  await bench.main(args);
}
