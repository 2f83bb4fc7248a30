/** The strings between double quotes, by toggling at each quote: one stray quote shifts all that follow. Source: LaMP prompts/utils.py. */
export function quotedStrings(text: string): string[] {
  return text
    .split('"')
    .slice(1, -1)
    .filter((_, index) => index % 2 === 0);
}
