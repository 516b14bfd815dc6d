// @vitest-environment node
import { describe, expect, it } from "vitest";
import { asDataView, openPort } from "../../src/core/channel";
import { FakeModel } from "./fakes";

async function opened() {
  const channel = new FakeModel({});
  const view = new AbortController();
  const model = new FakeModel({ _channel: "abc" }, channel);
  return { channel, view, port: await openPort(model.asModel, view.signal) };
}

describe("the port to the channel model", () => {
  it("sends content and buffers as a custom message", async () => {
    const { channel, port } = await opened();
    const buffer = new ArrayBuffer(4);
    port.send({ id: 1 }, [buffer]);
    expect(channel.sent).toEqual([{ content: { id: 1 }, buffers: [buffer] }]);
  });

  it("receives messages with their buffers as views", async () => {
    const { channel, port } = await opened();
    const heard: unknown[] = [];
    port.onMessage((content, buffers) => heard.push([content, buffers[0]?.getUint8(0)]));
    channel.trigger("msg:custom", { id: 1 }, [new Uint8Array([7, 8])]);
    channel.trigger("msg:custom", { id: 2 }, undefined);
    expect(heard).toEqual([
      [{ id: 1 }, 7],
      [{ id: 2 }, undefined],
    ]);
  });

  it("reports a kernel that is gone, also if it was gone before", async () => {
    const { channel, port } = await opened();
    const heard: boolean[] = [];
    port.onLive((live) => heard.push(live));
    expect(heard).toEqual([]);
    channel.comm_live = false;
    channel.trigger("comm_live_update");
    port.onLive((live) => heard.push(live));
    expect(heard).toEqual([false, false]);
  });

  it("stops listening with the view", async () => {
    const { channel, view, port } = await opened();
    port.onMessage(() => {});
    port.onLive(() => {});
    expect(channel.listeners).toBeGreaterThan(0);
    view.abort();
    expect(channel.listeners).toBe(0);
  });
});

describe("a buffer", () => {
  it("keeps its offset and length, whatever its type", () => {
    const whole = new Uint8Array([1, 2, 3, 4]).buffer;
    expect(asDataView(whole).byteLength).toBe(4);
    const part = asDataView(new Uint8Array(whole, 1, 2));
    expect([part.byteLength, part.getUint8(0)]).toEqual([2, 2]);
    const view = new DataView(whole, 2);
    expect(asDataView(view)).toBe(view);
  });
});
