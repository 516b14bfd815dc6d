// @vitest-environment node
import { describe, expect, it } from "vitest";
import { type ShareScope, sharedModules } from "../../src/lab/sharing";

const version = (content: unknown, loaded?: boolean) => ({
  get: async () => () => content,
  ...(loaded === undefined ? {} : { loaded }),
});

describe("packages that JupyterLab shares", () => {
  it("are taken by name", async () => {
    const scope: ShareScope = { "@lumino/widgets": { "2.7.0": version("lumino") } };
    expect(await sharedModules(scope)("@lumino/widgets")).toBe("lumino");
  });

  it("are those that already run, where there are several", async () => {
    const scope: ShareScope = { a: { "2.0.0": version("new"), "1.0.0": version("running", true) } };
    expect(await sharedModules(scope)("a")).toBe("running");
  });

  it.each([
    ["2.9.0", "2.10.0"],
    ["2.10.0", "10.0.0"],
    ["3.0.0-rc.1", "3.0.0"],
    ["3.0.0-rc.2", "3.0.0-rc.10"],
    ["3.0.0", "3.0.1-alpha.0"],
  ])("have the highest version where none runs yet: not %s but %s", async (lower, higher) => {
    for (const order of [
      [lower, higher],
      [higher, lower],
    ]) {
      const versions = Object.fromEntries(order.map((each) => [each, version(each)]));
      expect(await sharedModules({ a: versions })("a")).toBe(higher);
    }
  });

  it("are named when they are missing", async () => {
    await expect(sharedModules({})("@jupyterlab/notebook")).rejects.toThrow("@jupyterlab/notebook");
  });
});
