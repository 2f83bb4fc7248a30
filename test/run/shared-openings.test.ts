import { describe, expect, it } from "vitest";
import { type PlannedRequest, sharedOpenings, unknownReply } from "../../src/run/shared-openings.js";
import { ask } from "../helpers/model-request.js";

const cache = { minTokens: 100, bytesPerToken: 4 };
const HEAD = "Of these examples:\n".repeat(30);
const at = (question: string, unit = "u") => ({ cell: "c", unit, question, phase: "answer" as const });
const planned = (text: string, question: string, more = {}, unit = "u"): PlannedRequest => ({
  request: ask(text, more),
  origin: at(question, unit),
});

describe("what calls of a plan begin with alike", () => {
  it("is the whole lines that they share, also for a question that was not walked through", () => {
    const of = sharedOpenings(
      [planned(`${HEAD}Which genre is one`, "1"), planned(`${HEAD}Which genre is two`, "2")],
      cache,
    );
    expect(of(ask(`${HEAD}Which genre is one`), at("1"))).toBe(HEAD.length);
    expect(of(ask(`${HEAD}Which else`), at("9", "other"))).toBe(HEAD.length);
    expect(of(ask(`A ${HEAD}`), at("1"))).toBeUndefined();
  });

  it("is nothing where one call alone has it, or it is shorter than what the provider keeps", () => {
    expect(
      sharedOpenings([planned(`${HEAD}one`, "1"), planned(`x${HEAD}two`, "2")], cache)(ask(`${HEAD}one`), at("1")),
    ).toBeUndefined();
    const short = sharedOpenings([planned("Hello there\none", "1"), planned("Hello there\ntwo", "2")], cache);
    expect(short(ask("Hello there\none"), at("1"))).toBeUndefined();
  });

  it("is the longer opening of some where that saves more than the short one of all", () => {
    const long = `${HEAD}${"And of these.\n".repeat(200)}`;
    const some = ["1", "2", "3", "4"].map((one) => planned(`${long}${one}`, one));
    const of = sharedOpenings([...some, planned(`${HEAD}five`, "5")], cache);
    expect(of(ask(`${long}1`), at("1"))).toBe(long.length);
    expect(of(ask(`${HEAD}five`), at("5"))).toBeUndefined();
  });

  it("is the system prompt, also where that rests on a reply that is not known yet", () => {
    const known = { system: HEAD };
    const of = sharedOpenings([planned("one", "1", known), planned("two", "2", known)], cache);
    expect(of(ask("three", known), at("3"))).toBe(0);
    const portrait = (key: string) => ({ system: `${HEAD}${unknownReply(key.repeat(64))}` });
    const resting = [
      planned("one", "1", portrait("a")),
      planned("two", "2", portrait("a")),
      planned("three", "3", portrait("b")),
    ];
    const later = sharedOpenings(resting, cache);
    const real = { system: `${HEAD}A reader of novels.` };
    expect(later(ask("one", real), at("1"))).toBe(0);
    expect(later(ask("three", real), at("3"))).toBeUndefined(); // rests on a reply of its own
  });

  it("is nothing for the turns of loops", () => {
    const tools = [{ name: "search", description: "Finds.", parameters: {} }];
    const loops = [planned(`${HEAD}one`, "1", { tools }), planned(`${HEAD}two`, "2", { tools })];
    expect(sharedOpenings(loops, cache)(loops[0]!.request, at("1"))).toBeUndefined();
  });
});
