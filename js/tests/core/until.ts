/** Milliseconds; far longer than anything in these tests takes. */
let patience = 50_000;
/** Once a wait in a file was in vain: the others may be so for the same reason. */
const LITTLE = 1_000;

/** Waits until `found` returns a value, because pages update asynchronously. */
export async function until<T>(
  found: () => T | null | undefined | false,
  describe: () => string,
): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const result = found();
    if (result) return result;
    if (Date.now() > end) {
      patience = LITTLE;
      throw new Error(`never came true: ${found}\n${describe()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
