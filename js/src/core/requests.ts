/**
 * Requests to the kernel: a promise for each, latest wins, abort means cancel, and one status
 * that tells a busy kernel from a slow answer and from a kernel that is gone.
 *
 * Waiting is never an error: a request may stay open for as long as a cell runs. But none waits
 * for a cell that it need not wait for: the first messages of a page may go to the kernel's main
 * thread, before JupyterLab has opened another for widgets. So what is open when a later ping was
 * answered is sent once again; Python answers the copy that it receives first.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { type Answer, type Fault, KernelGone, RequestError } from "./answers";
import type { Port } from "./channel";
import { abortError, onAbort } from "./lifetime";

/** idle: nothing asked. working: asked, the kernel listens. waiting: it does not answer yet. */
export type KernelStatus = "idle" | "working" | "waiting" | "gone";

export interface RequestOptions {
  /** Aborting it cancels the request on both sides. */
  signal?: AbortSignal;
  /** A newer request with the same key calls off the older. */
  key?: string;
  buffers?: ArrayBuffer[];
}

/** The operations of a widget: their arguments and answers by name, see `protocol`. */
export interface Asking {
  operations: Readonly<Record<string, readonly [args: unknown, answer: unknown]>>;
}

export type Op<W extends Asking> = keyof W["operations"] & string;
export type ArgsOf<W extends Asking, O extends Op<W>> = W["operations"][O][0];
export type AnswerOf<W extends Asking, O extends Op<W>> = W["operations"][O][1];

interface Reply {
  id: number;
  ok: boolean;
  data?: unknown;
  error?: { type: string; message: string; faults: Fault[] };
}

interface Open {
  key: string | undefined;
  /** Tells it once more; gone when that is done. */
  again: (() => void) | undefined;
  resolve(answer: Answer<unknown>): void;
  reject(reason: unknown): void;
}

/** Pings to a busy kernel become rare, for they queue there. */
const LONGEST_INTERVAL = 10_000;

export class Requests<W extends Asking = Asking> {
  readonly #open = new Map<number, Open>();
  /** Pings that nothing was heard of. */
  readonly #pings = new Set<number>();
  readonly #status = signal<KernelStatus>("idle");
  readonly #port: Promise<Port>;
  readonly #patience: number;
  /** Milliseconds until the next ping; longer each time that none was answered. */
  #interval: number;
  readonly #lifetime: AbortSignal;
  // Whole numbers, not strings: ipykernel keeps a routing entry for every string id, for ever.
  // The random start keeps several views of one widget apart.
  readonly #view = Math.floor(Math.random() * 2 ** 31);
  #nextId = this.#view * 2 ** 20;
  #probe: ReturnType<typeof setTimeout> | undefined;
  #gone = false;

  /** `patience`: milliseconds without an answer after which the kernel counts as busy. */
  constructor(port: Promise<Port>, options: { signal: AbortSignal; patience?: number }) {
    this.#lifetime = options.signal;
    this.#patience = options.patience ?? 500;
    this.#interval = this.#patience;
    this.#port = port;
    port.then((ready) => this.#listen(ready)).catch(() => this.#lose());
    onAbort(options.signal, () => this.#end(abortError("the view was closed")));
  }

  get status(): ReadonlySignal<KernelStatus> {
    return this.#status;
  }

  /** Asks the kernel. Rejects with RequestError, KernelGone, or an AbortError when called off. */
  request<O extends Op<W>>(
    op: O,
    args: ArgsOf<W, O>,
    options: RequestOptions = {},
  ): Promise<Answer<AnswerOf<W, O>>> {
    return this.#ask(op, args, options) as Promise<Answer<AnswerOf<W, O>>>;
  }

  #ask(op: string, args: unknown, options: RequestOptions = {}): Promise<Answer<unknown>> {
    if (this.#lifetime.aborted) return Promise.reject(abortError("the view was closed"));
    if (this.#gone) return Promise.reject(new KernelGone());
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    if (options.key !== undefined) this.#supersede(options.key);
    const id = ++this.#nextId;
    // Python hears all views of a widget on one channel: a key is this view's alone.
    const key = options.key !== undefined && { key: `${this.#view}/${options.key}` };
    const message = { id, op, args, ...key };
    const again = () => this.#send({ ...message, again: true }, options);
    const promise = new Promise<Answer<unknown>>((resolve, reject) => {
      this.#open.set(id, { key: options.key, again, resolve, reject });
    });
    const called = () => this.#callOff(id, options.signal?.reason ?? abortError("called off"));
    options.signal?.addEventListener("abort", called, { once: true });
    this.#send(message, options);
    this.#watch();
    return promise.finally(() => options.signal?.removeEventListener("abort", called));
  }

  /** Opens the way to the kernel before anybody needs it. */
  prime(): void {
    this.#ask("ping", {}).catch(() => {});
  }

  #send(message: object, options: RequestOptions = {}): void {
    this.#port
      .then((port) => {
        if (!this.#gone && !this.#lifetime.aborted) port.send(message, options.buffers);
      })
      .catch(() => this.#lose());
  }

  #listen(port: Port): void {
    if (this.#lifetime.aborted) return;
    port.onMessage((content, buffers) => this.#hear(content as Reply, buffers));
    port.onLive((live) => {
      if (!live) this.#lose();
    });
  }

  #hear(reply: Reply, buffers: DataView[]): void {
    if (this.#pings.has(reply?.id)) this.#tellAgain(reply.id);
    // Answers to other views of the same widget come by here too.
    const open = this.#open.get(reply?.id);
    if (!open) return;
    this.#open.delete(reply.id);
    this.#settleStatus();
    if (reply.ok) {
      open.resolve({ data: reply.data, buffers });
    } else {
      const { type = "Error", message = "", faults = [] } = reply.error ?? {};
      open.reject(new RequestError(type, message, faults));
    }
  }

  #supersede(key: string): void {
    for (const [id, open] of this.#open) {
      if (open.key === key) this.#callOff(id, abortError("superseded by a newer request"));
    }
  }

  #callOff(id: number, reason: unknown): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#send({ id, cancel: true });
    this.#settleStatus();
    open.reject(reason);
  }

  /** Once patience is over, a ping tells whether the kernel is busy or only this answer slow. */
  #watch(): void {
    if (this.#status.peek() === "idle") this.#status.value = "working";
    this.#probe ??= setTimeout(() => this.#suspect(), this.#patience);
  }

  #suspect(): void {
    this.#probe = undefined;
    if (this.#open.size === 0 || this.#gone) return;
    this.#status.value = "waiting";
    const id = ++this.#nextId;
    this.#pings.add(id);
    this.#send({ id, op: "ping", args: {} });
    this.#interval = Math.min(2 * this.#interval, LONGEST_INTERVAL);
    this.#probe = setTimeout(() => this.#suspect(), this.#interval);
  }

  /** The kernel listens; what was sent before this ping may lie where it does not. */
  #tellAgain(ping: number): void {
    this.#rest();
    this.#status.value = "working";
    for (const [id, open] of this.#open) {
      if (id > ping) continue;
      open.again?.();
      open.again = undefined;
    }
    // What was asked after the ping may still lie behind the next cell.
    if ([...this.#open.keys()].some((id) => id > ping)) this.#watch();
  }

  /** No more pings until another request is made. */
  #rest(): void {
    clearTimeout(this.#probe);
    this.#probe = undefined;
    this.#interval = this.#patience;
    this.#pings.clear();
  }

  #settleStatus(): void {
    if (this.#gone) return;
    if (this.#open.size > 0) {
      this.#status.value = "working";
      return;
    }
    this.#rest();
    this.#status.value = "idle";
  }

  #lose(): void {
    if (this.#gone || this.#lifetime.aborted) return;
    this.#gone = true;
    this.#end(new KernelGone());
    this.#status.value = "gone";
  }

  #end(reason: unknown): void {
    this.#rest();
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { reject } of open) reject(reason);
  }
}
