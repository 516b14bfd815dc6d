// @vitest-environment node
import { describe, expect, it } from "vitest";
import { runnable } from "../../src/lab/connecting";

const IMPORT = "import audiencelab as al";
const CODE = "client.stats(question='q4')";

describe("the code that a cell needs to run at its position", () => {
  it("is the import and the client in an empty notebook, and nothing below both", () => {
    const whole = `${IMPORT}\nclient = al.connect()\n\n${CODE}`;
    expect(runnable(CODE, "al.connect()", [])).toBe(whole);
    expect(runnable(CODE, "al.connect()", ["1", `${IMPORT}\nclient = al.connect()`])).toBe(CODE);
    expect(runnable(CODE, "al.connect()", [IMPORT])).toBe(`client = al.connect()\n\n${CODE}`);
  });

  it("ignores comments and other names", () => {
    const above = [`# ${IMPORT}\n# client = al.connect()\nclients = al.connect()\nclient == 1`];
    expect(runnable(CODE, "al.connect()", above)).toContain(IMPORT);
    expect(runnable(CODE, "al.connect()", above)).toContain("\nclient = al.connect()");
  });

  it.each([
    ["al.connect()", "al.connect(store='mine.json', timeout=3)"],
    ["al.connect('https://a.example')", 'al.connect("https://a.example/")'],
    ["al.connect('https://a.example')", 'al.connect(\n    "https://a.example",\n    retries=2,\n)'],
    ["al.connect('https://a.example')", "al.connect(base_url='https://a.example')"],
    ["al.connect(survey='/a (b)/c')", "al.connect(survey='/a (b)/c', store=f())"],
    // A client that cannot be recognised is assumed to be the right one.
    ["al.connect()", "al.connect(survey=folder)"],
    ["al.connect()", "al.connect(address)"],
    ["al.connect()", "al.connect(snapshot='wave.zip')"],
    ["al.connect()", "make_client()"],
    ["al.connect(survey=al.demo_survey())", "al.connect(survey=al.demo_survey())"],
  ])("treats %s and %s as one survey", (connect, made) => {
    expect(runnable(CODE, connect, [`${IMPORT}\nclient = ${made}`])).toBe(CODE);
  });

  it.each([
    ["al.connect()", "al.connect('https://a.example')"],
    ["al.connect('https://a.example')", "al.connect('https://b.example')"],
    ["al.connect(survey='/a')", "al.connect()"],
    ["al.connect(survey='/a')", "al.connect(survey='/b')"],
  ])("connects to %s in a notebook that is connected to %s", (connect, made) => {
    const cell = runnable(CODE, connect, [`${IMPORT}\nclient = ${made}`]);
    expect(cell).toBe(`client = ${connect}\n\n${CODE}`);
  });

  it("follows the last connection above", () => {
    const above = [IMPORT, "client = al.connect()", "client = al.connect(survey='/a')"];
    expect(runnable(CODE, "al.connect(survey='/a')", above)).toBe(CODE);
    expect(runnable(CODE, "al.connect()", above)).toBe(`client = al.connect()\n\n${CODE}`);
  });
});
