/**
 * Widget models without a widget manager: traits, events, and a channel whose requests a function
 * answers. The sidebar, saved tables, documentation pages and tests use them.
 */
import type { AnyModel } from "@anywidget/types";
import { type Answer, RequestError } from "./answers";

type Handler = (...args: never[]) => void;

/** Answers a request of one operation. */
export type Ask = (op: string, args: object, signal: AbortSignal) => Promise<Answer<unknown>>;

const PING: Ask = async () => ({ data: null, buffers: [] });

interface Message {
  id: number;
  op: string;
  args: object;
  cancel?: boolean;
  again?: boolean;
}

/** A model with these traits, whose requests `ask` answers. */
export function stubModel(traits: Record<string, unknown>, ask: Ask): AnyModel {
  const channel = new StubModel({}, ask).asModel;
  return new StubModel(traits, null, async () => channel).asModel;
}

/**
 * A model whose traits are not saved. As a channel it answers with `ask`; `find` returns the other
 * models of the page by id.
 */
export class StubModel {
  readonly widget_manager: { get_model(id: string): Promise<AnyModel> };
  readonly #requests = new Map<number, AbortController>();
  #listeners: { event: string; handler: Handler }[] = [];

  constructor(
    protected readonly traits: Record<string, unknown>,
    private readonly ask: Ask | null = null,
    find: (id: string) => Promise<AnyModel> = async () => this.asModel,
  ) {
    this.widget_manager = { get_model: find };
  }

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    this.traits[name] = value;
    this.trigger(`change:${name}`);
  }

  save_changes(): void {}

  send(content: unknown, _callbacks?: unknown, _buffers?: ArrayBuffer[]): void {
    const { id, op, args, cancel, again } = content as Message;
    if (cancel) this.#requests.get(id)?.abort();
    // Repeated requests serve kernels with two message queues; here there is one queue.
    else if (this.ask && !again) void this.#answer(id, op === "ping" ? PING : this.ask, op, args);
  }

  on(event: string, handler: Handler): void {
    this.#listeners.push({ event, handler });
  }

  off(event: string, handler: Handler): void {
    this.#listeners = this.#listeners.filter(
      (each) => each.event !== event || each.handler !== handler,
    );
  }

  trigger(event: string, ...args: unknown[]): void {
    for (const { event: name, handler } of [...this.#listeners]) {
      if (name === event) (handler as (...given: unknown[]) => void)(...args);
    }
  }

  get listeners(): number {
    return this.#listeners.length;
  }

  get asModel(): AnyModel {
    return this as unknown as AnyModel;
  }

  async #answer(id: number, ask: Ask, op: string, args: object): Promise<void> {
    const ending = new AbortController();
    this.#requests.set(id, ending);
    try {
      const { data, buffers } = await ask(op, args, ending.signal);
      this.trigger("msg:custom", { id, ok: true, data }, buffers);
    } catch (error) {
      if (ending.signal.aborted) return;
      const { type, faults } =
        error instanceof RequestError ? error : { type: "Error", faults: [] };
      const message = error instanceof Error ? error.message : String(error);
      this.trigger("msg:custom", { id, ok: false, error: { type, message, faults } }, []);
    } finally {
      this.#requests.delete(id);
    }
  }
}
