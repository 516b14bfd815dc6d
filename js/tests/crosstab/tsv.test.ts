// @vitest-environment node
import { describe, expect, it } from "vitest";
import { toTsv } from "../../src/crosstab/export/clipboardFormats";

describe("toTsv", () => {
  it("writes numbers with some decimals and no number as an empty field", () => {
    expect(
      toTsv(
        [
          ["", "18 to 24"],
          ["Women", 104.66666666666667],
          ["Men", Number.NaN],
        ],
        1,
      ),
    ).toBe("\t18 to 24\nWomen\t104.7\nMen\t");
  });

  it("quotes names that would break the table", () => {
    expect(toTsv([["a\tb", 'say "hi"', "two\nlines"]], 1)).toBe(
      '"a\tb"\t"say ""hi"""\t"two\nlines"',
    );
  });

  it("keeps a name from acting as a formula, and leaves negative numbers alone", () => {
    expect(toTsv([["=HYPERLINK(1)", "@x", "+1", "-1", -1]], 1)).toBe(
      "'=HYPERLINK(1)\t'@x\t'+1\t'-1\t-1",
    );
  });

  it("sees a formula behind blanks, and one with a wide sign", () => {
    expect(toTsv([["  =1", "\u00a0@x", "\uff1d1+1", " plain", "a=b"]], 1)).toBe(
      "'  =1\t'\u00a0@x\t'\uff1d1+1\t plain\ta=b",
    );
  });
});
