/** `a,b` as names, each once. Blanks around them and empty ones are left out. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
];
