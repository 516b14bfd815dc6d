/**
 * Finds the channel model that stands beside a widget's state model, in any front end, and
 * narrows it to a port: send, hear, and know whether the kernel is still there.
 */
import type { AnyModel } from "@anywidget/types";
import { onAbort } from "./lifetime";

export interface Port {
  send(content: object, buffers?: ArrayBuffer[]): void;
  onMessage(hear: (content: unknown, buffers: DataView[]) => void): void;
  /** Reports false when the kernel behind the channel is gone for good. */
  onLive(report: (live: boolean) => void): void;
}

/** What Jupyter's own models have and anywidget's type leaves out. */
interface JupyterModel {
  comm_live?: boolean;
}

export async function openPort(model: AnyModel, signal: AbortSignal): Promise<Port> {
  const channel = await model.widget_manager.get_model(String(model.get("_channel")));
  // The manager hands out one object to all views, so listeners are removed one by one.
  const listen = (event: string, handler: (...args: never[]) => void) => {
    channel.on(event, handler as () => void);
    onAbort(signal, () => channel.off(event, handler as () => void));
  };
  return {
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

/** Front ends disagree about what a buffer is; offsets into a larger one are kept. */
export function asDataView(buffer: unknown): DataView {
  if (buffer instanceof DataView) return buffer;
  if (ArrayBuffer.isView(buffer)) {
    return new DataView(buffer.buffer as ArrayBuffer, buffer.byteOffset, buffer.byteLength);
  }
  return new DataView(buffer as ArrayBuffer);
}
