import { countsOf } from "../../../text/count.js";
import { jsonIn } from "../../../text/json.js";
import { between, everyBetween } from "../../../text/scan.js";
import { anyLabel, type Evidence, readEvidence } from "./evidence.js";
import { sumOf } from "./likeness.js";
import { ranked, typicalWords, words } from "./words.js";

/** Returns a summary of the history in a prompt, in the form that the prompt asks for where it asks for one. */
export function summarize(text: string): string {
  const evidence = readEvidence(text, anyLabel);
  const form = requestedForm(text, evidence);
  if (form !== undefined && /\bform only\b|\bonly\b[^.]{0,20}\bform\b/i.test(text)) return form;
  const body = isStyle(evidence) ? describeStyle(evidence) : describeLabels(evidence, text);
  return [form, ...body].filter((line) => line !== undefined && line !== "").join("\n");
}

const LISTED_WORDS = 12;

/** `most popular tag: <tag>` and OPPU's two scores, filled in. */
function requestedForm(text: string, evidence: Evidence): string | undefined {
  const labels = ranking(evidence).map(([label]) => label);
  if (labels.length === 0) return undefined;
  if (/most common positive score: </i.test(text)) {
    const [high, low] = [labels.find((label) => Number(label) > 3), labels.find((label) => Number(label) < 3)];
    return `most common positive score: ${high ?? "none"}, most common negative score: ${low ?? "none"}`;
  }
  const popular = /(most (?:popular|common|frequent) \w+): </i.exec(text)?.[1];
  return popular === undefined ? undefined : `${popular}: ${labels[0]}`;
}

/** Labels by how often they stand in the examples and stated counts. */
function ranking({ counts, examples }: Evidence): [string, number][] {
  const all = countsOf(examples.map(({ label }) => label));
  for (const [label, count] of counts) all.set(label, (all.get(label) ?? 0) + count);
  return ranked(all);
}

/** Titles hardly repeat; tags and scores do. */
function isStyle({ examples }: Evidence): boolean {
  const long = examples.filter(({ label }) => words(label).length > 3);
  return examples.length > 0 && long.length * 2 > examples.length;
}

function describeLabels(evidence: Evidence, text: string): string[] {
  const labels = ranking(evidence);
  if (labels.length === 0) return [describeInterests(text)];
  const total = sumOf(labels.map(([, count]) => count));
  const all = evidence.examples.map((example) => example.text);
  const lines = labels.flatMap(([label]) => {
    const group = evidence.examples.filter((example) => example.label === label).map((example) => example.text);
    const known = evidence.rules.filter((rule) => rule.label === label).flatMap((rule) => rule.words);
    const typical = new Set([...typicalWords(group, all, LISTED_WORDS), ...known]);
    if (typical.size === 0) return [];
    return [`typical words of "${label}": ${[...typical].slice(0, LISTED_WORDS).join(", ")}`];
  });
  return [`label counts over ${total} items: ${labels.map((entry) => entry.join(" ")).join(", ")}`, ...lines];
}

function describeStyle({ examples }: Evidence): string[] {
  const titles = examples.map(({ label }) => label);
  const mean = Math.round(sumOf(titles.map((title) => words(title).length)) / titles.length);
  const capitals = titles.filter((title) =>
    title.split(/\s+/).every((word) => word.length < 4 || /^[^a-z]/.test(word)),
  );
  const colons = titles.filter((title) => title.includes(":"));
  return [
    `The titles have about ${mean} words${capitals.length * 2 > titles.length ? ", most words capitalized" : ""}.`,
    `${colons.length} of ${titles.length} have a colon.`,
    `Usual words: ${typicalWords(titles, titles, LISTED_WORDS).join(", ")}.`,
  ];
}

/** Texts around the words of a user: names of fields, and what summaries of this model begin with. */
const frame =
  /\b(?:User|Assistant|paper title|Main interests): |Nothing is known of this user yet\.|^(?:At [^,\n]{1,40}, the|The) (?:events were|user showed|user's preferences are): /g;

function describeInterests(text: string): string {
  const [material = "", instruction] = text.split(/\n\n(?=Above (?:is|are) )/);
  const listed = material.split("\n").map((line) => line.replace(frame, " "));
  const items = listed.filter((line) => line.trim() !== "");
  const shown = instruction === undefined && items.length > 2 ? items.slice(1) : items;
  const repeated = typicalWords(shown, shown, 2 * LISTED_WORDS);
  const whole = [shown.join("\n")];
  const typical =
    repeated.length > 0 || instruction === undefined ? repeated : typicalWords(whole, whole, LISTED_WORDS);
  return typical.length === 0 ? "Nothing is known of this user yet." : `Main interests: ${typical.join(", ")}.`;
}

const ASKED = "Asks for";
const TURNED_DOWN = "Turns down";
const NOTHING = "no information";
/** Past events that an answer quotes. */
const MOST_QUOTED = 3;

/**
 * Returns a profile as the JSON object that is asked for, undefined where none is: findings go into the first field, and for
 * days of commands refusals into a field of their own.
 */
export function fillProfile(text: string): string | undefined {
  const at = text.lastIndexOf("\n\nAbove are ");
  const [demand = ""] = text.slice(at + 2).split("\n", 1);
  const named = between(demand, ["one JSON object and nothing else, with the fields ", ". Write"])?.parts[0];
  if (at < 0 || named === undefined) return undefined;
  const material = text.slice(0, at);
  const [wanted, refused] = [entriesBehind(ASKED, material), entriesBehind(TURNED_DOWN, material)];
  const found = wanted.length > 0 ? wanted : summarize(material).split("\n");
  const fields = [...named.matchAll(/"([^"]+)"/g)].map(([, field = ""], index) => {
    const isRefused = refused.length > 0 && /dislike|avoid/i.test(field);
    return [field, isRefused ? refused : index === 0 ? found : NOTHING];
  });
  return JSON.stringify(Object.fromEntries(fields), null, 2);
}

/** Returns what stands behind a word in the preferences of several days, each once, oldest first. */
function entriesBehind(word: string, material: string): string[] {
  const found = everyBetween(material, [`${word}: `, "."]).flatMap(({ parts: [list = ""] }) => list.split("; "));
  return [...new Set(found)];
}

/** Returns the preferences that a day of commands and feedback shows: what was asked for, what was turned down; undefined for any other text. */
export function dayOfCommands(text: string): string | undefined {
  const day = /^([\s\S]*)\n\nAbove is what the user did \(/.exec(text)?.[1];
  const said = day?.split("\n").map((line) => /(?:^|\| )(command|feedback): (.*)$/.exec(line));
  if (said === undefined || said.length === 0 || said.includes(null)) return undefined;
  const part = (word: string, kind: string): string[] => {
    const texts = said.flatMap((one) => (one?.[1] === kind ? [one[2] ?? ""] : []));
    return texts.length === 0 ? [] : [`${word}: ${texts.join("; ")}.`];
  };
  return [...part(ASKED, "command"), ...part(TURNED_DOWN, "feedback")].join(" ");
}

/** Returns the profile in short, then the past events that are most alike, as they are. Undefined where no such question is put to them. */
export function tellPreferences(text: string): string | undefined {
  const asked = between(text, [
    /(?:^|\n)Profile of the user:\n/g,
    /\n\nWhat the user did before[^\n]*:\n/g,
    "\n\nQuestion about the user's preferences: ",
  ]);
  if (asked === undefined) return undefined;
  const [profile = "", memories = ""] = asked.parts;
  const events = memories.split("\n").filter((line) => line !== NOTHING);
  const told = [plainProfile(profile), ...events.slice(0, MOST_QUOTED)].filter((line) => line !== NOTHING);
  return told.length === 0 ? NOTHING : told.join("\n");
}

/** Returns the texts of a profile without its JSON; the profile itself where it is none. */
function plainProfile(profile: string): string {
  const value = profile.trimStart().startsWith("{") ? jsonIn(profile) : undefined;
  if (value === undefined) return profile;
  const texts = Object.values(Object(value)).flat();
  return texts.filter((text) => typeof text === "string" && text !== NOTHING).join("\n") || NOTHING;
}
