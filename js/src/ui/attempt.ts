/** Actions of buttons that may fail. */
import { failureOf } from "../core/answers";
import { useHost } from "./host";
import { strings } from "./strings";

/** Runs the action; returns the error message, or "". */
export type Attempt = (work: () => Promise<string>) => Promise<void>;

/**
 * Announces an error and passes it to `onFailed`, which receives "" at the start. A cancelled
 * action is not a failure.
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
