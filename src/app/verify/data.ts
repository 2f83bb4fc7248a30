import { absent, type Check, passedOr } from "../../report/verify/check.js";
import type { Manifest } from "../../run/manifest/manifest.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { countOf } from "../../text/count.js";
import { planData } from "../run/data/data-facts.js";

/** The files, what each question may see, and the wording of the task, against their hashes in the plan. */
export function checkData(facts: DataFacts, loaded: LoadedTask | undefined): Check {
  const name = `data ${facts.task}`;
  if (loaded === undefined) return absent(name, `${facts.name}: give its folder with --data`);
  const fresh = planData(loaded);
  const hash = new Map(fresh.files.map((file) => [file.name, file.sha256]));
  const problems = facts.files.flatMap((file) => {
    const found = hash.get(file.name);
    if (found === file.sha256) return [];
    return [
      `${file.name}: ${found === undefined ? "not in the data" : `sha256 ${found.slice(0, 8)}`}, the manifest says ${file.sha256.slice(0, 8)}`,
    ];
  });
  if (fresh.units !== facts.units)
    problems.push(
      `manifest.json: visible histories and questions have id ${fresh.units.slice(0, 8)}, the manifest says ${facts.units.slice(0, 8)}`,
    );
  if (fresh.wording !== facts.wording)
    problems.push(
      `manifest.json: the wording of ${facts.task} has id ${fresh.wording.slice(0, 8)}, the manifest says ${facts.wording.slice(0, 8)}`,
    );
  return passedOr(
    name,
    problems,
    `${countOf(facts.files.length, "file")}, visible histories, questions and wording of ${facts.name}`,
  );
}

type DataFacts = Manifest["plan"]["data"][number];
