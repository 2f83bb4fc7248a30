import { afterAll, beforeAll, expect, test } from "vitest";
import { disturbed, undisturbed } from "../../scripts/faults/commands/play.js";
import { openWorld, type World } from "../../scripts/faults/commands/scenes.js";

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test.each(["run, searches", "cassette import", "rescore --write", "gate", "rums train, paid vectors"])(
  "%s on a failing disk ends in one line, and the same command then leaves what it leaves undisturbed",
  async (name) => {
    const scene = world.scenes.find((one) => one.name === name)!;
    const whole = await undisturbed(world, scene);
    const cases = [
      { at: 0, fault: "EACCES" },
      { at: Math.floor(whole.changes.length / 2), fault: "EIO" },
      { at: whole.changes.length - 3, fault: "ENOSPC", stays: true },
      { at: 0, fault: "one byte short" },
      { at: Math.floor(whole.reads / 2), fault: "EIO on reading" },
    ] as const;
    for (const trouble of cases)
      expect(await disturbed(world, whole, trouble), JSON.stringify(trouble)).toBeUndefined();
  },
);
