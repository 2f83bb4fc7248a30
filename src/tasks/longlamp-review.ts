import { pyStrip } from "../text/python.js";
import type { Task } from "../types/index.js";
import { longlamp, longWording, productReview } from "./longlamp.js";

/** Description and summary in an instruction, whose wording varies; both may hold quotes. */
const FACTS = /\bdescription "([\s\S]*?)"(?=[^"]*\bsummary\b)[^"]*"([\s\S]*)"[^"]*$/;

const RATING = /\brating\b[^"]*"([^"]*)"/;

export const longlampReview: Task = {
  ...longlamp("review", "product", productReview),
  name: "longlamp-review",
  title: "LongLaMP review: personalized product review writing",
  official: "product_review",
  aliases: ["product_review_writing"],
  requiredFields: ["overall", "summary", "description", "reviewText"],
  table: { user: "reviewerId" },
  ...longWording({
    content: ({ description = "", summary = "" }) => pyStrip(`${description} ${summary}`),
    document: ({ overall = "", summary = "", description = "", reviewText = "" }) =>
      `${overall} ${summary} ${description} ${reviewText}`,
    written: "reviewText",
    parseInstruction: (input) => {
      const [, description, summary] = FACTS.exec(input) ?? [];
      if (description === undefined || summary === undefined) return undefined;
      return { overall: RATING.exec(input)?.[1] ?? "", description, summary };
    },
    fallbackField: "description",
    instruction: ({ overall = "", description = "", summary = "" }) =>
      `Generate the review text written by a reviewer who has given an overall rating of "${overall}" for a product with description "${description}". The summary of the review text is "${summary}".`,
  }),
  summary: {
    instruction:
      "Below are products that one person reviewed, each with the review. Describe how this person writes reviews: length, structure, tone, what is praised and criticized, turns of phrase. Reply with the description only.",
    profileFields: ["wording", "style", "length", "opinions"],
  },
};
