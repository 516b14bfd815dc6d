/**
 * A recording of a widget in Python: its state, and the answers of its channel, by request. Written
 * by `docs/extensions/recording.py`.
 */

import type { AnyModel } from "@anywidget/types";
import { type Answer, RequestError } from "../core/answers";
import { type Ask, StubModel } from "../core/stubModel";
import { strings } from "./strings";

export interface RecordedAnswer {
  readonly data: unknown;
  /** In base64. */
  readonly buffers?: readonly string[];
}

/**
 * The answers to one operation, by arguments (`written`). `items` names the list argument and the
 * list answer of an operation that works item by item; then each answer is that of one item.
 */
export interface RecordedOperation {
  readonly items?: { readonly asked: string; readonly answered: string };
  readonly answers: Readonly<Record<string, RecordedAnswer>>;
}

export interface RecordedModel {
  readonly state: Readonly<Record<string, unknown>>;
  /** The recorded answers of a channel. */
  readonly operations?: Readonly<Record<string, RecordedOperation>>;
}

export interface Recording {
  /** The id of the model to display. */
  readonly model: string;
  readonly models: Readonly<Record<string, RecordedModel>>;
  /** Python that creates the widget. */
  readonly code: string;
}

/** The model to display. `onMissing` is called for each request whose answer was not recorded. */
export function modelsOf({ model, models }: Recording, onMissing: () => void): AnyModel {
  const made = new Map<string, AnyModel>();
  const find = (id: string): AnyModel => {
    const recorded = models[id];
    if (!recorded) throw new Error(`nothing was recorded of the model ${id}`);
    const ask: Ask = async (op, args) => {
      const found = answerTo(recorded.operations?.[op], args as Record<string, unknown>);
      if (found) return found;
      onMissing();
      throw new RequestError("NotRecorded", strings.notRecorded);
    };
    const known =
      made.get(id) ?? new StubModel({ ...recorded.state }, ask, async (id) => find(id)).asModel;
    made.set(id, known);
    return known;
  };
  return find(model);
}

/** The recorded answer to a request; null for none. */
export function answerTo(
  operation: RecordedOperation | undefined,
  args: Readonly<Record<string, unknown>>,
): Answer<unknown> | null {
  if (!operation) return null;
  const { items, answers } = operation;
  if (!items) {
    const answer = answers[written(args)];
    return answer ? { data: answer.data, buffers: (answer.buffers ?? []).map(bytesOf) } : null;
  }
  const asked = args[items.asked] as readonly unknown[];
  const found = asked.map((item) => answers[written(item)]);
  if (found.some((answer) => answer === undefined)) return null;
  return { data: { [items.answered]: found.map((answer) => answer?.data) }, buffers: [] };
}

/** Arguments as a canonical string, whatever the order of keys. */
export function written(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A recording as stored beside a page: JSON, deflated, in base64. */
export async function unpack(packed: string): Promise<Recording> {
  const inflated = new Blob([bytesOf(packed)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  return (await new Response(inflated).json()) as Recording;
}

function bytesOf(base64: string): DataView<ArrayBuffer> {
  return new DataView(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer);
}
