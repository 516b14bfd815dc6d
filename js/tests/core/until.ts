/** Milliseconds; far longer than anything in these tests takes. */
const TIMEOUT = 50_000;

/** Waits until `found` returns a value, because pages update asynchronously. */
export async function until<T>(
  found: () => T | null | undefined | false,
  describe: () => string,
): Promise<T> {
  const end = Date.now() + TIMEOUT;
  for (;;) {
    const result = found();
    if (result) return result;
    if (Date.now() > end) throw new Error(`never came true: ${found}\n${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
