import { afterEach, describe, expect, test } from "vitest";
import { mediawikiGet } from "../../../src/agent/tools/mediawiki.js";
import { parseWikiFixture, wikiFixture } from "../../../src/agent/tools/wiki-fixture.js";
import { type WikiSettings, wikiOptions, wikipediaTool } from "../../../src/agent/tools/wikipedia.js";
import { complete, readOptions } from "../../../src/registry/options.js";
import type { OptionValue } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import {
  apiError,
  type MediawikiServer,
  type MediawikiSettings,
  mediawikiServer,
} from "../../helpers/mediawiki-server.js";

const servers: MediawikiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const pages = [
  { title: "Space opera", extract: "Space opera is a kind of science fiction." },
  { title: "Space Opera (film)", redirect: "Space opera" },
  { title: "Opera", disambiguation: true, extract: "Opera may refer to:" },
  { title: "Comedy", extract: "Comedy makes people laugh." },
];

async function setUp(served: MediawikiSettings, set: Record<string, OptionValue> = {}) {
  const server = await mediawikiServer({ pages, ...served });
  servers.push(server);
  const clock = fakeClock(Date.UTC(2024, 4, 6));
  const access = { fetch, clock, userAgent: "lamp-eval/test (me@example.org)", endpoint: server.endpoint };
  return { server, clock, access, fixture: wikiFixture([]), settings: settingsOf(set) };
}

const settingsOf = (set: Record<string, OptionValue>): WikiSettings =>
  readOptions(wikiOptions, complete(wikiOptions, set));

const use = (incidents: string[] = []) => ({
  timeoutMs: 5000,
  signal: new AbortController().signal,
  note: () => {},
  count: (incident: string) => void incidents.push(incident),
});

async function ask(served: MediawikiSettings, query: string, set: Record<string, OptionValue> = {}) {
  const world = await setUp(served, set);
  const observation = await wikipediaTool(world)!.run({ query }, use());
  return { ...world, observation };
}

describe("a live search", () => {
  test("gives the introductions in search order with two requests and our own User-Agent", async () => {
    const { observation, server } = await ask({ found: { laugh: ["Space opera", "Comedy"] } }, "laugh");
    expect(observation).toBe(
      "Page: Space opera\nSummary: Space opera is a kind of science fiction.\n\nPage: Comedy\nSummary: Comedy makes people laugh.",
    );
    expect(server.requests).toHaveLength(2);
    expect(server.requests.every(({ userAgent }) => userAgent === "lamp-eval/test (me@example.org)")).toBe(true);
    const parameters = server.requests.map((request) => Object.fromEntries(request.parameters));
    expect(parameters[0]).toMatchObject({ list: "search", srsearch: "laugh", srlimit: "3", maxlag: "5" });
    expect(parameters[1]).toMatchObject({ titles: "Space opera|Comedy", exintro: "1", redirects: "1" });
  });

  test("that is never answered ends after its timeout, whatever the fetch does with its signal", async () => {
    const { access } = await setUp({});
    const get = mediawikiGet({ ...access, fetch: () => new Promise(() => {}) });
    await expect(get({}, { timeoutMs: 10, signal: new AbortController().signal })).rejects.toThrow(
      "Wikipedia: no reply within 0.01 s",
    );
  });

  test("follows redirects and title forms, keeping the title of the search", async () => {
    const { observation } = await ask({ found: { q: ["Space Opera (film)", "comedy"] } }, "q");
    expect(observation).toContain("Page: Space Opera (film)\nSummary: Space opera is a kind");
    expect(observation).toContain("Page: comedy\nSummary: Comedy makes");
  });

  test("cuts the query to 300 characters and the whole output to 4000", async () => {
    const { server } = await ask({}, "q".repeat(400));
    expect(server.requests[0]?.parameters.get("srsearch")).toBe("q".repeat(300));
    const long = [{ title: "Long", extract: "x".repeat(5000) }];
    const { observation } = await ask({ pages: long, found: { q: ["Long"] } }, "q");
    expect(observation).toHaveLength(4000);
    expect(observation.startsWith("Page: Long\nSummary: xxx")).toBe(true);
  });

  test("sends one request at a time", async () => {
    const world = await setUp({ found: { a: ["Comedy"], b: ["Space opera"] } });
    const tool = wikipediaTool(world)!;
    await Promise.all(["a", "b"].map((query) => tool.run({ query }, use())));
    expect(world.server.requests).toHaveLength(4);
    expect(world.server.mostAtOnce()).toBe(1);
  });
});

describe("a busy server", () => {
  const found = { q: ["Comedy"] };

  test("is left alone as long as it asks: 429 and 503 with Retry-After in seconds or as a date", async () => {
    const dates = {
      date: new Date(Date.UTC(2024, 4, 6, 0, 0, 2)).toUTCString(),
      "retry-after": new Date(Date.UTC(2024, 4, 6, 0, 0, 12)).toUTCString(),
    };
    const { clock, observation } = await ask(
      {
        found,
        faults: {
          0: { status: 429, headers: { "retry-after": "2" }, body: "slow down" },
          1: { status: 503, headers: dates, body: "" },
        },
      },
      "q",
    );
    expect(clock.sleeps).toEqual([2000, 10_000]);
    expect(observation).toContain("Comedy makes people laugh.");
  });

  test("is given up after five tries; the next search goes through", async () => {
    const busy = { status: 429, body: "" };
    const world = await setUp({ found, faults: { 0: busy, 1: busy, 2: busy, 3: busy, 4: busy } });
    const tool = wikipediaTool(world)!;
    await expect(tool.run({ query: "q" }, use())).rejects.toThrow("Wikipedia: status 429 (gave up after 5 tries)");
    expect(await tool.run({ query: "q" }, use())).toContain("Comedy");
  });

  test("other errors of the API and answers that are not JSON are short errors", async () => {
    const failing = {
      found,
      faults: {
        0: { status: 200, body: apiError("badvalue", "bad") },
        1: { status: 200, body: "<html>" },
        2: { status: 404, body: "" },
      },
    };
    const tool = wikipediaTool(await setUp(failing))!;
    await expect(tool.run({ query: "q" }, use())).rejects.toThrow("Wikipedia: badvalue: bad");
    await expect(tool.run({ query: "q" }, use())).rejects.toThrow("not JSON");
    await expect(tool.run({ query: "q" }, use())).rejects.toThrow("status 404");
  });
});

test("the built-in fixture of the demo can be read and answers for its topics", async () => {
  const { readFile } = await import("node:fs/promises");
  const file = new URL("../../../datasets/demo/wikipedia.json", import.meta.url);
  const fixture = parseWikiFixture(await readFile(file, "utf8"), "wikipedia.json");
  expect(fixture.entries.length).toBeGreaterThan(30);
  expect(fixture.find("comedy")?.pages[0]?.summary).toMatch(/\w+/);
  const summaries = fixture.entries.flatMap(({ pages }) => pages.map(({ summary }) => summary));
  const distributed = /most common|often taken for|many users|most citations|\bcounts?\b|\bdistribution\b|\d ?%/i;
  expect(summaries.filter((summary) => distributed.test(summary))).toEqual([]);
});
