/** Ends a script that was asked for what it cannot do: one line, exit code 2. */
export function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
