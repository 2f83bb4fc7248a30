import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { pastItems, question, tag } from "./texts.js";

/** Writes movie tagging in the form of the official files: one question a user, each with ten past items, some 2 kB. */
export function writeDataSet(folder: string, questions: number): void {
  mkdirSync(folder, { recursive: true });
  const asked = function* () {
    for (let i = 0; i < questions; i++) yield { id: `${i}`, input: question(i), profile: pastItems(i) };
  };
  const golds = function* () {
    for (let i = 0; i < questions; i++) yield { id: `${i}`, output: tag(i) };
  };
  writeArray(join(folder, "dev_questions.json"), "[", asked(), "]");
  writeArray(join(folder, "dev_outputs.json"), '{"task":"LaMP_2","golds":[', golds(), "]}");
}

function writeArray(path: string, opening: string, records: Iterable<object>, closing: string): void {
  const file = openSync(path, "w");
  let pending = opening;
  let comma = "";
  for (const record of records) {
    pending += comma + JSON.stringify(record);
    comma = ",\n";
    if (pending.length < 1 << 20) continue;
    writeSync(file, pending);
    pending = "";
  }
  writeSync(file, pending + closing);
  closeSync(file);
}
