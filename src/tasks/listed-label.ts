import { pyStrip } from "../text/python.js";

/** The label of the list that a text spells, as data are read: blanks around it do not count, and `5.0` is the rating `5`. Else the text, stripped. */
export function listedLabel(label: string, labels: readonly string[]): string {
  if (labels.includes(label)) return label;
  const text = pyStrip(label);
  if (text === "" || labels.includes(text)) return text;
  const number = String(Number(text));
  return labels.includes(number) ? number : text;
}
