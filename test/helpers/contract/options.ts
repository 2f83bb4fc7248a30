import { UsageError } from "../../../src/errors.js";
import { readOptions } from "../../../src/registry/options.js";
import type { Method } from "../../../src/types/index.js";

/** What is wrong with a method's own description and options, a sentence each. */
export function optionFindings({ name, summary, source, options, plan }: Method): string[] {
  const findings: string[] = [];
  if (!NAMED.test(name)) findings.push(`the name "${name}" is not in lower case with hyphens, as it is typed`);
  if (summary.trim().length < SHORTEST || summary.includes("\n"))
    findings.push(`the summary is not one line of ${SHORTEST} letters or more`);
  if (source.trim() === "") findings.push("no source is named: the paper, code or idea that it follows");
  for (const [knob, option] of Object.entries(options)) {
    if (!DOTTED.test(knob) && !COMMON.has(knob))
      findings.push(`option ${knob}: its name is not dotted, as in ${name}.k`);
    if (option.help.trim() === "") findings.push(`option ${knob}: it has no help`);
    if (option.accepts.trim() === "") findings.push(`option ${knob}: it does not say what it accepts`);
    try {
      const canonical = option.canonical(knob, option.default);
      if (option.canonical(knob, String(canonical)) !== canonical)
        findings.push(`option ${knob}: its default ${canonical} is another value when typed`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      findings.push(`option ${knob}: it refuses its own default: ${error.message}`);
    }
  }
  if (findings.length > 0) return findings;
  const { perUnit, perQuestion } = plan(readOptions(options, {}));
  for (const [phase, { low, high }] of [...Object.entries(perUnit([])), ...Object.entries(perQuestion())])
    if (!(low >= 0 && low <= high)) findings.push(`the plan of phase ${phase} is from ${low} to ${high} calls`);
  return findings;
}

const NAMED = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const DOTTED = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/;
/** What all methods may share under a plain name. */
const COMMON = new Set(["select"]);
const SHORTEST = 10;
