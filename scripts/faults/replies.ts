import { type FuzzResult, fuzzReplies } from "./replies/fuzz.js";
import { fuzzLines, lineWires } from "./replies/lines.js";
import { wires } from "./replies/valid.js";

const DEFAULT_COUNT = 7000;

/** `npm run faults -- replies [COUNT] [SEED]`: so many spoilt replies on each wire; exit code 1 where one does harm. */
export async function main([count = String(DEFAULT_COUNT), seed = "replies"]: readonly string[]): Promise<void> {
  let offended = 0;
  const show = (wire: string, { replies, accepted, refused, estimated, offences }: FuzzResult): void => {
    console.log(
      `${wire}: ${replies} replies, ${accepted} accepted (${estimated} with estimated usage), ${refused} refused, ${offences.length} offences`,
    );
    for (const offence of offences.slice(0, 10)) console.log(`  ${offence}`);
    offended += offences.length;
  };
  for (const wire of wires) show(wire, await fuzzReplies(wire, Number(count), seed));
  for (const wire of lineWires) show(`${wire}, lines of batches`, await fuzzLines(wire, Number(count), seed));
  if (offended > 0) process.exitCode = 1;
}
