import { cuts, refusals } from "../../test/helpers/failing-disk.js";
import { disturbed, type Trouble, type Undisturbed, undisturbed } from "./commands/play.js";
import { openWorld } from "./commands/scenes.js";

const SHOWN = 10;

/**
 * `npm run faults -- commands [PART] [EACH] [FROM] [TO]`: every command that writes (whose name holds PART), with every EACHth of its
 * calls to the disk (those from FROM to TO) refused, once and from then on, and every write cut after one byte, one byte short, or
 * short; exit code 1 where one ends otherwise than in one line, or the same command then ends otherwise than undisturbed.
 */
export async function main([part = "", each = "1", from = "0", to = "Infinity"]: readonly string[]): Promise<void> {
  const world = await openWorld();
  const slice = { each: Number(each), from: Number(from), to: Number(to) };
  let total = 0;
  try {
    for (const scene of world.scenes.filter(({ name }) => name.includes(part))) {
      const before = process.cpuUsage();
      const whole = await undisturbed(world, scene);
      const offences: string[] = [];
      const troubles = troublesOf(whole, slice);
      for (const trouble of troubles) {
        const offence = await disturbed(world, whole, trouble);
        const { at, fault, stays } = trouble;
        if (offence !== undefined) offences.push(`call ${at}, ${fault}${stays ? " from then on" : ""}: ${offence}`);
      }
      total += offences.length;
      const { user, system } = process.cpuUsage(before);
      console.log(
        `${scene.name}: ${whole.changes.length} changing calls, ${whole.reads} reading, ${troubles.length} cases, ${offences.length} offences, ${Math.ceil((user + system) / 1e6)} s of CPU`,
      );
      for (const offence of offences.slice(0, SHOWN)) console.log(`  ${offence}`);
    }
  } finally {
    await world.close();
  }
  console.log(`${total} offences`);
  if (total > 0) process.exitCode = 1;
}

interface Slice {
  readonly each: number;
  readonly from: number;
  readonly to: number;
}

/** Each call is refused with one code after another, the codes in turn: what a command does depends on no code. */
function troublesOf({ changes, reads }: Undisturbed, { each, from, to }: Slice): Trouble[] {
  const calls = (end: number): number[] =>
    Array.from({ length: Math.ceil(end / each) }, (_, i) => i * each).filter((at) => at >= from && at < to);
  const changing = calls(changes.length).flatMap((at): Trouble[] => {
    const [once, later] = [refusals[at % refusals.length]!, refusals[(at + 3) % refusals.length]!];
    const refused: Trouble[] = [
      { at, fault: once },
      { at, fault: later, stays: true },
    ];
    if (changes[at] !== "write") return refused;
    const cut = cuts.flatMap((fault): Trouble[] => [
      { at, fault },
      { at, fault, stays: true },
    ]);
    return [...refused, ...cut, { at, fault: "short" }];
  });
  return [...changing, ...calls(reads).map((at): Trouble => ({ at, fault: "EIO on reading" }))];
}
