import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { offline } from "../../../src/models/providers/offline/index.js";
import { lexical } from "../../../src/models/providers/offline/lexical.js";
import type { Message, ModelReply, ModelRequest } from "../../../src/types/index.js";

/** A request with one user turn. */
function requestOf(content: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", content }];
  return { messages, maxTokens: 1024, sample: 0, ...more };
}

const replyTo = (content: string, more: Partial<ModelRequest> = {}): ModelReply => lexical(requestOf(content, more));

/** A movie question in the official wording. */
const movieQuestion = (plot: string): string =>
  "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. " +
  "tags: [sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, " +
  `thought-provoking, social commentary, violence, true story] description: ${plot}`;

const source = fileURLToPath(new URL("../../../src/models/providers/offline", import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const question = movieQuestion("A robot crew drifts through space until a wizard stops the clock.");

test("an item that tells of people from 22 to 57 asks for no rating", () => {
  const items = "2018-05-01 | article: People from 22 to 57 came to the town. | headline: Old And Young Meet In Town";
  expect(replyTo(`Describe the headlines of this author. User History:\n${items}\nAnswer:`).text).toMatch(/^Often: /);
});

describe("purity", () => {
  test.each(files)("%s uses no clock, network, environment, files or unseeded randomness", (file) => {
    const text = readFileSync(path.join(source, file), "utf8");
    expect(text).not.toMatch(/\b(?:process|fetch|performance|setTimeout|globalThis)\b|Date\.now|new Date|Math\.random/);
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? "");
    expect(imports.filter((from) => !from.startsWith("."))).toEqual([]);
  });

  test("a request that went through JSON gets the very same reply, and is not changed", () => {
    const request: ModelRequest = requestOf(question, { temperature: 1, sample: 3, logprobs: 5 });
    const before = JSON.stringify(request);
    expect(lexical(JSON.parse(before) as ModelRequest)).toEqual(lexical(request));
    expect(JSON.stringify(request)).toBe(before);
  });
});

describe("sampling", () => {
  const answers = (temperature: number): Set<string> =>
    new Set(Array.from({ length: 40 }, (_, sample) => replyTo(question, { temperature, sample }).text));

  test("temperature 0 always gives the likeliest answer", () => {
    expect(answers(0).size).toBe(1);
  });

  test("a high temperature varies with the sample number, within the options", () => {
    expect(answers(2).size).toBeGreaterThan(3);
    for (const answer of answers(2)) expect(question).toContain(answer);
  });
});

describe("the reply", () => {
  test("says that it is simulated, by which weights, and that usage is estimated", () => {
    const reply = replyTo(question);
    expect(reply.simulated).toBe(true);
    expect(reply.model).toBe("lexical-2");
    expect(reply.usage.estimated).toBe(true);
    expect(reply.usage.out).toBe(Math.ceil(reply.text.length / 4));
    expect(reply.usage.in).toBeGreaterThan(question.length / 4);
    expect(reply.stop).toBe("end");
  });

  test("is cut at the token limit and at stop sequences, and says so", () => {
    const history =
      "User History:\n2020 | movie: A quiet town. | tag: comedy\n2021 | movie: A loud town. | tag: action";
    const whole = replyTo(`Summarize what this user likes.\n${history}`).text;
    const cut = replyTo(`Summarize what this user likes.\n${history}`, { maxTokens: 5 });
    expect(cut.stop).toBe("length");
    expect(whole.startsWith(cut.text)).toBe(true);
    const stopped = replyTo(`Summarize what this user likes.\n${history}`, { stop: ["Labels"] });
    expect(stopped).toMatchObject({ stop: "stop-sequence", text: whole.slice(0, whole.indexOf("Labels")) });
  });

  test("has log-probabilities whose alternatives sum to one and whose chain prefers the answer", () => {
    const reply = replyTo(question, { logprobs: 20 });
    expect(reply.logprobs?.[0]?.top.length).toBeGreaterThan(10);
    for (const { logprob, top } of reply.logprobs ?? []) {
      expect(top.reduce((sum, choice) => sum + Math.exp(choice.logprob), 0)).toBeCloseTo(1, 9);
      expect(logprob).toBeLessThanOrEqual(1e-12);
    }
    expect(replyTo(question, { logprobs: 3, maxTokens: 1 }).logprobs?.length).toBe(1);
    expect(replyTo(question).logprobs).toBeUndefined();
  });

  test("are told of a line of a dialogue too, and are surer of one that something known speaks to", () => {
    const line = "Where do I live these days?";
    const known = (fact: string) => `What is known of the user:\n2024-03-02 | ${fact}\n\n${line}`;
    const surest = (turn: string) =>
      Math.max(...(replyTo(turn, { logprobs: 20 }).logprobs?.[0]?.top.map(({ logprob }) => logprob) ?? []));
    expect(surest(line)).toBeCloseTo(-Math.log(8), 6);
    expect(surest(known("I live in Arden these days."))).toBeGreaterThan(-0.1);
    expect(surest(known("Pears are sweet."))).toBeLessThan(-1);
    expect(replyTo(line).logprobs).toBeUndefined();
  });
});

describe("the provider", () => {
  test("opens lexical without any environment", async () => {
    const model = await offline.open("lexical", { env: {}, concurrency: 1 });
    expect(model).toMatchObject({ id: "offline/lexical", simulated: true });
    expect(await model.complete(requestOf(question), new AbortController().signal)).toEqual(replyTo(question));
    await expect(model.complete(requestOf(question), AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});
