/** The outcome of a request: an answer with buffers, or an error. */
import type { FaultAt } from "../protocol";
import { isAbort } from "./lifetime";

export interface Answer<T> {
  data: T;
  buffers: DataView[];
}

/** Python answered with an error; the message can be shown to users. */
export class RequestError extends Error {
  constructor(
    readonly type: string,
    message: string,
    readonly faults: readonly FaultAt[] = [],
  ) {
    super(message);
    this.name = "RequestError";
  }
}

/** The kernel of this widget no longer exists. */
export class KernelGone extends Error {
  constructor() {
    super("The kernel was restarted or shut down.");
    this.name = "KernelGone";
  }
}

/**
 * The message of a failed request; null for a cancelled one, and for a kernel that is gone, which
 * the status line reports.
 */
export function failureOf(error: unknown): string | null {
  if (isAbort(error) || error instanceof KernelGone) return null;
  return error instanceof Error ? error.message : String(error);
}
