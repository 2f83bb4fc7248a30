/** A change of one text of the source to another. The old one must stand in exactly one file, exactly once. */
export interface Edit {
  readonly find: string;
  readonly replace: string;
}

/** A bug to plant, and the tests that must notice. */
export interface Plant {
  readonly name: string;
  /** What a user would be told wrongly. */
  readonly harm: string;
  readonly edits: readonly Edit[];
  /** Test files or folders, from the root. */
  readonly tests: readonly string[];
}

/** `texts`: what to find and what to write instead, in turn. */
function plant(tests: readonly string[], name: string, harm: string, ...texts: readonly string[]): Plant {
  const edits = texts.flatMap((find, at) => (at % 2 === 0 ? [{ find, replace: texts[at + 1]! }] : []));
  return { name, harm, edits, tests };
}

/** Each once survived all tests, or is of the same kind: a promise broken in silence, in a place where nothing crashes. */
export const plants: readonly Plant[] = [
  plant(
    ["test/contracts/time.test.ts"],
    "learn-before-answer",
    "a gold stands in memory when its own question is asked: scores of --online are inflated",
    "  else if (settings.online === true)\n    await intoMemory(kit, settings, () => learned(loaded.task, example, answerer, kit));\n",
    "",
    "  let outcome: Outcome;\n  try {\n    outcome = readReply(",
    "  if (settings.online === true) await learned(loaded.task, example, answerer, kit);\n  let outcome: Outcome;\n  try {\n    outcome = readReply(",
  ),
  plant(
    ["test/report/sweep.test.ts"],
    "scaling-keeps-other-axes",
    "a scaling table holds points at which another option varies too",
    "!(knob in axes) || axes[knob] === base",
    "true",
  ),
  plant(
    ["test/report/page.test.ts"],
    "page-reads-gold",
    "the page shows every reply as if it had been read as the gold",
    "[outcome.error] : [outcome.reply, outcome.lenient]",
    '[outcome.error] : [outcome.reply, "gold"]',
  ),
  plant(
    ["test/results", "test/commands/gate.test.ts"],
    "margin-too-wide-to-pass",
    "a gate passes a loss of up to 1.1 margins",
    "if (bound <= margin + ROUNDING)",
    "if (bound <= 1.1 * margin + ROUNDING)",
  ),
  plant(
    ["test/results", "test/commands/gate.test.ts"],
    "worse-without-a-test",
    "a gate fails runs that are worse by chance",
    "return loss > ROUNDING && isSignificant(found.holm)",
    "return loss > ROUNDING",
  ),
  plant(
    ["test/models/prices.test.ts"],
    "cache-reads-at-the-low-price",
    "long prompts read from a cache cost less than the provider asks",
    "usdOf(high, above, rates)",
    "usdOf(high, { ...above, cacheRead: row.cacheRead }, rates)",
  ),
  plant(
    ["test/results/summary.test.ts"],
    "shared-units-as-users",
    "calls per user are divided by more than there are users",
    "ratio(total, ownUnits.length)",
    "ratio(total, units.length)",
  ),
  plant(
    ["test/run/kit.test.ts"],
    "repeat-and-draw-share-a-key",
    "a repeat is answered from the draws of an earlier one: no spread where there is some",
    "cell.repeat * DRAWS_PER_REPEAT + (draw ?? 0)",
    "cell.repeat + (draw ?? 0)",
  ),
  plant(
    ["test/data"],
    "others-same-day-hidden",
    "what other users did on the day of a question is missing in its pool",
    "!(orders[index]! > asked)",
    "!(orders[index]! >= asked)",
  ),
  plant(
    ["test/contracts/time.test.ts"],
    "others-later-shown",
    "the pool of other users shows what is later than the question",
    'dated: settings.visible === "before-query"',
    "dated: false",
  ),
  plant(
    ["test/memory/graph/semantic-context.test.ts"], // with graph.asOf=run; a graph of the day holds nothing later
    "graph-finds-what-is-later",
    "graph-rag shows events of other users that are later than the question",
    "others.visibleTo(user.id, question.date)",
    "others.visibleTo(user.id, undefined)",
  ),
  plant(
    ["test/contracts/time.test.ts"],
    "stream-side-by-side",
    "the questions of an online run are asked side by side: what was learned from one is not known to the next",
    "if (isStream(arm, settings) || ",
    "if (",
  ),
  plant(
    ["test/contracts/time.test.ts"],
    "others-hold-the-question",
    "the pool of other users holds the text of a test question with its label",
    "!texts.has(normalized(content)) && !ids.has(idOf(owner, id))",
    "content !== undefined && !ids.has(idOf(owner, id))",
  ),
  plant(
    ["test/data"],
    "test-user-as-training-user",
    "a test user's own future stands in the pool under training users",
    ".filter(({ id }) => !askers.has(id))\n      .map(({ id, profile })",
    ".map(({ id, profile })",
  ),
  plant(
    ["test/contracts/time.test.ts"],
    "own-question-shown",
    "a past shows the very question, with its gold",
    'if (event.id === question.id) return "own";',
    "",
  ),
  plant(
    ["test/contracts/time.test.ts"],
    "same-text-shown",
    "a past shows a copy of the question, with its gold",
    'return isSame(event.content) ? "sameText" : undefined;',
    "void isSame;\n    return undefined;",
  ),
  plant(
    ["test/data"],
    "own-same-day-hidden",
    "what a user did on the day of a question is missing in the user's past",
    "(dateOrder(event.date) ?? Number.NaN) > asked;",
    "(dateOrder(event.date) ?? Number.NaN) >= asked;",
  ),
  plant(
    ["test/run/online.test.ts"],
    "stream-starts-too-late",
    "an online run starts from the past of one question, in which another one's answer may stand",
    "others.every((keys) => keys.has(itemKey(fields)))",
    "others.length >= 0 && fields !== undefined",
  ),
  plant(
    ["test/commands/run-resume.test.ts"],
    "failed-is-done",
    "a run taken up again never tries failed questions",
    " || failed.size > 0 || ",
    " || failed === undefined || ",
  ),
  plant(
    ["test/run/outside/caps.test.ts"],
    "cap-without-reservations",
    "calls in flight together pass --max-usd",
    "usd + uncertainUsd + this.reserved + upToUsd <= most.usd",
    "usd + uncertainUsd + upToUsd <= most.usd",
  ),
  plant(
    ["test/results/summary.test.ts"],
    "shared-calls-are-free",
    "what all users share is missing in the cost of an arm",
    "dollars(cells, [rows, ownUnits, sharedUnits], material.prices, material.repeated)",
    "dollars(cells, [rows, ownUnits], material.prices, material.repeated)",
  ),
  plant(
    ["test/models/prices.test.ts"],
    "cache-writes-at-the-low-price",
    "long prompts written to a cache cost less than the provider asks",
    "usdOf(high, above, rates)",
    "usdOf(high, { ...above, cacheWrite: row.cacheWrite }, rates)",
  ),
  plant(
    ["test/results/summary.test.ts"],
    "unreadable-left-out",
    "replies that cannot be read are left out of a score instead of counting as wrong",
    '=> row.gold !== undefined && row.outcome.kind !== "failed"',
    '=> row.gold !== undefined && row.outcome.kind === "answered"',
  ),
  plant(
    ["test/results", "test/commands/compare.test.ts"],
    "holm-corrects-nothing",
    "p over several comparisons is not corrected",
    "const corrected = holm(pairs.flatMap(({ comparison }) => comparison.metrics[0]?.p ?? [])).values();",
    "const corrected = pairs.flatMap(({ comparison }) => comparison.metrics[0]?.p ?? []).values();",
  ),
  plant(
    ["test/selectors/rums.test.ts"],
    "utility-without-sign",
    "rums shows memories that make the answer less sure",
    "plain.entropy - informed.entropy",
    "Math.abs(plain.entropy - informed.entropy)",
  ),
  plant(
    ["test/selectors/rums.test.ts"],
    "rums-without-most",
    "select=rums in another method shows more memories than rums.maxItems",
    'Math.min(ask.k, options["rums.maxItems"])',
    "ask.k",
  ),
  plant(
    ["test/selectors/rums.test.ts"],
    "threshold-itself-hidden",
    "rums hides memories whose utility equals the threshold",
    "if (utility < threshold)",
    "if (utility <= threshold)",
  ),
  plant(
    ["test/memory/episodic.test.ts"],
    "lowest-score-hidden",
    "a memory whose score equals memory.minScore is not recalled",
    "score >= least",
    "score > least",
  ),
  plant(
    ["test/memory/graph"],
    "common-concept-has-weight",
    "a concept that every interaction holds decides to which community an interaction belongs",
    "Math.log(graph.interactions.length / frequency)",
    "Math.log(1 + graph.interactions.length / frequency)",
  ),
  plant(
    ["test/report/papers/selection-values.test.ts"],
    "month-of-31-days",
    "dollars a month beside figure 3b of RUMS are a thirtieth too high",
    "1_000_000 * 30 * 0.001",
    "1_000_000 * 31 * 0.001",
  ),
  plant(
    ["test/selectors/similar.test.ts"],
    "similar-shows-six",
    "the similarity baseline of RUMS shows more than five memories",
    "const MOST = 5;\n\nconst aboveOption",
    "const MOST = 6;\n\nconst aboveOption",
  ),
  plant(
    ["test/commands/rums-eval.test.ts"],
    "cost-of-memory-with-selection",
    "the extra tokens of RUMS, table 9, hold those of choosing",
    "(spend.answer?.in ?? 0) - plainTokens",
    "(spend.answer?.in ?? 0) + selectionSpend(spend).tokens - plainTokens",
  ),
  // killed.test.ts starts the built program, which has no bug
  plant(
    ["test/law/law.test.ts"],
    "rows-in-order-of-arrival",
    "equal runs leave other bytes: rows stand in the order in which replies happened to come",
    "of [...this.#places.keys()].sort()) {",
    "of this.#places.keys()) {",
  ),
  plant(
    ["test/commands/run-resume.test.ts"],
    "no-try",
    "a killed run forgets what it may have paid: it passes its caps when it is taken up again",
    'this.#log.append({ t: "try"',
    'void ({ t: "try"',
  ),
  plant(
    ["test/log/log.test.ts"],
    "crc-skipped",
    "an edited or decayed reply is scored as the model's",
    "crc32(body).toString(16) === tail[1] ? body",
    "crc32(body).toString(16) !== undefined ? body",
  ),
  plant(
    ["test/log/log.test.ts"],
    "last-answer-counts",
    "rows do not come back: they were made from the first answer to a request",
    "if (!state.got.has(entry.key)) state.got.set(",
    "state.got.set(",
  ),
  plant(
    ["test/commands/batch.test.ts"],
    "wave-lost",
    "a batch that was sent before a kill is bought again",
    'log.append({ t: "wave", id, model, at: sinceMs, keys });',
    "void [id, model, sinceMs, keys];",
  ),
  plant(
    ["test/log/log.test.ts"],
    "settled-twice",
    "a refused call is taken off --max-calls twice: more is sent than was allowed",
    "const left = settle(state, key);",
    "const left = settle(state, key) ?? { usd: 0 };",
  ),
  plant(
    ["test/run/outside", "test/commands/run-resume.test.ts"],
    "retry-outside-the-cap",
    "--max-calls counts calls, not tries: a server that fails is paid for more than was allowed",
    "    (next) => capped(next, caps),",
    "    ",
    "    (next) => retried(next, settings),",
    "    (next) => capped(next, caps),\n    (next) => retried(next, settings),",
  ),
  plant(
    ["test/commands/verify.test.ts"],
    "gold-in-a-pack",
    "a pack without requests hands golds on, which the licence of the data does not let out",
    "if (requests) for (const row of rows)",
    "for (const row of rows)",
  ),
  plant(
    ["test/run/replay.test.ts"],
    "replayed-failure-sent-again",
    "a replay asks again for calls that failed, and misses them",
    "replayed?.log.state.failed.get(key)",
    "undefined",
  ),
  plant(
    ["test/commands/shards.test.ts"],
    "reuse-across-servers",
    "replies of another server, perhaps of another model by that name, are scored as this one's",
    "isReplay || isDeepStrictEqual(models[id], manifest.models?.[id])",
    "isReplay || isDeepStrictEqual(models[id], models[id])",
  ),
];
