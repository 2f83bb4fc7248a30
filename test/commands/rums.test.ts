import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const users = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => reviewUser(`u${from + i}`, 6, 2));

describe("lamp-eval rums", () => {
  test("a threshold and a classifier are trained, used on other users and refused on its own", async () => {
    const cwd = tempDir();
    writeReviews(join(cwd, "train"), users(0, 6));
    writeReviews(join(cwd, "test"), users(10, 2));
    const line = (rest: string) => runCommandLine(rest, { cwd });
    await line("run --task lamp3 --method rums,prompt,rag --data train --out run");
    const labels = Object.fromEntries(
      users(0, 6).flatMap(({ query }) =>
        (query as { id: string }[]).map(({ id }, at) => [id, { personal: at === 0, items: [] }]),
      ),
    );
    writeFileSync(join(cwd, "labels.json"), JSON.stringify(labels));
    const threshold = await line("rums train run --threshold --labels labels.json");
    expect(threshold.code).toBe(0);
    expect(threshold.stdout).toMatch(
      /name: lamp3, rums\n +model: offline\/lexical\n +entropy: label\n +gains: 6\n +others: 6\n/,
    );
    const evaluated = await line("rums eval run --labels labels.json");
    expect(evaluated.stdout).toMatch(
      /name: personal\n +questions: 6\n[\s\S]*name: other\n +questions: 6\n[\s\S]*nats: /,
    );
    const trained = await line("rums train run --data train --out model.json");
    expect(trained).toMatchObject({ code: 0, stdout: expect.stringContaining("kind: rums-binary\n") });
    expect(readFileSync(join(cwd, "model.json")).length).toBeLessThan(1_000_000);
    const used = await line("run --task lamp3 --method rag --data test --set select=rums-binary:model.json --out used");
    expect(used).toMatchObject({ code: 0 });
    expect(manifestIn(join(cwd, "used"))?.identity.arms[0]?.options.select).toMatch(
      /^rums-binary:model\.json@[0-9a-f]{12}$/,
    );
    const own = await line("run --task lamp3 --method rag --data train --set select=rums-binary:model.json --out own");
    expect(own).toMatchObject({ code: 2, stderr: expect.stringContaining("user u0 was in its training") });
    const verified = await line("verify used --data test");
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("recomputed and equal")]);
  });
});
