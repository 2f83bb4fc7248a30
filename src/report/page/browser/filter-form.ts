import { outcomesOf, questionSets, sideOf } from "./answers.js";
import { all, element, one } from "./dom.js";
import type { ReaderView } from "./reader-view.js";

const SIDES = ["a", "b"] as const;

/** The form above the list of questions. */
export class FilterForm {
  readonly #reader: ReaderView;
  readonly #form = one<HTMLFormElement>("#filter")!;

  constructor(reader: ReaderView) {
    this.#reader = reader;
    this.#form.addEventListener("input", () => this.#changed());
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    this.#form.addEventListener("reset", () => setTimeout(() => this.#changed())); // the fields are empty only then
    one("#swap")!.addEventListener("click", () => {
      const [a, b] = SIDES.map((name) => this.#field(name));
      [a!.value, b!.value] = [b!.value, a!.value];
      this.#changed();
    });
  }

  /** Fills the form as the address says. */
  show(): void {
    const { address, view } = this.#reader;
    for (const [s, name] of SIDES.entries()) {
      const side = sideOf(view, address[name]);
      const arms = view.arms.map(({ label }) => option(label));
      this.#field(name).replaceChildren(option("", s === 0 ? "any method" : "–"), ...arms);
      this.#field(`${name}k`).replaceChildren(...outcomesOf(view).map((outcome) => option(outcome)));
      this.#field(name).value = side?.label ?? "";
      this.#field(`${name}k`).value = side?.outcome ?? outcomesOf(view)[s]!;
      (this.#field(`${name}k`) as HTMLSelectElement).disabled = side === undefined;
    }
    this.#field("text").value = address.text ?? "";
    if (this.#reader.run.tasks.length > 1) this.#field("t").value = address.t ?? this.#reader.run.tasks[0]!;
    for (const radio of all<HTMLInputElement>("[name=show]", this.#form)) {
      radio.checked = radio.value === (address.show ?? "");
      this.#showCount(radio);
    }
  }

  #showCount(radio: HTMLInputElement): void {
    const { run, view } = this.#reader;
    const count = view.questions.filter((question) => questionSets[radio.value]!(run, question)).length;
    const chip = radio.parentElement!;
    one("small", chip)!.textContent = count.toLocaleString("en-US");
    const isExact = view.arms[0]?.metric?.exact === true;
    chip.hidden = count === 0 && (!isExact || ["unparsed", "failed"].includes(radio.value));
  }

  #changed(): void {
    const side = (name: "a" | "b"): string => {
      const label = this.#field(name).value;
      return label === "" ? "" : `${label}:${this.#field(`${name}k`).value}`;
    };
    const show = all<HTMLInputElement>("[name=show]", this.#form).find(({ checked }) => checked)?.value ?? "";
    const { address, run } = this.#reader;
    const task = run.tasks.length > 1 ? this.#field("t").value : "";
    if (task !== (address.t ?? run.tasks[0]) && task !== "") {
      this.#reader.go({ t: task, show: "", a: "", b: "", text: "", q: "", r: "", m: "", vs: "" });
      this.#reader.readAddress();
      return;
    }
    this.#reader.go({ show, a: side("a"), b: side("b"), text: this.#field("text").value });
    for (const name of SIDES) (this.#field(`${name}k`) as HTMLSelectElement).disabled = this.#field(name).value === "";
    this.#reader.showList();
  }

  #field(name: string): HTMLInputElement | HTMLSelectElement {
    return one<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`, this.#form)!; // the page has each
  }
}

const option = (value: string, text = value): HTMLOptionElement => element("option", { value }, text);
