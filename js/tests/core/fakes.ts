/**
 * Fakes of the wire: a model with the interface of Jupyter's, and a port whose kernel the test
 * plays.
 */
import type { AnyModel } from "@anywidget/types";
import type { Port } from "../../src/core/channel";
import { StubModel } from "../../src/core/stubModel";

/** Operations of any name, for tests of the request protocol. */
export interface AnyOperations {
  operations: Record<string, [args: object, answer: unknown]>;
}

export interface Message {
  id: number;
  op?: string;
  args?: Record<string, unknown>;
  key?: string;
  cancel?: boolean;
  again?: boolean;
}

/** The kernel's end of a channel: received requests, and functions that answer. */
export class PlayedKernel {
  readonly sent: Message[] = [];
  #hear: (content: unknown, buffers: DataView[]) => void = () => {};
  #live: (live: boolean) => void = () => {};

  readonly port: Port = {
    lives: true,
    send: (content) => void this.sent.push(content as Message),
    onMessage: (hear) => {
      this.#hear = hear;
    },
    onLive: (report) => {
      this.#live = report;
    },
  };

  /** Requests of one operation, in order. */
  asked(op: string): Message[] {
    return this.sent.filter((message) => message.op === op);
  }

  get cancelled(): number[] {
    return this.sent.filter((message) => message.cancel).map(({ id }) => id);
  }

  answer(request: Message | undefined, data: unknown, buffers: DataView[] = []): void {
    this.#hear({ id: request?.id, ok: true, data }, buffers);
  }

  fail(request: Message | undefined, error: object): void {
    this.#hear({ id: request?.id, ok: false, error }, []);
  }

  die(): void {
    this.#live(false);
  }
}

/** A state model that records what is saved and sent; its manager knows one channel model. */
export class FakeModel extends StubModel {
  readonly saved: string[] = [];
  readonly sent: { content: unknown; buffers: unknown }[] = [];
  comm_live = true;

  constructor(
    traits: Record<string, unknown>,
    readonly channel?: FakeModel,
  ) {
    super(traits, null, async () => channel?.asModel as AnyModel);
  }

  override save_changes() {
    this.saved.push(JSON.stringify(this.traits));
  }

  override send(content: unknown, _callbacks?: unknown, buffers?: unknown) {
    this.sent.push({ content, buffers });
  }
}

/** Runs the reactions of settled promises. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
