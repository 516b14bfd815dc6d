// @vitest-environment node
import { describe, expect, it } from "vitest";
import { runnable } from "../../src/lab/connecting";

const IMPORT = "import audiencelab as al";
const CODE = "client.stats(question='q4')";

describe("what a cell needs to run where it is put", () => {
  it("is the import and the client in an empty notebook, and nothing below both", () => {
    const whole = `${IMPORT}\nclient = al.connect()\n\n${CODE}`;
    expect(runnable(CODE, "al.connect()", [])).toBe(whole);
    expect(runnable(CODE, "al.connect()", ["1", `${IMPORT}\nclient = al.connect()`])).toBe(CODE);
    expect(runnable(CODE, "al.connect()", [IMPORT])).toBe(`client = al.connect()\n\n${CODE}`);
  });

  it("does not count what is a comment, or another name", () => {
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
    // What cannot be read is taken for the right one.
    ["al.connect()", "al.connect(survey=folder)"],
    ["al.connect()", "al.connect(address)"],
    ["al.connect()", "al.connect(snapshot='wave.zip')"],
    ["al.connect()", "make_client()"],
    ["al.connect(survey=al.demo_survey())", "al.connect(survey=al.demo_survey())"],
  ])("takes %s and %s for one survey", (connect, made) => {
    expect(runnable(CODE, connect, [`${IMPORT}\nclient = ${made}`])).toBe(CODE);
  });

  it.each([
    ["al.connect()", "al.connect('https://a.example')"],
    ["al.connect('https://a.example')", "al.connect('https://b.example')"],
    ["al.connect(survey='/a')", "al.connect()"],
    ["al.connect(survey='/a')", "al.connect(survey='/b')"],
  ])("connects to %s in a notebook that asks %s", (connect, made) => {
    const cell = runnable(CODE, connect, [`${IMPORT}\nclient = ${made}`]);
    expect(cell).toBe(`client = ${connect}\n\n${CODE}`);
  });

  it("goes by the last connection above", () => {
    const above = [IMPORT, "client = al.connect()", "client = al.connect(survey='/a')"];
    expect(runnable(CODE, "al.connect(survey='/a')", above)).toBe(CODE);
    expect(runnable(CODE, "al.connect()", above)).toBe(`client = al.connect()\n\n${CODE}`);
  });
});
