import { nounOf } from "../../text/count.js";
import type { Claim, Finding, OwnArm } from "../papers/paper.js";
import { commonLines, jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { formatScore } from "../tables/format.js";

/** What "unlike" means in PersonaAgent: Jaccard similarity of the two word sets. */
const UNLIKE = 0.4;

/** "Learned personas of different users are mostly unlike": most pairs have a similarity of .4 at most. */
export const mostlyUnlike = (source: string): Claim =>
  ofPersonas(
    "the personas of different users mostly have a Jaccard similarity of .4 at most",
    source,
    ({ texts, all, withoutTemplate }) => {
      const pairs = jaccardMatrix(texts).flatMap((row, i) => row.slice(0, i));
      const share = pairs.filter((similarity) => similarity <= UNLIKE).length / pairs.length;
      return {
        holds: share > 0.5,
        evidence: [
          `${texts.length} ${nounOf(texts.length, "persona")}, ${pairs.length} ${nounOf(pairs.length, "pair")}: ${(100 * share).toFixed(0)} % at ${formatScore(UNLIKE)} or below; ${spreadText(all)}`,
          `without the words of the initial template: ${spreadText(withoutTemplate)}`,
        ],
      };
    },
  );

/** "Learned personas are well separated": no two users have the same one, and alignment changed them. */
export const distinctPersonas = (source: string): Claim =>
  ofPersonas(
    "the learned personas are apart from each other and from the template",
    source,
    ({ texts, changed, all }) => {
      const different = new Set(texts).size;
      return {
        holds: different === texts.length && 2 * changed > texts.length,
        evidence: [
          `${different} ${nounOf(different, "different persona")} of ${texts.length}; changed by alignment: ${changed}`,
          `Jaccard similarity of pairs: ${spreadText(all)}`,
        ],
      };
    },
  );

interface Personas extends Pick<ReturnType<typeof jaccardReport>, "all" | "withoutTemplate"> {
  readonly texts: readonly string[];
  /** How many are not the initial one. */
  readonly changed: number;
}

/** A claim about the personas of the first arm that has two or more. */
const ofPersonas = (text: string, source: string, finding: (personas: Personas) => Finding): Claim => ({
  text,
  source,
  needs: "persona-agent on lamp2m, two users or more",
  check(arms: readonly OwnArm[]) {
    const { personas } = arms.find((arm) => arm.personas.length > 1) ?? {};
    if (personas === undefined) return undefined;
    const texts = personas.map((one) => one.text);
    const template = commonLines(personas.map(({ initial }) => initial)); // what all first personas share
    const changed = personas.filter((one) => one.text !== one.initial).length;
    return finding({ ...jaccardReport(texts, template), texts, changed });
  },
});
