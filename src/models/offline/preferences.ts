import { between, everyBetween } from "../../text/scan.js";
import { summarize } from "./summarize.js";

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
  const day = /^([\s\S]*)\n\nAbove is what the user did \(/.exec(text)?.[1];
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
