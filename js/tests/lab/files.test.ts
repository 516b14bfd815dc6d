import { describe, expect, it } from "vitest";
import { freeName } from "../../src/lab/workbench/file";
import { fixesOf } from "../../src/lab/workbench/fixes";
import { progressLine } from "../../src/lab/workbench/messages";
import { besideAt, placesOf } from "../../src/lab/workbench/moved";
import { firstCode } from "../../src/lab/workbench/opening";
import { isData } from "../../src/lab/workbench/paths";
import { type LocalSource, localSource } from "../../src/lab/workbench/source";

const source = (code: string) => localSource(code) as LocalSource;

describe("the message of a file that cannot be opened", () => {
  const open = "al.open('kunden.xlsx')";

  it("offers the calls and the arguments that it proposes", () => {
    const several =
      "kunden.xlsx: which sheet is meant? Write sheet='Daten 1' or sheet=\"Bob's\".\n" +
      "Without a weight: Write al.open('kunden.xlsx', weight=None).";
    expect(fixesOf(several, open)).toEqual([
      { label: "weight=None", code: "al.open('kunden.xlsx', weight=None)" },
      { label: "sheet='Daten 1'", code: "al.open('kunden.xlsx', sheet='Daten 1')" },
      { label: 'sheet="Bob\'s"', code: "al.open('kunden.xlsx', sheet=\"Bob's\")" },
    ]);
  });

  it("offers nothing that was tried, is about another file, or runs something", () => {
    const tried = "al.open('a.csv', encoding='utf-8')";
    expect(fixesOf("encoding='utf-8' is not valid. Write encoding='cp1252'.", tried)).toEqual([
      { label: "encoding='cp1252'", code: "al.open('a.csv', encoding='cp1252')" },
    ]);
    for (const message of [
      "Write al.open('other.csv', weight=None).",
      "Write al.open(frame, weight=None2).",
      "Write al.open('a.csv', weight=exit()).",
    ])
      expect(fixesOf(message, tried)).toEqual([]);
  });
});

describe("the file of a document", () => {
  it.each([
    ["al.open('data/kunden.sav')", ["data/kunden.sav", "kunden.sav"]],
    [
      "al.open('/old/study/data/kunden.sav')",
      ["old/study/data/kunden.sav", "study/data/kunden.sav", "data/kunden.sav", "kunden.sav"],
    ],
    ["al.open('../kunden.sav')", ["kunden.sav"]],
    ["al.open('wave*.csv')", []],
  ])("of %s is looked for with it", (code, places) => {
    expect(placesOf(source(code))).toEqual(places);
  });

  it("is named from the folder of the document, at its place in the code", () => {
    expect(besideAt("a/b/", "a/c/k.sav")).toBe("../c/k.sav");
    expect(besideAt("", "k.sav")).toBe("k.sav");
    const code = source("al.open('k.sav', weight='w').with_options(base_of='valid')");
    expect(code.at("it's.sav")).toBe(
      "al.open(\"it's.sav\", weight='w').with_options(base_of='valid')",
    );
    expect(source("al.connect(survey='a/k')").at("k")).toBe("al.connect(survey='k')");
  });

  it("is never replaced by saving", async () => {
    const there = ["kunden.audiencelab.json", "kunden-2.audiencelab.json"];
    const name = await freeName(async (each) => there.includes(each), "kunden");
    expect(name).toBe("kunden-3.audiencelab.json");
  });
});

describe("opening a file", () => {
  it("keeps the workbench that the kernel has after a reload", () => {
    const [first, ...rest] = firstCode("al.open('k.sav')", false).split("\n");
    expect(first).toBe('if "workbench" not in globals():');
    for (const line of rest) expect(line).toMatch(/^( {4}|$)/);
    expect(firstCode("al.open('k.sav')", true)).toContain("\n    client = al.open('k.sav')\n");
  });

  it("reports rows, or a share where they are not known, and seconds", () => {
    const report = { step: "k.sav", rows: 1_000_000, share: 0.4216 };
    expect(progressLine(null, 2.9)).toBe("2 s");
    expect(progressLine(report, 14)).toBe("k.sav: 421,600 of 1,000,000 rows, 14 s");
    expect(progressLine({ ...report, share: 1 }, 20)).toBe(
      "k.sav: 1,000,000 rows read. Finding out what the columns mean, 20 s",
    );
    expect(progressLine({ ...report, rows: 0 }, 14)).toBe("k.sav: 42%, 14 s");
    expect(progressLine({ ...report, step: "" }, 60)).toBe("Counting the first table, 60 s");
  });

  it("is offered for the files that can be read", () => {
    for (const name of ["a.SAV", "b/a.csv.gz", "a.sss", "a.zip"]) expect(isData(name)).toBe(true);
    for (const name of ["a.ipynb", "a.json", "sav"]) expect(isData(name)).toBe(false);
  });
});
