import { nounOf } from "../../text/count.js";
import type { Claim, OwnArm } from "../papers/paper.js";
import { commonLines, jaccardMatrix, jaccardReport, spreadText } from "../personas/jaccard.js";
import { formatScore } from "../tables/format.js";

/** What "unlike" means in PersonaAgent: Jaccard similarity of the two word sets. */
const UNLIKE = 0.4;

/** "Learned personas of different users are mostly unlike": most pairs have a similarity of .4 at most. */
export function mostlyUnlike(source: string): Claim {
  return {
    text: "the personas of different users mostly have a Jaccard similarity of .4 at most",
    source,
    needs: "persona-agent on lamp2m, two users or more",
    check(arms) {
      const arm = withPersonas(arms);
      if (arm === undefined) return undefined;
      const texts = arm.personas.map(({ text }) => text);
      const pairs = jaccardMatrix(texts).flatMap((row, i) => row.slice(0, i));
      const { all, withoutTemplate } = jaccardReport(texts, templateOf(arm));
      const share = pairs.filter((similarity) => similarity <= UNLIKE).length / pairs.length;
      return {
        holds: share > 0.5,
        evidence: [
          `${texts.length} ${nounOf(texts.length, "persona")}, ${pairs.length} ${nounOf(pairs.length, "pair")}: ${(100 * share).toFixed(0)} % at ${formatScore(UNLIKE)} or below; ${spreadText(all)}`,
          `without the words of the initial template: ${spreadText(withoutTemplate)}`,
        ],
      };
    },
  };
}

/** "Learned personas are well separated": no two users have the same one, and alignment changed them. */
export function distinctPersonas(source: string): Claim {
  return {
    text: "the learned personas are apart from each other and from the template",
    source,
    needs: "persona-agent on lamp2m, two users or more",
    check(arms) {
      const arm = withPersonas(arms);
      if (arm === undefined) return undefined;
      const { personas } = arm;
      const similarity = jaccardReport(
        personas.map(({ text }) => text),
        templateOf(arm),
      );
      const different = new Set(personas.map(({ text }) => text)).size;
      const changed = personas.filter(({ text, initial }) => text !== initial).length;
      return {
        holds: different === personas.length && 2 * changed > personas.length,
        evidence: [
          `${different} ${nounOf(different, "different persona")} of ${personas.length}; changed by alignment: ${changed}`,
          `Jaccard similarity of pairs: ${spreadText(similarity.all)}`,
        ],
      };
    },
  };
}

/** Of the arms on the figure's task the first with two personas or more. */
const withPersonas = (arms: readonly OwnArm[]): OwnArm | undefined => arms.find(({ personas }) => personas.length > 1);

/** What all users' first personas share. */
const templateOf = ({ personas }: OwnArm): string => commonLines(personas.map(({ initial }) => initial));
