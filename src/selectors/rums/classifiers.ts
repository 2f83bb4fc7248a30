import { fatalError, UsageError } from "../../errors.js";
import type { Event, Kit, OpenSelector, Selector } from "../../types/index.js";
import { questionHash, readBinary, readMulti, userHash } from "./classifier-file.js";
import { featuresOf, openCases } from "./features.js";
import { predictProbability, standardized } from "./logistic.js";
import { projected } from "./principal.js";

const NOT_THE_PAPERS =
  "after RUMS section 3.4: the paper's is a DeBERTa, whose weights are not published; rums train makes a logistic regression";

export const rumsBinary: Selector = {
  name: "rums-binary",
  summary: "past events that a classifier of question and event takes for useful, no call at all (rums-binary:FILE)",
  source: `RUMS-Binary, ${NOT_THE_PAPERS} (METHODS 9.4)`,
  options: {},
  takes: "file",
  embeds: () => true,
  async open(history, _options, { argument: name = "", ...use }, unitKit) {
    const model = readBinary(unitKit.file(name), name);
    refuseOtherEmbedder(model.trainedOn.embedder, unitKit);
    const kitOf = ({ embedder, random }: Kit) => ({ embedder, random: random(use.stream) });
    const cases = await openCases(history, model.priors, use, kitOf(unitKit));
    const probabilities = async (query: string): Promise<number[]> => {
      const rows = (await cases(query)).map((one) => featuresOf(one, model.projection));
      return rows.map((row) => predictProbability(model, standardized(row, model)));
    };
    return openByProbability([...history], probabilities, model.cutoff, (event, kit) => cases.add(event, kitOf(kit)));
  },
  checkFile(text, name, units, task) {
    const { trainedOn } = readBinary(text, name);
    refuseOtherTask(`select=rums-binary:${name}`, trainedOn.task, task);
    const trained = new Set(trainedOn.users);
    for (const { user } of units)
      if (trained.has(userHash(user.id)))
        throw new UsageError(
          `select=rums-binary:${name}: user ${user.id} was in its training; a trained selector is tried on other users`,
        );
    return undefined;
  },
};

export const rumsMulti: Selector = {
  name: "rums-multi",
  summary:
    "attributes that a classifier of the question alone takes for useful, where data have fixed ones (rums-multi:FILE)",
  source: `RUMS-Multi, ${NOT_THE_PAPERS}`,
  options: {},
  takes: "file",
  embeds: () => true,
  async open(history, _options, { argument: name = "" }, unitKit) {
    const events = [...history];
    if (events.some((event) => attributeOf(event) === undefined))
      throw fatalError(
        `select=rums-multi:${name}: events of this task have no attributes; RUMS-Multi is for profiles with fixed ones (rums-binary takes any)`,
      );
    const model = readMulti(unitKit.file(name), name);
    refuseOtherEmbedder(model.trainedOn.embedder, unitKit);
    const probabilities = async (query: string): Promise<number[]> => {
      const [vector] = await unitKit.embedder.embed([query]);
      const row = standardized(projected(vector!, model.projection), model); // one vector for one text
      const ofAttribute = model.models.map((one) => predictProbability(one, row));
      return events.map((event) => ofAttribute[model.attributes.indexOf(attributeOf(event) ?? "")] ?? 0); // unknown ones: 0
    };
    return openByProbability(events, probabilities, model.cutoff);
  },
  checkFile(text, name, units, task) {
    const { trainedOn } = readMulti(text, name);
    refuseOtherTask(`select=rums-multi:${name}`, trainedOn.task, task);
    const trained = new Set(trainedOn.questions);
    for (const { examples } of units)
      for (const { question } of examples)
        if (trained.has(questionHash(question.query)))
          throw new UsageError(
            `select=rums-multi:${name}: question ${question.id} was in its training; a trained selector is tried on other questions`,
          );
    return undefined;
  },
};

/** Returns the attribute of an event where data have fixed ones; undefined elsewhere. */
export const attributeOf = ({ fields }: Event): string | undefined => fields.attribute;

/** The best events at or above the cut-off; of equal probabilities the earlier one. */
function openByProbability(
  events: Event[],
  probabilitiesOf: (query: string) => Promise<readonly number[]>,
  cutoff: number,
  added?: (event: Event, kit: Kit) => Promise<void>,
): OpenSelector {
  const selecting: OpenSelector = async ({ query, k }) => {
    const probabilities = await probabilitiesOf(query);
    const ranked = events
      .map((event, at) => ({ event, probability: probabilities[at]! }))
      .sort((a, b) => b.probability - a.probability); // stable
    const chosen = ranked
      .slice(0, k)
      .filter(({ probability }) => probability >= cutoff)
      .map(({ event, probability }) => ({
        event,
        score: probability,
        reason: `probability ${probability.toFixed(3)}`,
      }));
    return { chosen, ...(chosen.length === 0 ? { abstained: `no event has a probability of ${cutoff} or more` } : {}) };
  };
  selecting.add = async (event, kit) => {
    events.push(event);
    await added?.(event, kit);
  };
  return selecting;
}

function refuseOtherTask(what: string, trained: string, task: string): void {
  if (trained !== task)
    throw new UsageError(`${what}: trained on ${trained}, the run is of ${task}; train one on ${task}`);
}

function refuseOtherEmbedder(trained: string, { embedder }: Kit): void {
  if (embedder.id !== trained) throw fatalError(`trained with the embedder ${trained}, the run has ${embedder.id}`);
}
