import * as z from "zod";

/** Characters of the longest name. */
const MOST = 120;

/** The name that a person gives an experiment: one line that no terminal and no direction of text is changed by. No result depends on it. */
export const givenName = z
  .string()
  .regex(
    new RegExp(`^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]{1,${MOST}}$`),
    `expected a name of 1 to ${MOST} characters in one line, without control signs`,
  );
