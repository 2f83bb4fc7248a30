/** Lines of at most `width` characters, broken at blanks; a longer word stands alone. Line ends of the text are kept. */
export function wrapText(text: string, width: number): string[] {
  return text.split("\n").flatMap((line) => {
    const lines: string[] = [];
    let current = "";
    for (const word of line.split(" ")) {
      const longer = current === "" ? word : `${current} ${word}`;
      if (longer.length > width && current !== "") {
        lines.push(current);
        current = word;
      } else current = longer;
    }
    return [...lines, current];
  });
}
