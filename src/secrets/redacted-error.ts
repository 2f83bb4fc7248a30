import { ModelError } from "../errors.js";
import type { Redactor } from "./redactor.js";

/** What was thrown, a ModelError without a secret in its message; its cause, which may hold one, is not kept. */
export function redactedError(thrown: unknown, redact: Redactor): unknown {
  if (!(thrown instanceof ModelError)) return thrown;
  const clean = redact.text(thrown.message);
  return clean === thrown.message ? thrown : thrown.worded(clean);
}
