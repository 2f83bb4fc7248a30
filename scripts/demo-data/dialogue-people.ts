import { fromYaml } from "./from-yaml.js";
/** Who talks in a dialogue of the demo data, and all that is said of this person. Made up, like everything here. */
export interface DialoguePerson {
  readonly name: string;
  readonly age: number;
  readonly job: string;
  readonly city: string;
  readonly colour: string;
  readonly partner: string;
  readonly likes: string;
  readonly pet: string;
  readonly petName: string;
  readonly allergy: string;
  readonly goal: string;
  readonly skill: string;
  readonly when: string;
  readonly budget: string;
  readonly client: string;
  readonly work: string;
  readonly theme: string;
  readonly motif: string;
  readonly closing: string;
}

export const DIALOGUE_PEOPLE: readonly DialoguePerson[] = fromYaml("dialogue-people.yaml");
