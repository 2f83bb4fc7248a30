import { ModelError, UsageError } from "../../errors.js";
import type { Kit, Selecting, Selector } from "../../types.js";
import { featuresOf, openCases } from "./features.js";
import { shareOf, standardized } from "./logistic.js";
import { readLogreg, userHash } from "./logreg-file.js";

export const rumsLogreg: Selector = {
  name: "rums-logreg",
  summary: "a small classifier trained on RUMS utilities (lamp-eval rums train): no call at all (rums-logreg:FILE)",
  source: "METHODS 9.4: after the RUMS-Model of RUMS, which is a DeBERTa; this one is not the paper's",
  options: {},
  takes: "file",
  async open(history, _options, use, unitKit) {
    const model = readLogreg(unitKit.file(use.argument ?? ""), use.argument ?? "");
    refuseOtherEmbedder(model.trainedOn.embedder, unitKit);
    const kitOf = ({ embedder, random }: Kit) => ({ embedder, random: random(use.stream) });
    const cases = await openCases(history, model.priors, use, kitOf(unitKit));
    const events = [...history];
    const selecting: Selecting = async ({ query, k }) => {
      const rows = (await cases(query)).map((one) => featuresOf(one, model.projection));
      const shares = rows.map((row) => shareOf(model, standardized(row, model)));
      const ranked = events.map((event, at) => ({ event, share: shares[at]! })).sort((a, b) => b.share - a.share); // stable: of equal shares the earlier event
      const chosen = ranked
        .slice(0, k)
        .filter(({ share }) => share >= model.cutoff)
        .map(({ event, share }) => ({ event, score: share, reason: `share ${share.toFixed(3)}` }));
      const none = `no event has a share of ${model.cutoff} or more`;
      return { chosen, ...(chosen.length === 0 ? { abstained: none } : {}) };
    };
    selecting.add = async (event, kit) => {
      events.push(event);
      await cases.add(event, kitOf(kit));
    };
    return selecting;
  },
  checkFile(text, name, units, task) {
    const { trainedOn } = readLogreg(text, name);
    if (trainedOn.task !== task)
      throw new UsageError(
        `select=rums-logreg:${name}: trained on ${trainedOn.task}, the run is of ${task}; train one on ${task}`,
      );
    const trained = new Set(trainedOn.users);
    for (const { user } of units)
      if (trained.has(userHash(user.id)))
        throw new UsageError(
          `select=rums-logreg:${name}: user ${user.id} was in its training; a trained selector is tried on other users`,
        );
    return undefined;
  },
};

function refuseOtherEmbedder(trained: string, { embedder }: Kit): void {
  if (embedder.id !== trained)
    throw new ModelError(`rums-logreg: trained with the embedder ${trained}, the run has ${embedder.id}`, {
      retryable: false,
      scope: "stop",
    });
}
