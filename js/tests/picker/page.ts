/** A mounted picker whose kernel the test plays. */
import axe from "axe-core";
import { afterEach, beforeEach, expect, vi } from "vitest";
import type { QuestionRecord } from "../../src/catalogue/model";
import type { Selection } from "../../src/catalogue/selection";
import { Picker } from "../../src/picker/Picker";
import { mount } from "../../src/ui/host";
import { smallCatalogue } from "../catalogue/catalogue";
import { FakeModel, settle } from "../core/fakes";

export interface Sent {
  id: number;
  op: string;
  args: { start?: number; question?: string; selection?: Selection };
}

export class Page {
  readonly el = document.createElement("div");
  readonly channel = new FakeModel({});
  readonly model: FakeModel;
  readonly close: () => void;

  constructor(selection: Selection = [], mode = "datapoints") {
    this.model = new FakeModel({ _channel: "c", kind: "picker", mode, selection }, this.channel);
    document.body.append(this.el);
    this.close = mount(Picker, {
      model: this.model.asModel,
      el: this.el,
      label: "Question picker",
    });
  }

  asked(op: string): Sent[] {
    return this.channel.sent.map(({ content }) => content as Sent).filter((sent) => sent.op === op);
  }

  answer(request: Sent | undefined, data: unknown, json?: unknown) {
    const buffers = json === undefined ? [] : [new TextEncoder().encode(JSON.stringify(json))];
    this.channel.trigger("msg:custom", { id: request?.id, ok: true, data }, buffers);
  }

  /** Plays a kernel that sends these questions, each in a part of its own. */
  async load(questions: readonly QuestionRecord[] = smallCatalogue().questions) {
    const { categories, datasets } = smallCatalogue();
    for (let at = 0; at < questions.length; at++) {
      await settle();
      const request = this.asked("catalogue").at(-1);
      expect(request?.args.start).toBe(at);
      const head = at === 0 ? { categories, datasets } : {};
      const next = at + 1 < questions.length ? at + 1 : null;
      this.answer(request, null, {
        ...head,
        questions: [questions[at]],
        total: questions.length,
        next,
      });
    }
    await this.drawn();
  }

  async drawn() {
    await settle();
    await vi.advanceTimersByTimeAsync(50);
    await settle();
  }

  get box(): HTMLInputElement {
    return this.el.querySelector("input") as HTMLInputElement;
  }

  async type(text: string) {
    this.box.value = text;
    this.box.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await this.drawn();
  }

  async press(key: string) {
    this.box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await this.drawn();
  }

  /** The button or box with this name. */
  named(name: string): HTMLElement {
    const found = this.el.querySelector<HTMLElement>(`[aria-label="${name}"]`);
    if (!found) throw new Error(`nothing is called ${name}:\n${this.el.innerHTML}`);
    return found;
  }

  async click(name: string) {
    this.named(name).click();
    await this.drawn();
  }

  chips(): HTMLElement[] {
    return [...this.el.querySelectorAll<HTMLElement>(".al-picker-chip")];
  }

  picked(): string[] {
    return (this.model.get("selection") as Selection).map(({ question }) => question);
  }

  rows(): HTMLElement[] {
    const rows = [...this.el.querySelectorAll<HTMLElement>('[role="treeitem"]')];
    const top = (row: HTMLElement) => Number(/translateY\((\d+)px/.exec(row.style.transform)?.[1]);
    return rows.sort((a, b) => top(a) - top(b));
  }

  names(): (string | null | undefined)[] {
    return this.rows().map((row) => row.querySelector(".al-picker-name")?.textContent);
  }

  async violations() {
    const { violations } = await axe.run(this.el, {
      // happy-dom has no layout; the browser tests check colours.
      rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  }
}

/** Every test starts with an empty page and fake timers. */
export function freshPages(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    localStorage.clear();
  });
  afterEach(() => {
    vi.useRealTimers();
    document.body.replaceChildren();
  });
}
