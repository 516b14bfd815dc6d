/** Pulls a module from the kernel, with those that it imports and the page does not have. */
import type { Port } from "../core/channel";
import { loadFrom, type Module, onShelf, type Shelf, type Text } from "../core/shelf";
import type { Modules } from "../protocol";
import { ask } from "./asking";

/** Milliseconds for which a widget waits for what another one pulls, before it asks itself. */
const TURN = 1_000;

export function pull(
  shelf: Shelf,
  name: string,
  port: Port,
  lifetime: AbortSignal,
): Promise<Module> {
  const before = shelf.pulling;
  const pulled = (async () => {
    // Widgets that a page shows at once need the same modules.
    await Promise.race([before, new Promise((done) => setTimeout(done, TURN))]);
    const shelved = onShelf(shelf, name)?.catch(() => undefined);
    return (await shelved) ?? loadFrom(shelf, await askFor(shelf, name, port, lifetime), name);
  })();
  shelf.pulling = pulled.catch(() => {});
  return pulled;
}

async function askFor(
  shelf: Shelf,
  name: string,
  port: Port,
  lifetime: AbortSignal,
): Promise<Text[]> {
  const have = [...shelf.urls.keys()].sort();
  const { data, buffers } = await ask(port, "front_end", { module: name, have }, lifetime);
  const whole = await inflated(buffers[0] as BlobPart);
  const decoder = new TextDecoder();
  let start = 0;
  return (data as Modules).modules.map(([each, bytes]) => {
    start += bytes;
    return [each, decoder.decode(whole.subarray(start - bytes, start))] as const;
  });
}

/** The content of what was compressed with gzip. */
export async function inflated(packed: BlobPart): Promise<Uint8Array> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
