import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { armRecords } from "../helpers/report-json.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const file = (name: string): string => readFileSync(join(cwd, "r", name), "utf8");

beforeAll(async () => {
  expect((await run("run --task lamp2m --method prompt,rag --queries-per-user 1 --out r")).code).toBe(0);
  expect((await run("report r --html")).code).toBe(0);
});

test("one comparison has one gain, interval and p in the table, the files, the page, compare and report", async () => {
  const [plain, rag] = armRecords(file("results.json"));
  expect(plain!.gain).toBe(null);
  const gain = { value: rag!.gain, low: rag!.gain_low, high: rag!.gain_high, p: rag!.p, pHolm: rag!.p_holm } as const;
  const { comparisons } = JSON.parse((await run("compare r --methods prompt,rag --json")).stdout);
  const [metric] = comparisons[0].metrics;
  const { gain_low: low, gain_high: high } = metric;
  expect({ value: metric.gain, low, high, p: metric.p }).toEqual({
    ...{ value: gain.value, low: gain.low, high: gain.high, p: gain.p },
  });
  expect(gain.pHolm).toBe(gain.p); // a family of one
  const score = (value: number): string => value.toFixed(3).replace(/^(-?)0/, "$1");
  const [value, from, to, p] = [rag!.gain, rag!.gain_low, rag!.gain_high, rag!.p].map((one) =>
    score(one ?? Number.NaN),
  );
  const printed = `+${value} [+${from}, +${to}]`;
  const terminal = (await run("report r")).stdout;
  expect(terminal).toContain(`${printed}  ${p}*`);
  expect(terminal).toContain("p: this pair alone; *: p ≤ .05 after Holm over 1 comparison");
  expect(file("results.md")).toContain(`| ${printed} | ${p}* |`);
  expect((await run("run --task lamp2m --method pag --queries-per-user 1 --out other")).code).toBe(0);
  expect((await run("report r other")).stdout).toMatch(
    new RegExp(`^rag .* \\+${value} \\[\\+${from}, \\+${to}\\] +${p}`, "m"),
  );
  const tex = file("results.tex");
  expect(tex).toContain(`+${value} & ${p}$^{*}$`);
  expect(tex).toContain(`[+${from}, +${to}]`);
  expect(file("results.csv")).toContain(`${gain.value},${gain.low},${gain.high},${gain.p},${gain.pHolm},`);
  const page = file("report.html");
  expect(page).toContain(`+${value} <small>[+${from}, +${to}]</small></td>`);
  expect(page).toContain(`<td data-value="${gain.p}">${p}<b class="star">*</b></td>`);
  const text = (await run("compare r --methods prompt,rag")).stdout;
  expect(text).toMatch(new RegExp(`^rag \\.\\d{3}, \\+${value} over prompt \\(95 % CI ${from} to ${to}\\)`));
  expect(text).toContain(`+${value} [+${from}, +${to}]  ${p}`);
  expect(`${terminal}${text}`).not.toMatch(/not shown|SHOWN|p Holm/);
});
