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

const time = ["test/contracts/time.test.ts"];

/** Each once survived all tests, or is of the same kind: a promise broken in silence, in a place where nothing crashes. */
export const plants: readonly Plant[] = [
  {
    name: "learn-before-answer",
    harm: "a gold stands in memory when its own question is asked: scores of --online are inflated",
    edits: [
      {
        find: "  else if (settings.online === true)\n    await intoMemory(kit, settings, () => learned(arm.loaded.task, example, answerer, kit));\n",
        replace: "",
      },
      {
        find: "  let outcome: Outcome;\n  try {\n    outcome = readReply(",
        replace:
          "  if (settings.online === true) await learned(arm.loaded.task, example, answerer, kit);\n  let outcome: Outcome;\n  try {\n    outcome = readReply(",
      },
    ],
    tests: time,
  },
  {
    name: "scaling-keeps-other-axes",
    harm: "a scaling table holds points at which another option varies too",
    edits: [{ find: "!(knob in axes) || axes[knob] === base", replace: "true" }],
    tests: ["test/report/sweep.test.ts"],
  },
  {
    name: "page-reads-gold",
    harm: "the page shows every reply as if it had been read as the gold",
    edits: [
      {
        find: 'outcome.kind === "failed" ? undefined : outcome.lenient',
        replace: 'outcome.kind === "failed" ? undefined : "gold"',
      },
    ],
    tests: ["test/report/page.test.ts"],
  },
  {
    name: "margin-too-wide-to-pass",
    harm: "a gate passes a loss of up to 1.1 margins",
    edits: [{ find: "if (bound <= margin + ROUNDING)", replace: "if (bound <= 1.1 * margin + ROUNDING)" }],
    tests: ["test/results", "test/commands/gate.test.ts"],
  },
  {
    name: "worse-without-a-test",
    harm: "a gate fails runs that are worse by chance",
    edits: [{ find: "return loss > ROUNDING && isSignificant(found.holm)", replace: "return loss > ROUNDING" }],
    tests: ["test/results", "test/commands/gate.test.ts"],
  },
  {
    name: "cache-reads-at-the-low-price",
    harm: "long prompts read from a cache cost less than the provider asks",
    edits: [
      { find: "usdOf(high, above, rates)", replace: "usdOf(high, { ...above, cacheRead: row.cacheRead }, rates)" },
    ],
    tests: ["test/models/prices.test.ts"],
  },
  {
    name: "shared-units-as-users",
    harm: "calls per user are divided by more than there are users",
    edits: [{ find: "ratio(total, ownUnits.length)", replace: "ratio(total, units.length)" }],
    tests: ["test/report/summary.test.ts"],
  },
  {
    name: "repeat-and-draw-share-a-key",
    harm: "a repeat is answered from the draws of an earlier one: no spread where there is some",
    edits: [{ find: "cell.repeat * DRAWS_PER_REPEAT + (draw ?? 0)", replace: "cell.repeat + (draw ?? 0)" }],
    tests: ["test/run/kit.test.ts"],
  },
  {
    name: "others-same-day-hidden",
    harm: "what other users did on the day of a question is missing in its pool",
    edits: [{ find: "!(orders[index]! > asked)", replace: "!(orders[index]! >= asked)" }],
    tests: ["test/data"],
  },
  {
    name: "others-later-shown",
    harm: "the pool of other users shows what is later than the question",
    edits: [{ find: 'dated: settings.visible === "before-query"', replace: "dated: false" }],
    tests: time,
  },
  {
    name: "graph-finds-what-is-later",
    harm: "graph-rag shows events of other users that are later than the question",
    edits: [{ find: "others.visibleTo(user.id, question.date)", replace: "others.visibleTo(user.id, undefined)" }],
    tests: ["test/memory/graph/semantic-context.test.ts"], // with graph.asOf=run; a graph of the day holds nothing later
  },
  {
    name: "stream-side-by-side",
    harm: "the questions of an online run are asked side by side: what was learned from one is not known to the next",
    edits: [{ find: "const inOrder = isStream(arm, settings) || ", replace: "const inOrder = " }],
    tests: time,
  },
  {
    name: "others-hold-the-question",
    harm: "the pool of other users holds the text of a test question with its label",
    edits: [
      {
        find: "!texts.has(normalized(content)) && !ids.has(idOf(owner, id))",
        replace: "content !== undefined && !ids.has(idOf(owner, id))",
      },
    ],
    tests: time,
  },
  {
    name: "test-user-as-training-user",
    harm: "a test user's own future stands in the pool under training users",
    edits: [
      {
        find: ".filter(({ id }) => !askers.has(id))\n      .map(({ id, profile })",
        replace: ".map(({ id, profile })",
      },
    ],
    tests: ["test/data"],
  },
  {
    name: "own-question-shown",
    harm: "a past shows the very question, with its gold",
    edits: [{ find: 'if (event.id === question.id) return "own";', replace: "" }],
    tests: time,
  },
  {
    name: "same-text-shown",
    harm: "a past shows a copy of the question, with its gold",
    edits: [
      {
        find: 'return isSame(event.content) ? "sameText" : undefined;',
        replace: "void isSame;\n    return undefined;",
      },
    ],
    tests: time,
  },
  {
    name: "own-same-day-hidden",
    harm: "what a user did on the day of a question is missing in the user's past",
    edits: [
      {
        find: "(dateOrder(event.date) ?? Number.NaN) > asked;",
        replace: "(dateOrder(event.date) ?? Number.NaN) >= asked;",
      },
    ],
    tests: ["test/data"],
  },
  {
    name: "stream-starts-too-late",
    harm: "an online run starts from the past of one question, in which another one's answer may stand",
    edits: [
      {
        find: "others.every((keys) => keys.has(itemKey(fields)))",
        replace: "others.length >= 0 && fields !== undefined",
      },
    ],
    tests: ["test/run/online.test.ts"],
  },
  {
    name: "failed-is-done",
    harm: "a run taken up again never tries failed questions",
    edits: [{ find: " || failed.size > 0 || ", replace: " || failed === undefined || " }],
    tests: ["test/commands/run-resume.test.ts"],
  },
  {
    name: "cap-without-reservations",
    harm: "calls in flight together pass --max-usd",
    edits: [
      {
        find: "usd + uncertainUsd + this.reserved + upToUsd <= most.usd",
        replace: "usd + uncertainUsd + upToUsd <= most.usd",
      },
    ],
    tests: ["test/run/outside/caps.test.ts"],
  },
  {
    name: "shared-calls-are-free",
    harm: "what all users share is missing in the cost of an arm",
    edits: [
      {
        find: "dollars(cells, [rows, ownUnits, sharedUnits], material.prices, material.repeated)",
        replace: "dollars(cells, [rows, ownUnits], material.prices, material.repeated)",
      },
    ],
    tests: ["test/report/summary.test.ts"],
  },
  {
    name: "cache-writes-at-the-low-price",
    harm: "long prompts written to a cache cost less than the provider asks",
    edits: [
      { find: "usdOf(high, above, rates)", replace: "usdOf(high, { ...above, cacheWrite: row.cacheWrite }, rates)" },
    ],
    tests: ["test/models/prices.test.ts"],
  },
  {
    name: "unreadable-left-out",
    harm: "replies that cannot be read are left out of a score instead of counting as wrong",
    edits: [
      {
        find: '=> row.gold !== undefined && row.outcome.kind !== "failed"',
        replace: '=> row.gold !== undefined && row.outcome.kind === "answered"',
      },
    ],
    tests: ["test/report/summary.test.ts"],
  },
  {
    name: "holm-corrects-nothing",
    harm: "p over several comparisons is not corrected",
    edits: [
      {
        find: "const corrected = holm(pairs.flatMap(({ comparison }) => comparison.metrics[0]?.p ?? [])).values();",
        replace: "const corrected = pairs.flatMap(({ comparison }) => comparison.metrics[0]?.p ?? []).values();",
      },
    ],
    tests: ["test/results", "test/commands/compare.test.ts"],
  },
  {
    name: "utility-without-sign",
    harm: "rums shows memories that make the answer less sure",
    edits: [{ find: "plain.entropy - informed.entropy", replace: "Math.abs(plain.entropy - informed.entropy)" }],
    tests: ["test/selectors/rums.test.ts"],
  },
  {
    name: "rums-without-most",
    harm: "select=rums in another method shows more memories than rums.maxItems",
    edits: [{ find: 'Math.min(ask.k, options["rums.maxItems"])', replace: "ask.k" }],
    tests: ["test/selectors/rums.test.ts"],
  },
  {
    name: "threshold-itself-hidden",
    harm: "rums hides memories whose utility equals the threshold",
    edits: [{ find: "if (utility < threshold)", replace: "if (utility <= threshold)" }],
    tests: ["test/selectors/rums.test.ts"],
  },
  {
    name: "lowest-score-hidden",
    harm: "a memory whose score equals memory.minScore is not recalled",
    edits: [{ find: "score >= minScore", replace: "score > minScore" }],
    tests: ["test/memory/episodic.test.ts"],
  },
  {
    name: "common-concept-has-weight",
    harm: "a concept that every interaction holds decides to which community an interaction belongs",
    edits: [
      {
        find: "Math.log(graph.interactions.length / frequency)",
        replace: "Math.log(1 + graph.interactions.length / frequency)",
      },
    ],
    tests: ["test/memory/graph"],
  },
  {
    name: "month-of-31-days",
    harm: "dollars a month beside figure 3b of RUMS are a thirtieth too high",
    edits: [{ find: "1_000_000 * 30 * 0.001", replace: "1_000_000 * 31 * 0.001" }],
    tests: ["test/report/papers/selection-values.test.ts"],
  },
  {
    name: "similar-shows-six",
    harm: "the similarity baseline of RUMS shows more than five memories",
    edits: [{ find: "const MOST = 5;\n\nconst aboveOption", replace: "const MOST = 6;\n\nconst aboveOption" }],
    tests: ["test/selectors/similar.test.ts"],
  },
  {
    name: "cost-of-memory-with-selection",
    harm: "the extra tokens of RUMS, table 9, hold those of choosing",
    edits: [
      {
        find: "(spend.answer?.in ?? 0) - plainTokens",
        replace: "(spend.answer?.in ?? 0) + selectionSpend(spend).tokens - plainTokens",
      },
    ],
    tests: ["test/commands/rums/scores.test.ts"],
  },
  {
    name: "rows-in-order-of-arrival",
    harm: "equal runs leave other bytes: rows stand in the order in which replies happened to come",
    edits: [{ find: "of [...this.#places.keys()].sort()) {", replace: "of this.#places.keys()) {" }],
    tests: ["test/law/law.test.ts"], // killed.test.ts starts the built program, which has no bug
  },
  {
    name: "no-try",
    harm: "a killed run forgets what it may have paid: it passes its caps when it is taken up again",
    edits: [{ find: 'this.#log.append({ t: "try"', replace: 'void ({ t: "try"' }],
    tests: ["test/commands/run-resume.test.ts"],
  },
  {
    name: "crc-skipped",
    harm: "an edited or decayed reply is scored as the model's",
    edits: [
      { find: "crc32(body).toString(16) === tail[1] ? body", replace: "crc32(body).toString(16) !== undefined ? body" },
    ],
    tests: ["test/log/log.test.ts"],
  },
  {
    name: "last-answer-counts",
    harm: "rows do not come back: they were made from the first answer to a request",
    edits: [{ find: "if (!state.got.has(entry.key)) state.got.set(", replace: "state.got.set(" }],
    tests: ["test/log/log.test.ts"],
  },
  {
    name: "wave-lost",
    harm: "a batch that was sent before a kill is bought again",
    edits: [
      { find: 'log.append({ t: "wave", id, model, at: sinceMs, keys });', replace: "void [id, model, sinceMs, keys];" },
    ],
    tests: ["test/commands/batch.test.ts"],
  },
  {
    name: "settled-twice",
    harm: "a refused call is taken off --max-calls twice: more is sent than was allowed",
    edits: [{ find: "const left = settle(state, key);", replace: "const left = settle(state, key) ?? { usd: 0 };" }],
    tests: ["test/log/log.test.ts"],
  },
  {
    name: "retry-outside-the-cap",
    harm: "--max-calls counts calls, not tries: a server that fails is paid for more than was allowed",
    edits: [
      { find: "    (next) => capped(next, caps),", replace: "    " },
      {
        find: "    (next) => retried(next, {",
        replace: "    (next) => capped(next, caps),\n    (next) => retried(next, {",
      },
    ],
    tests: ["test/run/outside", "test/commands/run-resume.test.ts"],
  },
  {
    name: "gold-in-a-pack",
    harm: "a pack without requests hands golds on, which the licence of the data does not let out",
    edits: [{ find: "if (requests) for (const row of rows)", replace: "for (const row of rows)" }],
    tests: ["test/commands/verify.test.ts"],
  },
  {
    name: "replayed-failure-sent-again",
    harm: "a replay asks again for calls that failed, and misses them",
    edits: [
      {
        find: "isReplay ? (log.state.failed.get(key) ?? []) : []",
        replace: "isReplay ? [] : (log.state.failed.get(key) ?? [])",
      },
    ],
    tests: ["test/app/replay.test.ts"],
  },
  {
    name: "reuse-across-servers",
    harm: "replies of another server, perhaps of another model by that name, are scored as this one's",
    edits: [
      {
        find: "isReplay || isDeepStrictEqual(models[id], manifest.models?.[id])",
        replace: "isReplay || isDeepStrictEqual(models[id], models[id])",
      },
    ],
    tests: ["test/app/shards.test.ts"],
  },
];
