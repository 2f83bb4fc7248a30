import type { Reader } from "./evidence.js";

/** The item strings of the official LaMP prompts, joined by `, and ` (LaMP benchmark, prompts.py). */
export const official: Reader = (text, labelOf, found) => {
  let rest = text;
  for (const form of forms)
    rest = rest.replace(form.pattern, (whole: string, ...groups: string[]) => {
      const label = labelOf(groups[form.label] ?? "");
      if (label === undefined) return whole;
      found.examples.push({ text: groups[form.text] ?? "", label });
      return " ";
    });
  return rest;
};

const forms = [
  {
    pattern: /the (?:tag|category) for the (?:movie|article): "([\s\S]*?)" is "([^"\n]{1,60})"\s?/g,
    text: 0,
    label: 1,
  },
  { pattern: /(?<!\S)(\d(?:\.\d)?) is the score for "([\s\S]*?)"\s(?=, and |\.\s|\.$)/g, text: 1, label: 0 },
  { pattern: /"([^\n]{1,400}?)" is (?:the|a) title for "([\s\S]*?)"\s(?=, and |\.\s|\.$)/g, text: 1, label: 0 },
] as const;
