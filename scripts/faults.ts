import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `npm run faults -- NAME [args]`: runs scripts/faults/NAME.ts. Without a name: lists them. */
const folder = fileURLToPath(new URL("./faults/", import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  console.error(`npm run faults -- NAME; suites: ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  const suite = (await import(`./faults/${name}.ts`)) as { main(args: string[]): Promise<void> };
  await suite.main(args);
}
