import { cuts, refusals } from "../../test/helpers/failing-disk.js";
import { disturbed, type Trouble, type Undisturbed, undisturbed } from "./commands/play.js";
import { openWorld } from "./commands/scenes.js";

const SHOWN = 10;

/**
 * `npm run faults -- commands [PART] [EACH]`: every command that writes (whose name holds PART), with every EACHth of its calls to the
 * disk refused, cut after one byte, one byte short, or short; exit code 1 where one ends otherwise than in one line, or the same
 * command then ends otherwise than undisturbed.
 */
export async function main([part = "", each = "1"]: readonly string[]): Promise<void> {
  const world = await openWorld();
  let total = 0;
  try {
    for (const scene of world.scenes.filter(({ name }) => name.includes(part))) {
      const whole = await undisturbed(world, scene);
      const offences: string[] = [];
      const troubles = troublesOf(whole, Number(each));
      for (const trouble of troubles) {
        const offence = await disturbed(world, whole, trouble);
        const { at, fault, stays } = trouble;
        if (offence !== undefined) offences.push(`call ${at}, ${fault}${stays ? " from then on" : ""}: ${offence}`);
      }
      total += offences.length;
      console.log(
        `${scene.name}: ${whole.changes} changing calls, ${whole.reads} reading, ${troubles.length} cases, ${offences.length} offences`,
      );
      for (const offence of offences.slice(0, SHOWN)) console.log(`  ${offence}`);
    }
  } finally {
    await world.close();
  }
  console.log(`${total} offences`);
  if (total > 0) process.exitCode = 1;
}

// --- internal ---

function troublesOf({ changes, reads }: Undisturbed, each: number): Trouble[] {
  const calls = (end: number): number[] => Array.from({ length: Math.ceil(end / each) }, (_, i) => i * each);
  return [
    ...[...refusals, ...cuts].flatMap((fault) =>
      [false, true].flatMap((stays) => calls(changes).map((at) => ({ at, fault, stays }))),
    ),
    ...calls(changes).map((at): Trouble => ({ at, fault: "short" })),
    ...calls(reads).map((at): Trouble => ({ at, fault: "EIO on reading" })),
  ];
}
