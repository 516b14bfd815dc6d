/**
 * Requests to the kernel: each returns a promise, the latest request of a key wins, and abort means
 * cancel. One status distinguishes a busy kernel, a slow answer and a kernel that is gone.
 *
 * Waiting is never an error: a request may stay open for as long as a cell runs. The first messages
 * of a page may go to the kernel's main thread, before JupyterLab has opened a subshell for
 * widgets. So that they do not wait behind a cell, requests that are still open when a later ping
 * is answered are sent once more; Python answers the copy that arrives first.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Failure } from "../protocol";
import { type Answer, KernelGone, RequestError } from "./answers";
import type { Port } from "./channel";
import { abortError, onAbort } from "./lifetime";

/** idle: no request. working: the kernel is responsive. waiting: it does not respond yet. */
export type KernelStatus = "idle" | "working" | "waiting" | "gone";

export interface RequestOptions {
  /** Aborting it cancels the request on both sides. */
  signal?: AbortSignal;
  /** A newer request with the same key cancels the older. */
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
  error?: Failure;
}

interface Open {
  key: string | undefined;
  /** Sends it once more; undefined after that. */
  again: (() => void) | undefined;
  resolve(answer: Answer<unknown>): void;
  reject(reason: unknown): void;
}

/** Pings to a busy kernel become rare, because they queue there. */
const LONGEST_INTERVAL = 10_000;

export class Requests<W extends Asking = Asking> {
  readonly #open = new Map<number, Open>();
  /** Pings without an answer. */
  readonly #pings = new Set<number>();
  readonly #status = signal<KernelStatus>("idle");
  readonly #port: Promise<Port>;
  readonly #patience: number;
  /** Milliseconds until the next ping; doubles with each unanswered ping. */
  #interval: number;
  readonly #lifetime: AbortSignal;
  // Integers, because ipykernel keeps a routing entry for every string id for ever. The random
  // start separates the views of one widget.
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

  /** Asks the kernel. Rejects with RequestError, KernelGone, or an AbortError when cancelled. */
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
    // Python receives the requests of all views on one channel: the prefix keeps keys apart.
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

  /** Opens the channel before the first request. */
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
    // Answers to other views of the same widget arrive here too.
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

  /** After `patience`, a ping shows whether the kernel is busy or only this answer is slow. */
  #watch(): void {
    if (this.#status.peek() === "idle") this.#status.value = "working";
    this.#probe ??= setTimeout(() => this.#suspect(), this.#patience);
  }

  #suspect(): void {
    if (this.#open.size > 0 && !this.#gone) this.#status.value = "waiting";
    this.#ping();
  }

  #ping(): void {
    this.#probe = undefined;
    if (this.#open.size === 0 || this.#gone) return;
    const id = ++this.#nextId;
    this.#pings.add(id);
    this.#send({ id, op: "ping", args: {} });
    this.#interval = Math.min(2 * this.#interval, LONGEST_INTERVAL);
    this.#probe = setTimeout(() => this.#suspect(), this.#interval);
  }

  /**
   * The kernel answers; messages sent before this ping may wait in a queue that it does not read.
   */
  #tellAgain(ping: number): void {
    const interval = this.#interval;
    this.#rest();
    this.#status.value = "working";
    for (const [id, open] of this.#open) {
      if (id > ping) continue;
      open.again?.();
      open.again = undefined;
    }
    // Requests sent after the ping may still wait behind the next cell.
    if ([...this.#open.keys()].some((id) => id > ping)) this.#watch();
    // Shiny sends what a thread answers with its answer to the next message of the page.
    else if (this.#open.size > 0) {
      this.#interval = interval;
      this.#probe = setTimeout(() => this.#ping(), interval);
    }
  }

  /** Stops pinging. */
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
