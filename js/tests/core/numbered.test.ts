// @vitest-environment node
/** Two pages of one kernel, with the rule of `widgets/numbered.py` between them. */
import { beforeEach, describe, expect, it } from "vitest";
import { bindTrait, type Refused, type Trait } from "../../src/core/traits";
import { createUndoStack } from "../../src/core/undo";
import { FakeModel } from "./fakes";

type Value = Record<string, unknown>;
interface Sent {
  number: number;
  value: Value;
  answers?: number;
  taken?: boolean;
}

/** Python: takes an edit that came after the present value, and sends that to all pages. */
class Kernel {
  readonly pages: Page[] = [];
  readonly #held: (() => void)[] = [];
  #last = 100;
  isBusy = false;

  constructor(public now: Sent) {}

  hear(edit: Sent & { after: number[] }, clean: (value: Value) => Value = (value) => value): void {
    const deliver = () => {
      const taken = edit.after.includes(this.now.number);
      if (taken) {
        const value = clean(edit.value);
        const same = JSON.stringify(value) === JSON.stringify(edit.value);
        this.now = { number: same ? edit.number : ++this.#last, value };
      }
      this.tell({ ...this.now, answers: edit.number, taken });
    };
    if (this.isBusy) this.#held.push(deliver);
    else deliver();
  }

  tell(sent: Sent): void {
    this.now = sent;
    for (const page of this.pages) page.model.set("document", structuredClone(sent));
  }

  /** The cell ends: messages are read in the order in which they came. */
  rest(): void {
    this.isBusy = false;
    for (const deliver of this.#held.splice(0)) deliver();
  }
}

class Model extends FakeModel {
  kernel: Kernel | undefined;
  clean: ((value: Value) => Value) | undefined;
  override save_changes(): void {
    super.save_changes();
    const edit = structuredClone(this.get("document")) as Sent & { after: number[] };
    if (edit.after) this.kernel?.hear(edit, this.clean);
  }
}

class Page {
  readonly model: Model;
  readonly trait: Trait<Value>;
  refused: Refused | null = null;

  constructor(kernel: Kernel) {
    this.model = new Model({ document: structuredClone(kernel.now) });
    this.model.kernel = kernel;
    this.trait = bindTrait<Value>(
      this.model.asModel,
      "document",
      new AbortController().signal,
      (edit) => {
        this.refused = edit;
      },
    );
    kernel.pages.push(this);
  }
}

let kernel: Kernel;
let one: Page;
let two: Page;
const shown = () => [one.trait.peek(), two.trait.peek(), kernel.now.value];
const add = (page: Page, more: Value) => page.trait.set({ ...page.trait.peek(), ...more });

beforeEach(() => {
  kernel = new Kernel({ number: 1, value: { age: "18 to 24" } });
  [one, two] = [new Page(kernel), new Page(kernel)];
});

describe("two pages of one kernel", () => {
  it("see each other's edits", () => {
    add(one, { gender: "Male" });
    const both = { age: "18 to 24", gender: "Male" };
    expect(shown()).toEqual([both, both, both]);
  });

  it("keep what both added before they saw each other", () => {
    kernel.isBusy = true;
    add(one, { gender: "Male" });
    add(two, { income: "High" });
    add(two, { region: "North" });
    expect(two.trait.peek()).toEqual({ age: "18 to 24", income: "High", region: "North" });
    kernel.rest();
    const all = { age: "18 to 24", gender: "Male", income: "High", region: "North" };
    expect(shown()).toEqual([all, all, all]);
    expect([one.refused, two.refused]).toEqual([null, null]);
  });

  it("are told of an edit that cannot be merged, and can make it again", () => {
    kernel.isBusy = true;
    add(one, { age: "25 to 34" });
    add(two, { age: "35 to 44" });
    kernel.rest();
    expect(shown().map((each) => each.age)).toEqual(Array(3).fill("25 to 34"));
    expect(one.refused).toBeNull();
    two.refused?.again?.();
    expect(shown().map((each) => each.age)).toEqual(Array(3).fill("35 to 44"));
    expect(two.refused).toBeNull();
  });

  it("keep edits that Python made meanwhile, and see what it made of theirs", () => {
    kernel.isBusy = true;
    add(one, { gender: "Male" });
    kernel.tell({ number: 2, value: { age: "25 to 34" } });
    kernel.rest();
    expect(shown()[0]).toEqual({ age: "25 to 34", gender: "Male" });
    one.model.clean = ({ gender: _, ...value }) => value;
    add(one, { gender: "Female" });
    expect(shown()).toEqual(Array(3).fill({ age: "25 to 34" }));
    expect(one.refused).toBeNull();
  });

  it("say so where Python does not accept an edit", () => {
    one.model.kernel = undefined;
    add(one, { age: "" });
    const { number } = one.model.get("document") as Sent;
    kernel.tell({ ...kernel.now, answers: number, taken: false });
    expect(one.trait.peek()).toEqual({ age: "18 to 24" });
    expect(one.refused).toEqual({ why: "page", again: null });
  });

  it("undo only what they did themselves", () => {
    const history = createUndoStack<Value>(two.trait.peek());
    two.trait.onOthers?.((carry) => history.amend(carry));
    kernel.isBusy = true;
    add(one, { gender: "Male" });
    add(two, { income: "High" });
    history.record(two.trait.peek());
    kernel.rest();
    history.record(two.trait.peek());
    expect(history.undo()?.value).toEqual({ age: "18 to 24", gender: "Male" });
    expect(history.undo()).toBeNull();
  });
});

it("two views of a page share an edit that Python has not answered", () => {
  const other = bindTrait<Value>(one.model.asModel, "document", new AbortController().signal);
  kernel.isBusy = true;
  add(one, { gender: "Male" });
  expect(other.peek()).toEqual({ age: "18 to 24", gender: "Male" });
  other.set({ ...other.peek(), income: "High" });
  kernel.rest();
  expect(shown()).toEqual(Array(3).fill({ age: "18 to 24", gender: "Male", income: "High" }));
});

it("what is set to what it is sends nothing new", () => {
  one.trait.set(one.trait.peek());
  expect(one.model.get("document")).toEqual(kernel.now);
});
