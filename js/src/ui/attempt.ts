/** Work that a button starts and that may fail. */
import { failureOf } from "../core/answers";
import { useHost } from "./host";
import { strings } from "./strings";

/** Does the work; answers why it did not do it, or "". */
export type Attempt = (work: () => Promise<string>) => Promise<void>;

/**
 * Announces why work failed, and gives it to `onFailed`, which has got "" at the start. Cancelled
 * work does not count as failed.
 */
export function useAttempt(onFailed: (why: string) => void = () => {}): Attempt {
  const { announce } = useHost();
  return async (work) => {
    onFailed("");
    const why = await work().catch((error: unknown) => {
      const failure = failureOf(error);
      return failure === null ? "" : strings.failed(failure);
    });
    if (why === "") return;
    onFailed(why);
    announce(why);
  };
}
