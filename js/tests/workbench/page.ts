/**
 * A mounted workbench whose panes have models of their own, and the workbench's end of the kernel,
 * which the test plays. The panes' own requests are not answered: their tests cover them.
 */
import type { AnyModel } from "@anywidget/types";
import { mount } from "../../src/ui/host";
import type { Panes } from "../../src/workbench/layout";
import { Workbench } from "../../src/workbench/Workbench";
import { FakeModel, type Message } from "../core/fakes";
import { until } from "../core/until";

/** A model whose manager knows the other models of the page by their ids. */
class Model extends FakeModel {
  override readonly widget_manager: FakeModel["widget_manager"];

  constructor(traits: Record<string, unknown>, models: Map<string, FakeModel>) {
    super(traits);
    const get = async (id: string) => {
      const model = models.get(id);
      if (!model) throw new Error(`no model ${id}`);
      return model.asModel;
    };
    this.widget_manager = { get_model: get };
  }
}

type Answer = [data: unknown, buffers?: DataView[]];

export class Page {
  readonly element = document.createElement("div");
  readonly models = new Map<string, FakeModel>();
  readonly bench: FakeModel;
  readonly picker: FakeModel;
  readonly editor: FakeModel;
  readonly grid: FakeModel;
  /** The requests of the workbench to the kernel. */
  readonly asked: Message[] = [];
  readonly answers: Record<string, (args: Record<string, unknown>) => Answer> = {};
  private readonly end: () => void;

  constructor({
    width = 1_000,
    parts = ["picker", "editor", "grid"],
    card = false,
    closed = null as Panes["closed"],
  } = {}) {
    this.bench = this.model("bench", {
      panes: {
        rail: 360,
        chart: 420,
        height: 640,
        kind: "",
        title: "",
        sort: "asked",
        palette: "standard",
        labels: true,
        closed,
      } satisfies Panes,
      _parts: { picker: "picker", editor: "editor", grid: "grid" },
      _shown: [],
      _revision: 0,
      _card: card,
      _survey: 0,
    });
    this.picker = this.model("picker", { mode: "datapoints", selection: [] });
    this.editor = this.model("editor", {
      document: {
        name: "",
        audience_id: null,
        next: 2,
        root: { id: "n1", kind: "group", operator: "and", negated: false, children: [] },
      },
      saved: null,
      revision: 0,
    });
    this.grid = this.model("grid", {
      _table: { generation: 1, rows: 2, columns: 2, base: "All", scope: "", banners: false },
      _progress: { generation: 1, version: 1, phase: "done", cells: 4, heat: null, error: null },
      _selected_cells: { rows: [], columns: [] },
      _arrangement: {},
      metrics: ["index"],
      transposed: false,
    });
    for (const name of ["picker", "editor", "grid"]) {
      if (!parts.includes(name)) this.models.delete(name);
    }
    const { prototype } = HTMLElement;
    Object.defineProperty(prototype, "clientWidth", { configurable: true, get: () => width });
    document.body.append(this.element);
    this.listen("bench");
    this.end = mount(Workbench, {
      model: this.bench.asModel as AnyModel,
      el: this.element,
      label: "Workbench",
    });
  }

  private model(name: string, traits: Record<string, unknown>): FakeModel {
    const model = new Model({ ...traits, _channel: `${name} channel` }, this.models);
    this.models.set(name, model);
    this.models.set(`${name} channel`, new Model({}, this.models));
    return model;
  }

  /** Answers what a widget asks, as `answers` says. */
  listen(widget: string): void {
    const channel = this.models.get(`${widget} channel`) as FakeModel;
    channel.send = (content) => this.hear(channel, content as Message);
  }

  private hear(channel: FakeModel, message: Message): void {
    if (message.cancel) return;
    if (message.op !== "ping") this.asked.push(message);
    const answer = this.answers[message.op ?? ""];
    queueMicrotask(() => {
      try {
        const [data, buffers = []] = answer?.(message.args ?? {}) ?? [null];
        channel.trigger("msg:custom", { id: message.id, ok: true, data }, buffers);
      } catch (error) {
        const failure = { type: "AudienceError", message: (error as Error).message, faults: [] };
        channel.trigger("msg:custom", { id: message.id, ok: false, error: failure }, []);
      }
    });
  }

  /** The arguments of all requests of one operation. */
  requests(op: string): unknown[] {
    return this.asked.filter((message) => message.op === op).map(({ args }) => args);
  }

  get text(): string {
    return this.element.textContent ?? "";
  }

  all(selector: string): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(selector)];
  }

  part(name: string): HTMLElement {
    const [found] = this.all(`.al-pane-${name}`);
    if (!found) throw new Error(`no part ${name}`);
    return found;
  }

  get inSight(): string[] {
    const panes = this.all(".al-pane").filter((pane) => !pane.hidden);
    return panes.map((pane) => /al-pane-(\w+)/.exec(pane.className)?.[1] ?? "");
  }

  button(name: string): HTMLButtonElement {
    const found = this.all("button").find(
      (button) => (button.getAttribute("aria-label") ?? button.textContent) === name,
    );
    if (!found) throw new Error(`no button ${name}`);
    return found as HTMLButtonElement;
  }

  /** Waits until the panes are open. */
  async ready(): Promise<this> {
    await this.until(() => this.all(".al-workbench-bar").length >= 4);
    return this;
  }

  until<T>(found: () => T | null | undefined | false): Promise<T> {
    return until(found, () => this.text);
  }

  close(): void {
    this.end();
    this.element.remove();
  }
}
