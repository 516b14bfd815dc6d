/**
 * A widget's model with no kernel behind it: the widget's own components are drawn on it in the
 * side bar, and what they ask of their channel is asked of a connection through the server. Here
 * the one is turned into the other; neither what is asked nor what it means is known here.
 */
import type { AnyModel } from "@anywidget/types";
import type { Answer } from "../core/requests";
import { ServerError } from "./server";

type Handler = (...args: never[]) => void;

/** Asks for one operation. */
export type Ask = (op: string, args: object, signal: AbortSignal) => Promise<Answer<unknown>>;

/** As Requests sends it (see `shared/requests.ts`). */
interface Message {
  id: number;
  op: string;
  args: object;
  cancel?: boolean;
  again?: boolean;
}

/** A model with these traits, whose requests `ask` answers. */
export function askingModel(traits: Record<string, unknown>, ask: Ask): AnyModel {
  const channel = new Channel(ask);
  const model = new Model(traits);
  model.widget_manager.get_model = async () => channel.asModel;
  return model.asModel;
}

export class Model {
  readonly widget_manager: { get_model(id: string): Promise<AnyModel> } = {
    get_model: async () => this.asModel,
  };
  #listeners: { event: string; handler: Handler }[] = [];

  constructor(private readonly traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    this.traits[name] = value;
    this.trigger(`change:${name}`);
  }

  /** What is set here is nobody else's to keep. */
  save_changes(): void {}

  send(_content: unknown, _callbacks?: unknown, _buffers?: ArrayBuffer[]): void {}

  on(event: string, handler: Handler): void {
    this.#listeners.push({ event, handler });
  }

  off(event?: string | null, handler?: Handler | null): void {
    this.#listeners = this.#listeners.filter(
      (each) => each.event !== event || (handler && each.handler !== handler),
    );
  }

  trigger(event: string, ...args: unknown[]): void {
    for (const { event: name, handler } of [...this.#listeners]) {
      if (name === event) (handler as (...given: unknown[]) => void)(...args);
    }
  }

  /** As the widgets want it. */
  get asModel(): AnyModel {
    return this as unknown as AnyModel;
  }
}

class Channel extends Model {
  readonly #open = new Map<number, AbortController>();

  constructor(private readonly ask: Ask) {
    super({});
  }

  override send(content: unknown): void {
    const { id, op, args, cancel, again } = content as Message;
    if (cancel) {
      this.#open.get(id)?.abort();
      this.#open.delete(id);
      return;
    }
    // Over HTTP nothing waits in another's queue: once told is told.
    if (again) return;
    if (op === "ping") queueMicrotask(() => this.#say({ id, ok: true }));
    else void this.#answer({ id, op, args });
  }

  async #answer({ id, op, args }: Message): Promise<void> {
    const ending = new AbortController();
    this.#open.set(id, ending);
    try {
      const { data, buffers } = await this.ask(op, args, ending.signal);
      this.#say({ id, ok: true, data }, buffers);
    } catch (error) {
      if (ending.signal.aborted) return;
      this.#say({ id, ok: false, error: told(error) });
    } finally {
      this.#open.delete(id);
    }
  }

  #say(reply: object, buffers: DataView[] = []): void {
    this.trigger("msg:custom", reply, buffers);
  }
}

function told(error: unknown): object {
  if (error instanceof ServerError) {
    return { type: error.type, message: error.message, faults: error.faults };
  }
  return { type: "Error", message: error instanceof Error ? error.message : String(error) };
}
