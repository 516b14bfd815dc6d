// @vitest-environment node
import { deflateRawSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { RequestError } from "../../src/core/answers";
import { openPort } from "../../src/core/channel";
import { Requests } from "../../src/core/requests";
import { bindTrait } from "../../src/core/traits";
import { answerTo, modelsOf, type Recording, unpack, written } from "../../src/docs/recording";
import { strings } from "../../src/docs/strings";
import type { AnyOperations } from "../core/fakes";

const RECORDING: Recording = {
  model: "widget",
  code: "al.QuestionPicker(al.connect())",
  models: {
    widget: { state: { kind: "picker", selection: [], _channel: "channel" } },
    channel: {
      state: {},
      operations: {
        question: { answers: { '{"question":"q1"}': { data: { unit: "cups" } } } },
        tile: {
          answers: { '{"columns":[],"rows":[0]}': { data: null, buffers: ["AAAAAAAA8D8="] } },
        },
        measure: {
          items: { asked: "expressions", answered: "measures" },
          answers: { '{"question":"q1"}': { data: 1 }, '{"question":"q2"}': { data: 2 } },
        },
      },
    },
  },
};

function asking() {
  const missing = vi.fn();
  const { signal } = new AbortController();
  const model = modelsOf(RECORDING, missing);
  return {
    requests: new Requests<AnyOperations>(openPort(model, signal), { signal }),
    model,
    missing,
    signal,
  };
}

describe("a recording", () => {
  it("answers the same request, whatever the order of its arguments", async () => {
    const { requests, missing } = asking();
    const { data } = await requests.request("question", { question: "q1" });
    expect(data).toEqual({ unit: "cups" });
    const { buffers } = await requests.request("tile", { rows: [0], columns: [] });
    expect(buffers[0]?.getFloat64(0, true)).toBe(1);
    expect(missing).not.toHaveBeenCalled();
  });

  it("answers for any list of items that were recorded one by one", async () => {
    const { requests } = asking();
    const expressions = [{ question: "q2" }, { question: "q1" }, { question: "q2" }];
    const { data } = await requests.request("measure", { expressions });
    expect(data).toEqual({ measures: [2, 1, 2] });
  });

  it.each([
    ["question", { question: "q3" }],
    ["measure", { expressions: [{ question: "q1" }, { question: "q3" }] }],
    ["unheard of", {}],
  ])("reports that %s was not recorded", async (op, args) => {
    const { requests, missing } = asking();
    const failed = requests.request(op, args);
    await expect(failed).rejects.toThrow(strings.notRecorded);
    await expect(failed).rejects.toBeInstanceOf(RequestError);
    expect(missing).toHaveBeenCalledOnce();
  });

  it("is idle again after every answer, also to a ping", async () => {
    const { requests } = asking();
    await requests.request("ping", {});
    await requests.request("question", { question: "q3" }).catch(() => {});
    expect(requests.status.value).toBe("idle");
  });

  it("keeps traits that the page sets, and notifies all listeners", () => {
    const { model, signal } = asking();
    const [one, two] = [0, 1].map(() => bindTrait<number[]>(model, "selection", signal));
    one?.set([1]);
    expect(two?.value).toEqual([1]);
    expect(RECORDING.models.widget?.state.selection).toEqual([]);
  });

  it("can be unpacked", async () => {
    const packed = deflateRawSync(JSON.stringify(RECORDING)).toString("base64");
    expect(await unpack(packed)).toEqual(RECORDING);
  });

  it("has no answer for an operation without answers", () => {
    expect(answerTo(undefined, {})).toBeNull();
    expect(written({ b: [{ d: 1, c: null }], a: "ä" })).toBe('{"a":"ä","b":[{"c":null,"d":1}]}');
  });
});
