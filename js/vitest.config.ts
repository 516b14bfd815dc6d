import { defineConfig } from "vitest/config";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    environment: "happy-dom",
    // Of two cores one would be left idle.
    maxWorkers: "100%",
    // Tests are slow on a busy machine with two cores.
    testTimeout: 60_000,
    include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
  },
});
