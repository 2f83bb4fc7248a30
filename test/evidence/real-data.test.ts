import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedDir } from "../helpers/shared.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { linesOf } from "./forge.js";

const shared = sharedDir();

describe.skipIf(shared === undefined)("real histories in shared/data (skipped where it is absent)", () => {
  const cwd = suiteDir();
  const type = (line: string) => runCommandLine(line, { cwd });

  test("complete with the same data, self-reported without, refused with other data; no prompt, past or gold inside", async () => {
    const data = join(shared ?? "", "data", "lamp3_time_users");
    const made = await type(`run --task lamp3 --method rag --data ${data} --users 3 --limit 60 --out real`);
    expect(made.code, made.stderr).toBe(0);
    await type("export real --form evidence --out real.jsonl.gz");
    const same = await type(`verify real.jsonl.gz --data ${data} --level complete`);
    expect(same.code, same.stdout).toBe(0);
    expect((await type("verify real.jsonl.gz")).stdout).toMatch(/^self-reported: Nobody checked this\.$/m);
    mkdirSync(join(cwd, "other"));
    for (const name of ["users.json", "users_label.json"])
      writeFileSync(join(cwd, "other", name), `${readFileSync(join(data, name), "utf8")}\n`);
    const other = await type("verify real.jsonl.gz --data other");
    expect(other).toMatchObject({ code: 1, stdout: expect.stringMatching(/refused: data lamp3: users\.json: sha256/) });
    const lines = linesOf(join(cwd, "real.jsonl.gz"));
    const ownWords = lines.filter((line) => !("reply" in line || "row" in line)).map((line) => JSON.stringify(line)).join("\n"); // biome-ignore format: one chain
    const users: readonly { readonly profile: readonly { readonly text: string }[] }[] = JSON.parse(
      readFileSync(join(data, "users.json"), "utf8"),
    );
    const texts = users.flatMap(({ profile }) => profile.map(({ text }) => text)).filter(({ length }) => length > 40);
    expect(texts.filter((text) => ownWords.includes(text))).toEqual([]);
    expect(JSON.stringify(lines)).not.toMatch(/"(gold|request|baselines)":/);
  });
});
