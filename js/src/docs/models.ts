/**
 * Models that need no kernel: as a widget manager hands them out, with the state that was recorded,
 * and channels that answer as they did then. Nothing is sent anywhere.
 */
import type { AnyModel } from "@anywidget/types";
import { answerTo, type RecordedModel, type Recording } from "./recording";
import { strings } from "./strings";

type Handler = (...args: unknown[]) => void;

interface Asked {
  readonly id: number;
  readonly op?: string;
  readonly args?: Record<string, unknown>;
  readonly cancel?: boolean;
}

/** `onMissing` hears of every request that nothing was recorded of. */
export function modelsOf(recording: Recording, onMissing: () => void): AnyModel {
  const models = new Map<string, KernellessModel>();
  const find = (id: string) => {
    const recorded = recording.models[id];
    if (!recorded) throw new Error(`nothing was recorded of the model ${id}`);
    const model = models.get(id) ?? new KernellessModel(recorded, find, onMissing);
    models.set(id, model);
    return model;
  };
  return find(recording.model) as unknown as AnyModel;
}

class KernellessModel {
  readonly widget_manager: { get_model(id: string): Promise<KernellessModel> };
  readonly #state: Record<string, unknown>;
  readonly #handlers = new Map<string, Set<Handler>>();

  constructor(
    private readonly recorded: RecordedModel,
    find: (id: string) => KernellessModel,
    private readonly onMissing: () => void,
  ) {
    this.#state = { ...recorded.state };
    this.widget_manager = { get_model: async (id) => find(id) };
  }

  get(name: string): unknown {
    return this.#state[name];
  }

  set(name: string, value: unknown): void {
    this.#state[name] = value;
    this.#tell(`change:${name}`);
  }

  save_changes(): void {}

  on(event: string, handler: Handler): void {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers.add(handler));
  }

  off(event: string, handler: Handler): void {
    this.#handlers.get(event)?.delete(handler);
  }

  /** Answers soon and not at once, as every kernel does. */
  send(message: Asked): void {
    if (!message.cancel) setTimeout(() => this.#answer(message));
  }

  #answer({ id, op = "", args = {} }: Asked): void {
    const found =
      op === "ping" ? { data: null, buffers: [] } : answerTo(this.recorded.operations?.[op], args);
    if (found) {
      this.#tell("msg:custom", { id, ok: true, data: found.data }, found.buffers);
      return;
    }
    this.onMissing();
    const error = { type: "NotRecorded", message: strings.notRecorded, faults: [] };
    this.#tell("msg:custom", { id, ok: false, error }, []);
  }

  #tell(event: string, ...told: unknown[]): void {
    for (const handler of [...(this.#handlers.get(event) ?? [])]) handler(...told);
  }
}
