import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processIo } from "../../src/app/process-io.js";
import { main } from "../../src/cli/main.js";
import { realTerminal } from "../../src/cli/terminal.js";
import { priceList } from "../../src/models/prices.js";

/** Pages with generated parts, from the root of the repository. */
export const renderedPages = ["README.md", "docs/TUTORIAL.md", "docs/EXPERIMENTS.md", "docs/PROVIDERS.md"] as const;

/** A page with its generated parts made anew, its commands run in one folder: printed output behind `<!-- block: npx lamp-eval ... -->`, the prices. */
export async function renderPage(text: string): Promise<string> {
  let fresh = withPrices(text);
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-readme-"));
  for (const [block, start = "", command = "", end = ""] of fresh.matchAll(
    /(<!-- block: npx lamp-eval (.*) -->\n```text\n)[\s\S]*?(```\n<!-- end -->)/g,
  )) {
    const output = await printed(command.split(" "), folder);
    fresh = fresh.replace(block, () => `${start}${output}\n${end}`);
  }
  rmSync(folder, { recursive: true, force: true });
  return fresh;
}

const TITLES = ["model", "in, out, cache read, cache write", "when"];

/** The table behind `<!-- prices -->`. */
function withPrices(text: string): string {
  const lines = [TITLES, TITLES.map(() => "---"), ...priceRows()].map((cells) => `| ${cells.join(" | ")} |\n`);
  return text.replace(
    /(<!-- prices -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start: string, end: string) => start + lines.join("") + end,
  );
}

/** Prompts above which OpenAI's requests cost more, in tokens. */
const OPENAI_LONG = 272_000;

/** Bedrock has Anthropic's rows once more; what OpenAI's longest requests cost follows from the row, as the page says. */
const priceRows = () =>
  priceList
    .filter(({ model }) => !model.startsWith("bedrock/"))
    .flatMap(({ model, from, until, above, ...rates }) => {
      const when = [
        ...(from === undefined ? [] : [`from ${from}`]),
        ...(until === undefined ? [] : [`until ${until}`]),
      ];
      return [
        [model, ratesOf(rates), when.join(" ")],
        ...(above === undefined || above.tokens === OPENAI_LONG
          ? []
          : [["", ratesOf(above), `above ${above.tokens.toLocaleString("en")} tokens`]]),
      ];
    });

interface Rates {
  readonly in: number;
  readonly out: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

const ratesOf = ({ in: input, out, cacheRead, cacheWrite }: Rates): string =>
  [input, out, cacheRead, cacheWrite].flatMap((rate) => (rate === undefined ? [] : [rate])).join(", ");

/** What a command prints on stdout, without times, which differ at every run. */
async function printed(args: readonly string[], cwd: string): Promise<string> {
  const lines: string[] = [];
  const io = { ...realTerminal(processIo()), out: (line: string) => lines.push(line), err: () => undefined, cwd };
  const code = await main(args, io);
  if (code !== 0) throw new Error(`lamp-eval ${args.join(" ")} ended with ${code}`);
  return lines.join("\n").replace(/\n*median seconds per question: .*/g, "");
}
