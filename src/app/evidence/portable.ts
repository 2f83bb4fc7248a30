import { publicAddress } from "../../models/quirks.js";
import { type Manifest, mapTexts, withoutFolder } from "../../run/manifest.js";
import { contentId } from "../../text/content-id.js";
import type { Cell } from "../../types/index.js";
import { type EvidenceRun, evidenceManifestSchema } from "./file.js";

/** Takes addresses of servers and folders of this machine out of texts. */
export type Shorten = <T>(value: T) => T;

/** For the texts of one run: the names of the servers that it names are taken out too, wherever they stand. */
export function shortener({ plan }: Manifest): Shorten {
  const addresses = JSON.stringify(plan).match(/[a-z][a-z0-9+.-]*:\/\/[^"\s\\]+/gi) ?? [];
  const hosts = new Set(addresses.flatMap((address) => (URL.canParse(address) ? new URL(address).hostname : [])));
  const shorten = (whole: string): string => {
    let text = withoutFolder(whole);
    for (const [found, by] of places) text = text.replace(found, by);
    for (const host of hosts) if (host !== "") text = text.replaceAll(host, AWAY);
    return text;
  };
  return <T>(value: T): T => mapTexts(value, shorten) as T; // same keys, same types: only texts are shortened
}

const AWAY = "(an address)";
/** URLs, IPv4 addresses, absolute paths: of these the last name is kept. */
const places: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi, AWAY],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, AWAY],
  [/(?<![\w.<])(?:~?\/|[A-Za-z]:\\)(?:[^\s"'<>:;,)/\\]+[/\\])+([^\s"'<>:;,)/\\]+)/g, "$1"],
];

/** What a file holds of a manifest. */
export function portableManifest(manifest: Manifest, shorten: Shorten): EvidenceRun["run"] {
  const { plan, tasks, ...rest } = evidenceManifestSchema.parse(manifest); // without all else
  const { baseUrl, endpoints, ...bare } = plan;
  const addressed = Object.entries(endpoints ?? {}).map(([name, endpoint]) => {
    const { baseUrl: at } = endpoint;
    if (at === undefined) return [name, endpoint] as const;
    return [
      name,
      { ...endpoint, baseUrl: typeof at === "string" ? publicAddress(at) : at.map(publicAddress) },
    ] as const;
  });
  return {
    ...shorten(rest),
    plan: {
      ...shorten(bare),
      ...(baseUrl === undefined ? {} : { baseUrl: publicAddress(baseUrl) }),
      ...(endpoints === undefined ? {} : { endpoints: Object.fromEntries(addressed) }),
    },
    tasks: tasks.map(({ baselines: _, warnings: __, ...facts }) => shorten(facts)),
  };
}

/** Whether a text among a cell's settings was shortened: the cell is then no longer the one that its id names. */
export const isShortened = ({ id, ...content }: Cell): boolean => contentId(content).slice(0, id.length) !== id;
