import { pipeline, Readable } from "node:stream";
import { type CsvError, parse } from "csv-parse";
import Assembler from "stream-json/assembler.js";
import { type VerifierError, verifyFile } from "stream-json/file/verifier.js";
import { jsonParser, type Token } from "stream-json/parser.js";
import { UsageError } from "../errors.js";
import { messageOf, oneLine } from "../text/file-trouble.js";
import { isLongId, parseWithIds } from "../text/json.js";
import { type FileFacts, fileText } from "./file-text.js";

/** One record of a data file. */
interface FileRecord<T = unknown> {
  /** From 1; of JSON Lines the line, of CSV the row below the header. */
  readonly number: number;
  /** Bytes that it takes in the file, about. */
  readonly bytes: number;
  readonly value: T;
  /** The field whose array holds it, where the file is one JSON object. */
  readonly field?: string | undefined;
}

type Visit<T = unknown> = (record: FileRecord<T>) => void | Promise<void>;

/**
 * Streams the records of a JSON array in a file, in order, through `visit`; memory holds one record. The array may also be one of these
 * fields of an object. Throws UsageError naming file and place where the file is missing, cut, not JSON, not UTF-8 or not an array.
 */
export async function readJsonArray(file: string, visit: Visit, fields: readonly string[] = []): Promise<FileFacts> {
  const text = fileText(file);
  const parser = jsonParser({ streamValues: false });
  const assembler = new Assembler();
  /** Depth of records: 1 in an array, 2 in a field's; 0 outside of both. */
  let depth = 0;
  let field: string | undefined;
  let [records, counted, isOpened, isFound] = [0, 0, false, false];
  for await (const piece of text.pieces)
    for (const token of tokensOf(parser, piece) ?? (await refuseBroken(file, records))) {
      const isField = assembler.depth === 1 && assembler.key !== null && fields.includes(assembler.key);
      if (token.name === "startArray" && (!isOpened || isField)) {
        depth = assembler.depth + 1;
        field = assembler.key ?? undefined;
        isFound = true;
      }
      if (!isFound && (token.name !== "startObject" || fields.length === 0) && !isOpened) refuseOther(file, fields);
      isOpened = true;
      assembler.consume(withLongIds(token));
      if (assembler.depth < depth) depth = 0;
      if (depth === 0 || assembler.depth !== depth) continue;
      const list = assembler.current as unknown[]; // at this depth stands the array
      if (list.length === 0) continue;
      records += 1;
      const pending = visit({ number: records, bytes: text.bytes() - counted, value: list.pop(), field });
      counted = text.bytes();
      if (pending !== undefined) await pending;
    }
  if (text.bytes() === 0) throw new UsageError(`${file}: the file is empty`);
  if (!assembler.done) return await refuseBroken(file, records);
  if (!isFound) refuseOther(file, fields);
  return text.facts(records, assembler.current);
}

/** Numbers that a double does not hold are taken as texts. */
const withLongIds = (token: Token): Token =>
  token.name === "numberValue" && isLongId(token.value) ? { name: "stringValue", value: token.value } : token;

/** Undefined where the piece breaks the JSON. */
function tokensOf(parser: ReturnType<typeof jsonParser>, piece: string): Iterable<Token> | undefined {
  try {
    const tokens = parser(piece);
    return typeof tokens === "object" ? tokens.values : [];
  } catch {
    return undefined;
  }
}

/** Throws UsageError naming the line and column behind so many records where the file is no JSON, or is cut. */
async function refuseBroken(file: string, records: number): Promise<never> {
  const { message, line, pos } = await verifyFile(file).then(
    () => new Error("cannot be read") as VerifierError,
    (error: VerifierError) => error,
  );
  const what = oneLine(message).replace(/^.*?: /, "");
  throw new UsageError(
    `${file}: not valid JSON at line ${line}, column ${pos}, behind record ${records}: ${what}; mend it, or download it again`,
  );
}

function refuseOther(file: string, fields: readonly string[]): never {
  const named = fields.length === 0 ? "" : `, or an object with "${fields.join('" or "')}"`;
  throw new UsageError(`${file}: expected a LaMP file, that is a JSON array of records${named}`);
}

/** Streams JSON Lines in the same way: one value a line, blank lines passed over. Throws UsageError naming file and line. */
export async function readJsonLines(file: string, visit: Visit): Promise<FileFacts> {
  const text = fileText(file);
  let [records, number, rest] = [0, 0, ""];
  const take = async (line: string): Promise<void> => {
    number += 1;
    if (line.trim() === "") return;
    records += 1;
    await visit({ number, bytes: Buffer.byteLength(line), value: lineValue(line, file, number) });
  };
  for await (const piece of text.pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!; // split gives one at least
    for (const line of lines) await take(line);
  }
  if (rest !== "") await take(rest);
  return text.facts(records);
}

function lineValue(text: string, file: string, number: number): unknown {
  try {
    return parseWithIds(text);
  } catch (error) {
    const what = text.trimStart().startsWith("[") ? "an array over several lines" : `no JSON (${messageOf(error)})`;
    throw new UsageError(`${file}: line ${number}: ${what}; write one object a line, without [ and ]`);
  }
}

/** The cells of a row by column. */
export type CsvFields = Readonly<Record<string, string>>;

/** Streams the rows of a CSV file with a header in the same way. Throws UsageError naming file and line. */
export async function readCsv(file: string, visit: Visit<CsvFields>): Promise<FileFacts> {
  const text = fileText(file);
  let [number, counted] = [0, 0];
  const parser = parse({ columns: true, skip_empty_lines: true });
  pipeline(Readable.from(text.pieces), parser, () => undefined); // an error of either ends the loop
  try {
    for await (const value of parser as AsyncIterable<CsvFields>) {
      number += 1;
      const { bytes } = parser.info;
      await visit({ number, bytes: bytes - counted, value });
      counted = bytes;
    }
  } catch (error) {
    if ((error as CsvError).code?.startsWith("CSV_") !== true) throw error;
    throw new UsageError(`${file}: ${oneLine(error)}; mend it`);
  }
  return text.facts(number);
}
