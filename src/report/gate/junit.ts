import { failsBy, type GateResult } from "./result.js";
import { sentence } from "./text.js";

/**
 * A gate as JUnit XML: one test case per metric, method and task, and one per condition of the whole run. A line
 * that is unsure is a failure where `failOn` says so. Source: the schema of the Jenkins xUnit plugin.
 */
export function renderJunit(result: GateResult): string {
  const lines = result.lines.map((line) => ({
    suite: `${line.task} (${line.dataset})`,
    name: line.metric,
    className: `${line.task}.${line.method}`,
    type: line.verdict,
    text: sentence(line),
    passed: !failsBy(line.verdict, result.failOn),
  }));
  const checks = result.checks.map(({ name, passed, finding }) => ({
    suite: "run",
    name,
    className: "run",
    type: name,
    text: finding,
    passed,
  }));
  const cases = [...lines, ...checks];
  const suites = [...new Set(cases.map(({ suite }) => suite))].map((name) =>
    suiteXml(
      name,
      cases.filter(({ suite }) => suite === name),
      result.simulated,
    ),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="lamp-eval gate ${xmlText(result.run)}" ${countsXml(cases)}>`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

interface Case {
  readonly name: string;
  readonly className: string;
  readonly type: string;
  readonly text: string;
  readonly passed: boolean;
}

function suiteXml(name: string, cases: readonly Case[], simulated: boolean): string {
  return [
    `  <testsuite name="${xmlText(name)}" ${countsXml(cases)}>`,
    ...(simulated ? ['    <properties><property name="model" value="SIMULATED"/></properties>'] : []),
    ...cases.map(caseXml),
    "  </testsuite>",
  ].join("\n");
}

function caseXml({ name, className, type, text, passed }: Case): string {
  const open = `    <testcase name="${xmlText(name)}" classname="${xmlText(className)}"`;
  const inner = passed
    ? `<system-out>${xmlText(text)}</system-out>`
    : `<failure type="${xmlText(type)}" message="${xmlText(text)}"/>`;
  return `${open}>${inner}</testcase>`;
}

const countsXml = (cases: readonly Case[]): string =>
  `tests="${cases.length}" failures="${cases.filter(({ passed }) => !passed).length}" errors="0" skipped="0"`;

/** What XML 1.0 cannot hold at all (https://www.w3.org/TR/xml/#charsets) becomes the replacement character. */
const xmlText = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"'\n\r\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
