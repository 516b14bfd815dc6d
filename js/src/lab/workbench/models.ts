/**
 * The widget models of a kernel, for a tab that is not a notebook: the part of Jupyter's widget
 * protocol that our widgets use. After a reload, the state of existing models is requested.
 */
import type { AnyModel } from "@anywidget/types";
import { asDataView } from "../../core/channel";
import { StubModel } from "../../core/stubModel";
import type { Comm, CommKernel, CommMessage } from "../jupyter";

const TARGET = "jupyter.widget";
/** A trait that never changes: the state that has it is that of the whole model. */
const NAME = "_model_name";

interface Content {
  method?: string;
  state?: Record<string, unknown>;
  buffer_paths?: (string | number)[][];
  content?: unknown;
}

export interface KernelModels {
  find(id: string): Promise<AnyModel>;
  /** Disposes of the models in the page; the kernel keeps its own. */
  dispose(): void;
}

export function kernelModels(kernel: CommKernel): KernelModels {
  const models = new Map<string, KernelModel>();
  const find = async (id: string): Promise<AnyModel> => {
    const model = models.get(id) ?? add(kernel.createComm(TARGET, id));
    if (!model.isKnown) model.requestState();
    await model.known;
    return model.asModel;
  };
  const add = (comm: Comm) => {
    const model = new KernelModel(comm, find);
    models.set(comm.commId, model);
    return model;
  };
  const opened = (comm: Comm, message: CommMessage) => add(comm).receive(message);
  kernel.registerCommTarget(TARGET, opened);
  return {
    find,
    dispose() {
      kernel.removeCommTarget(TARGET, opened);
      for (const model of models.values()) model.end();
      models.clear();
    },
  };
}

class KernelModel extends StubModel {
  /** The same method as in Jupyter's own models. */
  comm_live = true;
  isKnown = false;
  readonly known: Promise<void>;
  readonly #changed = new Set<string>();
  #learn: () => void = () => {};

  constructor(
    private readonly comm: Comm,
    find: (id: string) => Promise<AnyModel>,
  ) {
    super({}, null, find);
    this.known = new Promise((done) => {
      this.#learn = done;
    });
    comm.onMsg = (message) => this.receive(message);
    comm.onClose = () => this.end();
  }

  requestState(): void {
    this.comm.send({ method: "request_state" });
  }

  /**
   * Handles a message of the kernel: the state of a new model, later an update or a custom message.
   */
  receive({ content, buffers = [] }: CommMessage): void {
    const { method, state, buffer_paths: paths = [], content: custom } = content.data as Content;
    const views = buffers.map(asDataView);
    if (method === "custom") {
      this.trigger("msg:custom", custom, views);
      return;
    }
    // An echo repeats an update that this page has sent.
    if (!state || method === "echo_update") return;
    for (const [at, path] of paths.entries()) place(state, path, views[at]);
    for (const [name, value] of Object.entries(state)) super.set(name, value);
    // Before the answer to a request of the state, updates of single traits may arrive.
    if (method && !(NAME in state)) return;
    this.isKnown = true;
    this.#learn();
  }

  end(): void {
    if (!this.comm_live) return;
    this.comm_live = false;
    this.trigger("comm:close");
  }

  override set(name: string, value: unknown): void {
    this.#changed.add(name);
    super.set(name, value);
  }

  override save_changes(): void {
    const state = Object.fromEntries([...this.#changed].map((name) => [name, this.get(name)]));
    this.#changed.clear();
    this.#send({ method: "update", state, buffer_paths: [] });
  }

  override send(content: unknown, _callbacks?: unknown, buffers: ArrayBuffer[] = []): void {
    this.#send({ method: "custom", content }, buffers);
  }

  #send(data: object, buffers: ArrayBuffer[] = []): void {
    if (this.comm_live && !this.comm.isDisposed) this.comm.send(data, {}, buffers);
  }
}

/** Puts a buffer at its path in the state. */
function place(state: Record<string, unknown>, path: (string | number)[], buffer: unknown): void {
  const last = path.at(-1);
  let within: unknown = state;
  for (const step of path.slice(0, -1)) within = (within as Record<string, unknown>)[step];
  if (last !== undefined) (within as Record<string, unknown>)[last] = buffer;
}
