import { between, everyBetween } from "../../../text/scan.js";
import { anyLabel, type Evidence, readEvidence } from "./evidence.js";
import { typicalWords, words } from "./words.js";

/** A summary of the history in a prompt, in the form that the prompt asks for where it asks for one. */
export function summarize(text: string): string {
  const evidence = readEvidence(text, anyLabel);
  const form = requestedForm(text, evidence);
  if (form !== undefined && /\bform only\b|\bonly\b[^.]{0,20}\bform\b/i.test(text)) return form;
  const body = isStyle(evidence) ? describeStyle(evidence) : describeLabels(evidence, text);
  return [form, ...body].filter((line) => line !== undefined && line !== "").join("\n");
}

const listedWords = 12;

/** `most popular tag: <tag>` and OPPU's two scores, filled in. */
function requestedForm(text: string, evidence: Evidence): string | undefined {
  const ranked = ranking(evidence);
  if (ranked.length === 0) return undefined;
  if (/most common positive score: </i.test(text)) {
    const most = (accepts: (score: number) => boolean): string =>
      ranked.find(([label]) => accepts(Number(label)))?.[0] ?? "none";
    return `most common positive score: ${most((score) => score > 3)}, most common negative score: ${most((score) => score < 3)}`;
  }
  const popular = /(most (?:popular|common|frequent) \w+): </i.exec(text)?.[1];
  return popular === undefined ? undefined : `${popular}: ${ranked[0]?.[0]}`;
}

/** Labels by how often they stand in the examples and stated counts; ties in alphabetical order. */
function ranking(evidence: Evidence): [string, number][] {
  const counts = new Map(evidence.counts);
  for (const { label } of evidence.examples) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Titles hardly repeat; tags and scores do. */
function isStyle({ examples }: Evidence): boolean {
  const long = examples.filter(({ label }) => words(label).length > 3);
  return examples.length > 0 && long.length * 2 > examples.length;
}

function describeLabels(evidence: Evidence, text: string): string[] {
  const ranked = ranking(evidence);
  if (ranked.length === 0) return [describeInterests(text)];
  const total = ranked.reduce((sum, [, count]) => sum + count, 0);
  const lines = [`label counts over ${total} items: ${ranked.map(([label, count]) => `${label} ${count}`).join(", ")}`];
  const all = evidence.examples.map((example) => example.text);
  for (const [label] of ranked) {
    const group = evidence.examples.filter((example) => example.label === label).map((example) => example.text);
    const known = evidence.rules.filter((rule) => rule.label === label).flatMap((rule) => rule.words);
    const typical = [...new Set([...typicalWords(group, all, listedWords), ...known])].slice(0, listedWords);
    if (typical.length > 0) lines.push(`typical words of "${label}": ${typical.join(", ")}`);
  }
  return lines;
}

function describeStyle({ examples }: Evidence): string[] {
  const titles = examples.map((example) => example.label);
  const mean = Math.round(titles.reduce((sum, title) => sum + words(title).length, 0) / titles.length);
  const capitals = titles.filter((title) =>
    title.split(/\s+/).every((word) => word.length < 4 || /^[^a-z]/.test(word)),
  );
  const colons = titles.filter((title) => title.includes(":"));
  return [
    `The titles have about ${mean} words${capitals.length * 2 > titles.length ? ", most words capitalized" : ""}.`,
    `${colons.length} of ${titles.length} have a colon.`,
    `Usual words: ${typicalWords(titles, titles, listedWords).join(", ")}.`,
  ];
}

/** What stands around the words of a user: names of fields, and what summaries of this model begin with. */
const frame =
  /\b(?:User|Assistant|paper title|Main interests): |Nothing is known of this user yet\.|^(?:At [^,\n]{1,40}, the|The) (?:events were|user showed|user's preferences are): /g;

function describeInterests(text: string): string {
  const [material = "", instruction] = text.split(/\n\n(?=Above (?:is|are) )/);
  const listed = material.split("\n").map((line) => line.replace(frame, " "));
  const items = listed.filter((line) => line.trim() !== "");
  const shown = instruction === undefined && items.length > 2 ? items.slice(1) : items;
  const repeated = typicalWords(shown, shown, 2 * listedWords);
  const whole = [shown.join("\n")];
  const typical = repeated.length > 0 || instruction === undefined ? repeated : typicalWords(whole, whole, listedWords);
  return typical.length === 0 ? "Nothing is known of this user yet." : `Main interests: ${typical.join(", ")}.`;
}

/** A profile that is asked for as a JSON object: the material, and the names of its fields. */
interface WantedProfile {
  readonly material: string;
  readonly fields: readonly string[];
}

/** Reads a request for a profile with named fields; undefined for any other text. */
export function readWantedProfile(text: string): WantedProfile | undefined {
  const at = text.lastIndexOf("\n\nAbove are ");
  const [demand = ""] = text.slice(at + 2).split("\n", 1);
  const named = between(demand, ["one JSON object and nothing else, with the fields ", ". Write"])?.parts[0];
  if (at < 0 || named === undefined) return undefined;
  return { material: text.slice(0, at), fields: [...named.matchAll(/"([^"]+)"/g)].map((field) => field[1] ?? "") };
}

/** What this model finds, in the first field; it knows no more than that. Of days of commands also what was turned down. */
export function fillProfile({ material, fields }: WantedProfile): string {
  const [wanted, refused] = [ASKED, TURNED_DOWN].map((word) => entriesBehind(word, material));
  const found = wanted!.length > 0 ? wanted! : summarize(material).split("\n");
  const filled = fields.map((field, index) => {
    if (refused!.length > 0 && /dislike|avoid/i.test(field)) return [field, refused];
    return [field, index === 0 ? found : "no information"];
  });
  return JSON.stringify(Object.fromEntries(filled), null, 2);
}

/** The preferences that a day of commands and feedback shows: what was asked for, what was turned down; undefined for any other text. */
export function readDayOfCommands(text: string): string | undefined {
  const day = /^([\s\S]*)\n\nAbove is what the user did(?: \(|, one event)/.exec(text)?.[1];
  const said = day?.split("\n").map((line) => /(?:^|\| )(command|feedback): (.*)$/.exec(line));
  if (said === undefined || said.length === 0 || said.includes(null)) return undefined;
  const of = (kind: string): string[] => said.flatMap((one) => (one?.[1] === kind ? [one[2] ?? ""] : []));
  const part = (word: string, texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [`${word}: ${texts.join("; ")}.`];
  return [...part(ASKED, of("command")), ...part(TURNED_DOWN, of("feedback"))].join(" ");
}

/** A question about a user's preferences, with what is known of the user. */
interface PreferencesAsked {
  readonly profile: string;
  readonly memories: readonly string[];
}

/** Reads a question that is put to a profile and past events; undefined for any other text. */
export function readPreferencesAsked(text: string): PreferencesAsked | undefined {
  const asked = between(text, [
    /(?:^|\n)Profile of the user:\n/g,
    /\n\nWhat the user did before[^\n]*:\n/g,
    "\n\nQuestion about the user's preferences: ",
  ]);
  if (asked === undefined) return undefined;
  const [profile = "", memories = ""] = asked.parts;
  return { profile: plainProfile(profile), memories: memories.split("\n") };
}

/** The profile in short, then the past events that are most alike, as they are. */
export function tellPreferences({ profile, memories }: PreferencesAsked): string {
  const known = memories.filter((line) => line !== NOTHING);
  if (known.length === 0 && profile === NOTHING) return NOTHING;
  return [profile, ...known.slice(0, mostQuoted)].filter((line) => line !== NOTHING).join("\n");
}

const ASKED = "Asks for";
const TURNED_DOWN = "Turns down";

/** What stands behind a word in the preferences of several days, each once, oldest first. */
function entriesBehind(word: string, material: string): string[] {
  const found = everyBetween(material, [`${word}: `, "."]).flatMap(({ parts: [list = ""] }) => list.split("; "));
  return [...new Set(found)];
}

const NOTHING = "no information";

/** Past events that an answer quotes. */
const mostQuoted = 3;

/** The texts of a profile without its JSON; the profile itself where it is none. */
function plainProfile(profile: string): string {
  if (!profile.trimStart().startsWith("{")) return profile;
  try {
    const fields: unknown[] = Object.values(JSON.parse(profile) as object);
    const lines = fields.flat().filter((text): text is string => typeof text === "string" && text !== NOTHING);
    return lines.length === 0 ? NOTHING : lines.join("\n");
  } catch (error) {
    if (error instanceof SyntaxError) return profile;
    throw error;
  }
}
