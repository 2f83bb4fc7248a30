import { learning } from "./limits/code.js";
import { type Played, play } from "./limits/play.js";
import { boundOf, rows } from "./limits/rows.js";

/** `npm run bench -- limits`: calls behind limits, in this process on a virtual clock, beside the bound that the limits set. */
export async function main(): Promise<void> {
  for (const row of rows) {
    const bound = row.within === undefined ? undefined : boundOf(row);
    const demand = bound === undefined ? "" : `; bound ${bound.toFixed(0)} s, at most ${row.within} of it`;
    console.log(
      `${row.name}: ${row.calls} calls${row.processes === undefined ? "" : " each"}${demand}, at most ${row.refused * 100} % refused`,
    );
    console.log(`  ${shown(await play(learning(), row.rules, row.calls, row.processes), bound)}`);
  }
}

function shown({ seconds, sent, refused, failed, mostInFlight }: Played, bound: number | undefined): string {
  const share = bound === undefined ? "" : ` (${(seconds / bound).toFixed(2)} of the bound)`;
  const part = ((refused / sent) * 100).toFixed(1);
  return `${seconds.toFixed(0)} s${share}, ${refused} refused (${part} %), ${failed} failed, at most ${mostInFlight} in flight`;
}
