import { pyStrip } from "../text/python.js";

/** The text behind the first `marker`, stripped as Python strips. Undefined where the marker is missing. Source: LaMP prompts/utils.py. */
export function after(text: string, marker: string): string | undefined {
  const at = text.indexOf(marker);
  return at < 0 ? undefined : pyStrip(text.slice(at + marker.length));
}

/** `text` up to and including the first `marker`. Undefined where the marker is missing. */
export function upTo(text: string, marker: string): string | undefined {
  const at = text.indexOf(marker);
  return at < 0 ? undefined : text.slice(0, at + marker.length);
}
