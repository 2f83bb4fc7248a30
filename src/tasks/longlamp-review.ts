import { pyStrip } from "../text/python.js";
import type { Task } from "../types/index.js";
import { LONGLAMP, longlamp, longWording } from "./longlamp.js";
import { shown } from "./marked.js";
import { lampStyle } from "./styles/lamp.js";
import { LONGLAMP_PROMPTS, productReview } from "./styles/longlamp-strings.js";

/** Description and summary in an instruction, whose wording varies; both may hold quotes. */
const FACTS = /\bdescription "([\s\S]*?)"(?=[^"]*\bsummary\b)[^"]*"([\s\S]*)"[^"]*$/;

const RATING = /\brating\b[^"]*"([^"]*)"/;

export const longlampReview: Task = {
  ...longlamp,
  name: "longlamp-review",
  title: "LongLaMP review: personalized product review writing",
  benchmark: "LongLaMP",
  source: LONGLAMP,
  official: "product_review",
  aliases: ["product_review_writing"],
  fields: ["overall", "summary", "description", "reviewText"],
  table: { user: "reviewerId" },
  answerNoun: "review",
  itemNoun: "product",
  ...longWording({
    content: ({ description = "", summary = "" }) => pyStrip(`${description} ${summary}`),
    document: ({ overall = "", summary = "", description = "", reviewText = "" }) =>
      `${overall} ${summary} ${description} ${reviewText}`,
    written: "reviewText",
    facts: (input) => {
      const [, description, summary] = FACTS.exec(input) ?? [];
      if (description === undefined || summary === undefined) return undefined;
      return { overall: RATING.exec(input)?.[1] ?? "", description, summary };
    },
    whole: "description",
    ask: ({ overall = "", description = "", summary = "" }) =>
      `Generate the review text written by a reviewer who has given an overall rating of "${overall}" for a product with description "${description}". The summary of the review text is "${summary}".`,
  }),
  show: shown("product", "review"),
  summary: {
    instruction:
      "Below are products that one person reviewed, each with the review. Describe how this person writes reviews: length, structure, tone, what is praised and criticized, turns of phrase. Reply with the description only.",
    fields: ["wording", "style", "length", "opinions"],
  },
  styles: { lamp: lampStyle(productReview, LONGLAMP_PROMPTS) },
};
