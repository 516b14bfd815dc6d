/**
 * One request over a widget's channel, as `core/requests.ts` sends them, without the parts that a
 * drawn widget needs: it is sent again while the kernel does not answer, since the first messages
 * of a page may wait behind a cell; Python answers the copy that arrives first.
 */
import { type Answer, KernelGone, RequestError } from "../core/answers";
import type { Port } from "../core/channel";
import { abortError, onAbort } from "../core/lifetime";
import type { Failure } from "../protocol";

/** Milliseconds until a request is sent again: doubled each time, up to the longest. */
const FIRST = 500;
const LONGEST = 10_000;

interface Reply {
  id: number;
  ok: boolean;
  data?: unknown;
  error?: Failure;
}

/** Rejects with RequestError, KernelGone, or an AbortError when the lifetime ends. */
export function ask(
  port: Port,
  op: string,
  args: object,
  lifetime: AbortSignal,
): Promise<Answer<unknown>> {
  const id = Math.floor(Math.random() * 2 ** 31) * 2 ** 20;
  let interval = FIRST;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const asked = new Promise<Answer<unknown>>((resolve, reject) => {
    port.onMessage((content, buffers) => {
      const reply = content as Reply;
      if (reply?.id !== id) return;
      if (reply.ok) resolve({ data: reply.data, buffers });
      else reject(new RequestError(reply.error?.type ?? "Error", reply.error?.message ?? ""));
    });
    port.onLive((live) => live || reject(new KernelGone()));
    onAbort(lifetime, () => reject(abortError("the view was closed")));
    const send = (again: boolean) => {
      port.send({ id, op, args, ...(again && { again }) });
      timer = setTimeout(send, interval, true);
      interval = Math.min(2 * interval, LONGEST);
    };
    if (port.lives !== false) send(false);
  });
  return asked.finally(() => clearTimeout(timer));
}
