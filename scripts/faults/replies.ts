import { fuzzReplies } from "./replies/fuzz.js";
import { wires } from "./replies/valid.js";

const DEFAULT_COUNT = 7000;

/** `npm run faults -- replies [COUNT] [SEED]`: so many spoilt replies on each wire; exit code 1 where one does harm. */
export async function main([count = String(DEFAULT_COUNT), seed = "replies"]: readonly string[]): Promise<void> {
  let offended = 0;
  for (const wire of wires) {
    const { replies, accepted, refused, estimated, offences } = await fuzzReplies(wire, Number(count), seed);
    console.log(
      `${wire}: ${replies} replies, ${accepted} accepted (${estimated} with estimated usage), ${refused} refused, ${offences.length} offences`,
    );
    for (const offence of offences.slice(0, 10)) console.log(`  ${offence}`);
    offended += offences.length;
  }
  if (offended > 0) process.exitCode = 1;
}
