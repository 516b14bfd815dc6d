import { signal } from "@preact/signals";
import { beforeEach, describe, expect, it } from "vitest";
import { RequestError } from "../../src/core/answers";
import type { Server } from "../../src/lab/server";
import { createSidebarState } from "../../src/lab/sidebar/state";
import type { ConnectionCheck, ConnectionRecord } from "../../src/protocol";

const connection = (name: string): ConnectionRecord => ({
  name,
  kind: "deployment",
  title: name.toUpperCase(),
  location: `https://${name}.example`,
  code: `al.connect('https://${name}.example')`,
  credential: { needed: true, found: true, location: "AUDIENCELAB_TOKEN", advice: "" },
  source: "file",
});

const READY: ConnectionCheck = {
  ...{ status: "ready", message: "Ready" },
  ...{ namespaces: 1, questions: 2, waves: 3, milliseconds: 4 },
};

let there: string[];
let checked: string[];
let failing: Error | null;
let answers: ConnectionCheck;

const server = {
  async connections() {
    if (failing) throw failing;
    return { connections: there.map(connection), default: "one", problems: ["a fault"] };
  },
  async check(name: string) {
    checked.push(name);
    if (name === "two") throw new Error("no way");
    return answers;
  },
  openSurvey: async () => connection("survey"),
  surveys: async () => [],
  ask: async () => ({ data: null, buffers: [] }),
} as unknown as Server;

const make = (preferred = signal("")) =>
  createSidebarState({ server, preferred, storage: localStorage });

beforeEach(() => {
  localStorage.clear();
  there = ["one", "two"];
  checked = [];
  failing = null;
  answers = { ...READY };
});

describe("the survey of the sidebar", () => {
  it("is the server's default at first, and is checked", async () => {
    const state = make();
    await state.ready();
    expect(state.connection.value?.name).toBe("one");
    expect(state.problems.value).toEqual(["a fault"]);
    expect(checked).toEqual(["one"]);
    await Promise.resolve();
    expect(state.checked.value).toMatchObject({ status: "ready" });
  });

  it("is the one selected last, while it exists", async () => {
    const before = make();
    await before.ready();
    before.choose("two");
    before.show("saved");
    const after = make();
    await after.ready();
    expect(after.connection.value?.name).toBe("two");
    expect(after.section.value).toBe("saved");
    there = ["one"];
    const later = make();
    await later.ready();
    expect(later.connection.value?.name).toBe("one");
  });

  it("is the one of the settings, whatever was selected last, and follows them", async () => {
    const before = make();
    await before.ready();
    before.choose("two");
    before.choose("one");
    const preferred = signal("two");
    const state = make(preferred);
    await state.ready();
    expect(state.connection.value?.name).toBe("two");
    preferred.value = "one";
    expect(state.connection.value?.name).toBe("one");
    preferred.value = "nowhere";
    expect(state.connection.value?.name).toBe("one");
  });

  it("stays selected when the connections are reloaded", async () => {
    const state = make();
    await state.ready();
    state.choose("two");
    there = ["one", "two", "three"];
    await state.load();
    expect(state.connection.value?.name).toBe("two");
  });

  it("reports a failed check", async () => {
    const state = make();
    await state.ready();
    state.choose("two");
    expect(state.checked.value).toBe("checking");
    expect(await state.check()).toMatchObject({ status: "broken", message: "no way" });
  });

  it("is rendered again once it is reachable", async () => {
    const state = make();
    await state.ready();
    await state.check();
    expect(state.revived.value.one).toBeUndefined();
    answers = { ...READY, status: "unreachable", message: "Is it running?" };
    await state.check();
    answers = { ...READY };
    await state.check();
    expect(state.revived.value).toEqual({ one: 1 });
  });

  it("can be a survey that was opened", async () => {
    const state = make();
    await state.ready();
    await state.openSurvey("surveys/survey");
    expect(state.connection.value?.title).toBe("SURVEY");
    await state.openSurvey("surveys/survey");
    const { listed } = state;
    expect(listed.value.is === "ready" && listed.value.value.length).toBe(3);
    // It is in no configuration, and is kept all the same.
    await state.load();
    expect(state.connection.value?.name).toBe("survey");
    const later = make();
    await later.ready();
    expect(later.connection.value?.name).toBe("survey");
  });

  it("reports why there is none, and retries", async () => {
    failing = new RequestError("ServerMissing", "Install it.");
    const state = make();
    await state.ready();
    expect(state.listed.value).toEqual({ is: "failed", message: "Install it." });
    failing = null;
    await state.load();
    expect(state.connection.value?.name).toBe("one");
  });

  it("is loaded again at the next use after a failure", async () => {
    failing = new Error("The server is starting.");
    const state = make();
    await state.ready();
    expect(state.connection.value).toBeNull();
    failing = null;
    const [first, second] = [state.ready(), state.ready()];
    expect(second).toBe(first);
    await second;
    expect(state.connection.value?.name).toBe("one");
    expect(checked).toEqual(["one"]);
    await state.ready();
    expect(checked).toEqual(["one"]);
  });
});

it("has a selection of its own", async () => {
  const state = make();
  await state.ready();
  const picked = [{ question: "q4", datapoints: [], suffixes: [] }];
  state.modelOf("one").set("selection", picked);
  expect(state.pickedPiece("crosstab", "x")).toMatchObject({ selection: picked });
  state.choose("two");
  expect(state.picked.value).toEqual([]);
  expect(state.pickedPiece("crosstab", "x")).toBeNull();
  state.choose("one");
  expect(state.modelOf("one").get("selection")).toBe(picked);
  expect(state.picked.value).toBe(picked);
});
