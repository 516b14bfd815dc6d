/**
 * Finds the channel model of a widget in any front end, and narrows it to a port: send messages,
 * receive messages, and know whether the kernel exists.
 */
import type { AnyModel } from "@anywidget/types";
import { onAbort } from "./lifetime";

export interface Port {
  send(content: object, buffers?: ArrayBuffer[]): void;
  onMessage(hear: (content: unknown, buffers: DataView[]) => void): void;
  /** Whether the kernel is known to be there; undefined in front ends that do not say. */
  readonly lives: boolean | undefined;
  /** Reports false when the kernel behind the channel is gone for good. */
  onLive(report: (live: boolean) => void): void;
}

/** Members of Jupyter's models that anywidget's type omits. */
interface JupyterModel {
  comm_live?: boolean;
}

/** Finds a model by what a trait says of it: its id, as ipywidgets writes references to models. */
export async function findModel(model: AnyModel, reference: unknown): Promise<AnyModel> {
  return model.widget_manager.get_model(String(reference).replace(/^IPY_MODEL_/, ""));
}

export async function openPort(model: AnyModel, signal: AbortSignal): Promise<Port> {
  const channel = await findModel(model, model.get("_channel"));
  // All views share one model, so listeners are removed one by one.
  const listen = (event: string, handler: (...args: never[]) => void) => {
    channel.on(event, handler as () => void);
    onAbort(signal, () => channel.off(event, handler as () => void));
  };
  return {
    get lives() {
      return (channel as JupyterModel).comm_live;
    },
    send: (content, buffers = []) => channel.send(content, undefined, buffers),
    onMessage: (hear) =>
      listen("msg:custom", (content: unknown, buffers: unknown[]) =>
        hear(content, (buffers ?? []).map(asDataView)),
      ),
    onLive: (report) => {
      const live = () => (channel as JupyterModel).comm_live !== false;
      if (!live()) report(false);
      listen("comm_live_update", () => report(live()));
      listen("comm:close", () => report(false));
    },
  };
}

/** Front ends pass buffers as different types; offsets into a larger buffer are kept. */
export function asDataView(buffer: unknown): DataView {
  if (buffer instanceof DataView) return buffer;
  if (ArrayBuffer.isView(buffer)) {
    return new DataView(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
  }
  return new DataView(buffer as ArrayBuffer);
}
