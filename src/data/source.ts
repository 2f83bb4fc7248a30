import type { RawItem, RawQuery, Task } from "../types/index.js";
import type { FileFacts } from "./file-text.js";

/** The official file that holds the test questions. `auto`: dev, else the one that is there. */
export type Split = "auto" | "train" | "dev" | "test";

/** One record of a data file: a user with all questions, or one question that names its user. */
export interface UserRecord {
  /** File and record number, for errors. */
  readonly where: string;
  readonly user: string;
  /** Oldest first, or as shipped. Empty when each query brings its own. */
  readonly profile: readonly RawItem[];
  readonly queries: readonly RawQuery[];
}

export interface ReadSettings {
  readonly split: Split;
  /** Seed of the order of options, where the data fix none. */
  readonly seed: number;
  /** Of chats: which of the lengths that the data come in. */
  readonly tier: "32k" | "128k";
  /** as-shipped: profiles keep the order of the file. */
  readonly visible: "strict" | "as-shipped";
}

/** `bytes`: what the record takes in its file, about. */
export type Visit = (record: UserRecord, bytes: number) => void | Promise<void>;

/** The files of one data set, ready to be streamed. Every pass returns what it read. */
export interface Source {
  /** Short name for tables: the folder's. */
  readonly name: string;
  /** True where one user can come back in a later record (official files: one record per question). */
  readonly recordPerQuestion: boolean;
  /** True where undated histories stand oldest first, as their form demands. */
  readonly oldestFirst?: true;
  test(visit: Visit): Promise<readonly FileFacts[]>;
  /** Training users of the split. Absent: the data set has none. */
  readonly training?: (visit: Visit) => Promise<readonly FileFacts[]>;
}

/** A form in which LaMP data are passed around. */
export interface DataFormat {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** The data set at a folder or file path; undefined when it is not of this format. */
  find(path: string, task: Task, settings: ReadSettings): Promise<Source | undefined>;
}
