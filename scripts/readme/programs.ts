/** The page with the programs that it names put in: the file behind `<!-- program: examples/NAME.ts -->`. */
export function renderPrograms(page: string, read: (file: string) => string): string {
  return page.replace(
    /(<!-- program: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, file: string, end: string) => `${start}\`\`\`ts\n${read(file)}\`\`\`\n${end}`,
  );
}
