import type { UnitRecord } from "../../types.js";
import { bytes, floats, integers } from "./numbers.js";
import { Slots } from "./slots.js";
import { Spends } from "./spends.js";
import { Texts } from "./texts.js";

/** The last record of every unit, folded into numbers. */
export class FoldedUnits {
  readonly #cells = new Texts();
  /** Of users and units. */
  readonly #ids = new Texts();
  readonly #incidentTexts = new Texts();
  readonly #incidentCounts: UnitRecord["incidents"][] = [];
  readonly #spends = new Spends();
  readonly #cell = integers();
  readonly #user = integers();
  readonly #unit = integers();
  readonly #incidents = integers();
  readonly #historySize = floats();
  readonly #flags = bytes();
  readonly #slots = new Slots();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Takes a record in; one of the same cell and unit takes the place of the earlier one. */
  add(record: UnitRecord): void {
    const u = this.#placeOf(this.#cells.of(record.cell), this.#ids.of(record.unit));
    this.#user.set(u, this.#ids.of(record.user));
    this.#historySize.set(u, record.historySize);
    this.#flags.set(u, flagsOf(record));
    this.#spends.set(u, record.spend);
    const number = this.#incidentTexts.of(JSON.stringify(record.incidents));
    this.#incidentCounts[number] ??= record.incidents;
    this.#incidents.set(u, number);
  }

  cell = (u: number): string => this.#cells.at(this.#cell.at(u));
  user = (u: number): string => this.#ids.at(this.#user.at(u));
  unit = (u: number): string => this.#ids.at(this.#unit.at(u));
  historySize = (u: number): number => this.#historySize.at(u);
  spend = (u: number): UnitRecord["spend"] => this.#spends.of(u);
  incidents = (u: number): UnitRecord["incidents"] => this.#incidentCounts[this.#incidents.at(u)] ?? {};
  isShared = (u: number): boolean => (this.#flags.at(u) & SHARED) !== 0;

  simulated(u: number): boolean | undefined {
    if ((this.#flags.at(u) & SIMULATED) !== 0) return true;
    return (this.#flags.at(u) & REAL) !== 0 ? false : undefined;
  }

  #placeOf(cell: number, unit: number): number {
    const hash = hashOf(cell, unit);
    const known = this.#slots.find(hash, (u) => this.#cell.at(u) === cell && this.#unit.at(u) === unit);
    if (known !== undefined) return known;
    const u = this.#size++;
    this.#cell.set(u, cell);
    this.#unit.set(u, unit);
    this.#slots.add(hash, u, (other) => hashOf(this.#cell.at(other), this.#unit.at(other)));
    return u;
  }
}

/**
 * Every record, in the order in which its unit came first. Each reads like the record that it was made from.
 */
export const unitsOf = (units: FoldedUnits): UnitRecord[] =>
  Array.from({ length: units.size }, (_, u) => new FoldedUnit(units, u));

const SHARED = 1;
const SIMULATED = 2;
const REAL = 4;

const flagsOf = ({ shared, simulated }: UnitRecord): number =>
  (shared === true ? SHARED : 0) | (simulated === true ? SIMULATED : simulated === false ? REAL : 0);

const hashOf = (cell: number, unit: number): number => Math.imul(cell, 0x9e3779b1) ^ unit;

/** Its values are read by name; `{ ...unit }` has none of them. */
class FoldedUnit implements UnitRecord {
  readonly #units: FoldedUnits;
  readonly #number: number;

  constructor(units: FoldedUnits, number: number) {
    this.#units = units;
    this.#number = number;
  }

  get cell(): string {
    return this.#units.cell(this.#number);
  }
  get user(): string {
    return this.#units.user(this.#number);
  }
  get unit(): string {
    return this.#units.unit(this.#number);
  }
  get shared(): true | undefined {
    return this.#units.isShared(this.#number) ? true : undefined;
  }
  get historySize(): number {
    return this.#units.historySize(this.#number);
  }
  get spend(): UnitRecord["spend"] {
    return this.#units.spend(this.#number);
  }
  get incidents(): UnitRecord["incidents"] {
    return this.#units.incidents(this.#number);
  }
  get simulated(): boolean | undefined {
    return this.#units.simulated(this.#number);
  }
}
