/** A mounted editor with a kernel that the test plays, and queries for what the page shows. */
import { onTestFinished } from "vitest";
import type { EditorDocument } from "../../src/editor/document";
import { Editor } from "../../src/editor/Editor";
import { mount } from "../../src/ui/host";
import { FakeModel, type Message } from "../core/fakes";
import { until } from "../core/until";
import { QUESTIONS } from "./samples";

export const WAVES = ["q3_2025", "q4_2025"];

const CONTEXT = {
  shelf: true,
  waves: WAVES.map((code) => ({ code, name: code.toUpperCase() })),
  counted: WAVES,
  base: { name: "All", size: 10_000, sample: 1_000 },
};

export class Page {
  readonly element = document.createElement("div");
  readonly channel = new FakeModel({});
  readonly model: FakeModel;
  /** Expressions that were measured, request by request. */
  readonly measured: unknown[][] = [];
  /** Answers to "measure" are delayed while this is true. */
  holding = false;
  /** Answers to "words" are delayed while this is true. */
  holdingWords = false;
  /** The catalogue is delayed while this is true. */
  isLate = false;
  readonly held: (() => void)[] = [];
  /** The service's saved audiences, what was saved, and whether another user saved first. */
  saved: unknown[] = [];
  readonly saves: unknown[] = [];
  conflicting = false;
  /** Whether saved audiences can be listed and created. */
  shelf = true;
  /** The size of a node, from its JSON. */
  sample: (expression: unknown) => number = () => 500;
  readonly close: () => void;

  constructor(document_: EditorDocument, model?: FakeModel) {
    this.model =
      model ??
      new FakeModel(
        {
          document: document_,
          saved: null,
          revision: 0,
          _channel: "c",
        },
        this.channel,
      );
    if (model) this.channel = model.channel ?? this.channel;
    document.body.append(this.element);
    const send = this.channel.send.bind(this.channel);
    this.channel.send = (content, callbacks, buffers) => {
      send(content, callbacks, buffers);
      queueMicrotask(() => this.#answer(content as Message));
    };
    this.close = mount(Editor, {
      model: this.model.asModel,
      el: this.element,
      label: "Audience editor",
    });
    onTestFinished(() => {
      this.close();
      this.element.remove();
    });
  }

  /** The number of requests of an operation. */
  asked(op: string): number {
    return this.channel.sent.filter(({ content }) => (content as Message).op === op).length;
  }

  get document(): EditorDocument {
    return this.model.get("document") as EditorDocument;
  }

  /** Waits until `found` returns a value, because the page updates asynchronously. */
  until<T>(found: () => T | null | undefined | false): Promise<T> {
    return until(found, () => this.text);
  }

  get text(): string {
    return this.element.textContent ?? "";
  }

  all<E extends HTMLElement = HTMLElement>(selector: string): E[] {
    return [...this.element.querySelectorAll<E>(selector)];
  }

  row(id: string): HTMLElement {
    const row = this.all(`[data-node="${id}"]`)[0];
    if (!row) throw new Error(`no row ${id}`);
    return row;
  }

  /** The row's sizes as displayed: weighted count, count, percentage. */
  figures(id: string): string[] {
    const cells = [...this.row(id).querySelectorAll('[role="gridcell"]')];
    return cells.slice(1, 4).map((cell) => cell.textContent ?? "");
  }

  /** Whether the row's sizes are shown as outdated. */
  isStale(id: string): boolean {
    return this.row(id).querySelector(".al-stale") !== null;
  }

  button(name: string | RegExp, within: Element = this.element): HTMLButtonElement {
    const named = [...within.querySelectorAll<HTMLButtonElement>("button, [role=menuitem]")].find(
      (button) => {
        const label = button.getAttribute("aria-label") ?? button.textContent ?? "";
        return typeof name === "string" ? label.trim() === name : name.test(label);
      },
    );
    if (!named) throw new Error(`no button ${name}`);
    return named;
  }

  press(target: Element, key: string, modifiers: Partial<KeyboardEventInit> = {}): void {
    target.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers }),
    );
  }

  get focused(): string | null {
    const active = document.activeElement;
    return active?.closest<HTMLElement>("[data-node]")?.dataset.node ?? null;
  }

  #answer({ id, op, args, cancel }: Message): void {
    if (cancel) return;
    const reply = (data: unknown, buffers: DataView[] = []) =>
      this.channel.trigger("msg:custom", { id, ok: true, data }, buffers);
    if (op === "catalogue" && this.isLate) this.held.push(() => reply(null, [catalogueBytes()]));
    else if (op === "catalogue") reply(null, [catalogueBytes()]);
    else if (op === "context") reply({ ...CONTEXT, shelf: this.shelf });
    else if (op === "words") {
      const answer = () => reply({ sentence: "In words.", code: `al.Audience(${args?.name})` });
      if (this.holdingWords) this.held.push(answer);
      else answer();
    } else if (op === "saved_audiences") {
      reply({ audiences: this.saved });
    } else if (op === "compare") {
      const part = (sample: number) => ({ size: sample * 10, sample, percentage: sample / 10 });
      reply({ parts: [part(300), part(100), part(50)], notes: [] });
    } else if (op === "save") {
      this.saves.push(args);
      if (this.conflicting && !args?.overwrite) {
        const error = { type: "SavedMeanwhile", message: "(412)" };
        this.channel.trigger("msg:custom", { id, ok: false, error }, []);
      } else {
        const audience = args?.audience as { name: string; id: string | null; expression: unknown };
        reply({ ...audience, id: audience.id ?? "new" });
      }
    } else if (op === "read_code") {
      const text = String(args?.text);
      if (text.includes("Q("))
        reply({ expressions: [{ question: "core.q4", datapoints: ["q4_4"] }], name: "Pasted" });
      else {
        const error = { type: "CodeError", message: "Line 1: no code." };
        this.channel.trigger("msg:custom", { id, ok: false, error }, []);
      }
    } else if (op === "measure") {
      const expressions = args?.expressions as unknown[];
      this.measured.push(expressions);
      const answer = () => reply({ measures: expressions.map((each) => this.#measure(each)) });
      if (this.holding) this.held.push(answer);
      else answer();
    } else reply(null);
  }

  #measure(expression: unknown) {
    const sample = this.sample(expression);
    return {
      size: sample * 10,
      sample,
      percentage: sample / 10,
      waves: WAVES,
      base_size: 10_000,
      base_sample: 1_000,
    };
  }
}

function catalogueBytes(): DataView {
  const questions = QUESTIONS.map((question) => ({
    ...question,
    canonical: question.code,
    categories: [0],
    datasets: [],
  }));
  const part = {
    categories: [{ id: "1", name: "Everything", parent: -1 }],
    questions,
    total: questions.length,
    next: null,
  };
  return new DataView(new TextEncoder().encode(JSON.stringify(part)).buffer as ArrayBuffer);
}

export async function open(document: EditorDocument, model?: Page["model"]): Promise<Page> {
  const page = new Page(document, model);
  await page.until(() => page.text.includes("Base: All"));
  return page;
}

/** The editor with its first sizes. */
export async function ready(document: EditorDocument): Promise<Page> {
  const page = await open(document);
  await page.until(() => page.figures("n1")[1] !== "");
  return page;
}
