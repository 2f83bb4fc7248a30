import { join } from "node:path";
import { expect, test } from "vitest";
import { startCli } from "../e2e/cli-process.js";
import { until } from "../e2e/until.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { Command, env, expectSame } from "./command.js";
import { servedModel, startUnevenServer } from "./uneven-server.js";

const root = suiteDir();

test("a run that was killed and taken up again has the files of one that went through, and comes back", async () => {
  const server = await startUnevenServer();
  try {
    const sent = (): number => server.requests.length;
    const arms = "--task lamp2m,lamp3 --method rag,pag,persona-agent --users 3 --queries-per-user 3";
    const line = `${arms} --model ${servedModel} --base-url ${server.url}`;
    const whole = await new Command(join(root, "whole"), line).finish();
    const command = new Command(join(root, "killed"), line);
    const goal = sent() * 1.5;
    const cli = startCli(command.args, { cwd: command.cwd, env });
    await until(() => sent() >= goal || cli.ended);
    cli.kill("SIGKILL");
    expect((await cli.exit).signal).toBe("SIGKILL");
    expectSame(await command.finish(), whole);
    await command.comesBack(sent);
  } finally {
    await server.close();
  }
});
