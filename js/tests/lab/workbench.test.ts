import { describe, expect, it } from "vitest";
import type { Comm, CommKernel, CommMessage } from "../../src/lab/jupyter";
import { kernelModels } from "../../src/lab/workbench/models";
import {
  connectionFor,
  openingCode,
  parseDocument,
  writeDocument,
} from "../../src/lab/workbench/opening";
import type { ConnectionRecord } from "../../src/protocol";

const survey = (name: string, location: string, code: string): ConnectionRecord => ({
  name,
  kind: name === "demo" ? "demo" : "survey",
  title: name,
  location,
  code,
  credential: { needed: false, found: false, location: null, advice: "" },
  source: "file",
});
const demo = survey("demo", "comes with audiencelab", "al.connect(survey=al.demo_survey())");
const own = survey("own", "/data/own", "al.connect()");
const team = survey("team", "/data/team", "al.connect(survey='/data/team')");
const listed = { connections: [demo, own, team], default: "own", problems: [] };

describe("the connection of a workbench document", () => {
  it.each([
    ["al.connect()", demo],
    ["al.connect(survey='/data/own')", own],
    ["al.connect(survey='/data/team')", team],
    ["__import__('os').system('ls')", null],
  ])("for %s is one of the server's", (connect, expected) => {
    expect(connectionFor({ connect }, listed, team)).toBe(expected);
  });

  it("is the sidebar's for a new workbench, or else the default", () => {
    expect(connectionFor(null, listed, team)).toBe(team);
    expect(connectionFor(null, listed, null)).toBe(own);
  });

  it("may be a survey of the server's folder that the sidebar has opened", () => {
    const here = survey("folder-1", "/root/kunden", "al.connect(survey='/root/kunden')");
    expect(connectionFor(null, listed, here)).toBe(here);
    expect(connectionFor({ connect: here.code }, listed, here)).toBe(here);
    expect(connectionFor({ connect: "al.connect()" }, listed, here)).toBe(demo);
  });

  it.each([
    ["al.open('kunden.sav')", true],
    ["al.open(\"bob's/w*.csv\", weight=['a', 'b'], waves='latest 2', fay=0.5)", true],
    ["al.connect(survey='a/kunden').with_options(weight=None)", true],
    ["al.open('a.sav').with_options(base_of='everyone', weight='w')", true],
    ["al.open('a.sav', base_of='valid')", true],
    ["al.open('a.xlsx', sheet=1, missing={'q3': [98, 99], '*': [-9]}, order={})", true],
    [
      "al.open('a.sav', kind={'b1': 'single'}).edit('q2', top='none').edit('q5', missing=[9])",
      true,
    ],
    ["al.open('study').edit('q2', top='none')", false],
    ["al.open('k.csv', codebook='k.toml')", true],
    ["al.open('k.csv', codebook='/k.toml')", false],
    ["al.open('/data/kunden.sav', weight='wgt')", false],
    ["al.open('../kunden.sav')", false],
    ["al.open('~/kunden.sav')", false],
    ["al.open('C:/kunden.sav')", false],
    ["al.open('\\\\\\\\host/kunden.sav')", false],
    ["al.open('\\x2fkunden.sav')", false],
    ["al.open('k.sav', to='kunden')", false],
    ["al.connect(survey='/data/other')", false],
  ])("for %s is that file, by itself only below the document", (code, isBeside) => {
    expect(connectionFor({ connect: code }, listed, team)).toMatchObject({ code, isBeside });
  });

  it.each([
    "al.open('k.sav'); exit()",
    "al.open('k.sav', weight=exit())",
    "al.open('k.sav', missing={'q3': [exit()]})",
    "al.open('k.sav', weight=['a' if exit() else 'b'])",
    "al.open('k.sav' + exit())",
    "al.open('k.sav').edit(exit())",
    "al.open('k.sav').edit('q1', to='/k').edit",
    "al.open('k.sav'\n)",
    "al.open(f'{exit()}')",
    "al.open('https://example.org')",
    "al.connect(survey='s3://bucket/survey')",
    "al.connect('https://example.org')",
    "al.open('k.sav').crosstab('a')",
  ])("for %s is none", (connect) => {
    expect(connectionFor({ connect }, listed, team)).toBeNull();
  });
});

describe("a workbench document", () => {
  it("is opened by code that contains it as data", () => {
    const scope = { base_of: "valid", later: [1] };
    const document = {
      question: { scope },
      name: `"); import os  # \u2028!ls \u0085%cd \\ ' """ 😀`,
    };
    const code = openingCode(document, team);
    expect(code).toContain("client = al.connect(survey='/data/team')");
    expect(code).toMatch(/^[ -~\n]*$/);
    const [, literal = ""] = /json\.loads\((".*")\)/.exec(code) ?? [];
    expect(JSON.parse(JSON.parse(literal))).toEqual(document);
    // A second page of the kernel shows the same workbench, if that is what is saved.
    expect(code).toContain("if not shown or (shown != document and ");
    expect(code).toContain("\n        workbench.close()\n");
    expect(openingCode(null, team)).toContain("workbench = al.Workbench(client)");
    const named = openingCode(null, { code: "al.open('Käufe\u2028😀.sav')" });
    expect(named).toContain("al.open('K\\U000000e4ufe\\U00002028\\U0001f600.sav')");
  });

  it("is unchanged by a round trip, and an empty file is a new one", () => {
    expect(parseDocument(writeDocument({ a: [1] }))).toEqual({ a: [1] });
    expect(parseDocument(" \n")).toBeNull();
    for (const text of ["{", "[]", "1", "null"]) expect(() => parseDocument(text)).toThrow();
  });
});

class Kernel {
  readonly comms = new Map<string, FakeComm>();
  opened: ((comm: Comm, message: CommMessage) => void) | undefined;

  registerCommTarget(_: string, opened: (comm: Comm, message: CommMessage) => void) {
    this.opened = opened;
  }

  removeCommTarget() {
    this.opened = undefined;
  }

  createComm(_: string, id: string): Comm {
    const comm = new FakeComm(id);
    this.comms.set(id, comm);
    return comm;
  }

  /** The kernel creates a widget. */
  make(id: string, state: object, buffers: ArrayBuffer[] = [], buffer_paths: object[] = []) {
    const comm = this.createComm("", id) as FakeComm;
    this.opened?.(comm, { content: { data: { state, buffer_paths } }, buffers });
    return comm;
  }
}

class FakeComm implements Comm {
  readonly isDisposed = false;
  readonly sent: unknown[] = [];
  onMsg: (message: CommMessage) => void = () => {};
  onClose: (message: CommMessage) => void = () => {};
  constructor(readonly commId: string) {}

  send(data: object) {
    this.sent.push(data);
  }

  say(data: Record<string, unknown>, buffers: ArrayBuffer[] = []) {
    this.onMsg({ content: { data }, buffers });
  }
}

describe("widget models in the kernel of a tab", () => {
  const open = () => {
    const kernel = new Kernel();
    return { kernel, models: kernelModels(kernel as unknown as CommKernel) };
  };

  it("have the state, with its buffers, and sync in both directions", async () => {
    const { kernel, models } = open();
    const comm = kernel.make("a", { size: 1, content: null }, [new ArrayBuffer(3)], [["content"]]);
    const model = await models.find("a");
    expect(model.get("size")).toBe(1);
    expect((model.get("content") as DataView).byteLength).toBe(3);
    let heard = 0;
    model.on("change:size", () => heard++);
    comm.say({ method: "update", state: { size: 2 }, buffer_paths: [] });
    comm.say({ method: "echo_update", state: { size: 9 }, buffer_paths: [] });
    expect([model.get("size"), heard]).toEqual([2, 1]);
    model.set("size", 3);
    model.save_changes();
    expect(comm.sent).toEqual([{ method: "update", state: { size: 3 }, buffer_paths: [] }]);
  });

  it("carry messages in both directions until the kernel is gone", async () => {
    const { kernel, models } = open();
    const comm = kernel.make("a", {});
    const model = await models.find("a");
    const heard: unknown[] = [];
    model.on("msg:custom", (content: unknown) => heard.push(content));
    model.on("comm:close", () => heard.push("closed"));
    comm.say({ method: "custom", content: { ok: true } });
    model.send({ id: 1 });
    comm.onClose({ content: { data: {} } });
    model.send({ id: 2 });
    expect(heard).toEqual([{ ok: true }, "closed"]);
    expect(comm.sent).toEqual([{ method: "custom", content: { id: 1 } }]);
  });

  it("from before a reload are requested", async () => {
    const { kernel, models } = open();
    const finding = models.find("old");
    const comm = kernel.comms.get("old");
    expect(comm?.sent).toEqual([{ method: "request_state" }]);
    // An update on its way to another page comes first, and is not the whole state.
    comm?.say({ method: "update", state: { busy: true }, buffer_paths: [] });
    const state = { _model_name: "AnyModel", kind: "grid", busy: false };
    comm?.say({ method: "update", state, buffer_paths: [] });
    const model = await finding;
    expect([model.get("kind"), model.get("busy")]).toEqual(["grid", false]);
  });
});
