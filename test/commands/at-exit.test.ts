import { expect, test } from "vitest";
import { atExit } from "../../src/exec/child.js";

test("one listener serves all that wait, and none stays behind them", () => {
  const before = process.listeners("exit");
  const [exit, undone] = [atExit(), [] as string[]];
  const [first, second] = [() => void undone.push("first"), () => void undone.push("second")];
  exit.add(first);
  exit.add(second);
  const [listener, ...others] = process.listeners("exit").filter((own) => !before.includes(own));
  expect(others).toEqual([]);
  listener?.call(process, 0);
  expect(undone).toEqual(["first", "second"]);
  exit.remove(first);
  exit.remove(second);
  expect(process.listeners("exit")).toEqual(before);
});
