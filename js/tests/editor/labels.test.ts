// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describe as sentenceOf } from "../../src/editor/labels";
import { readNodes } from "../../src/editor/parse";
import { group, leaf, lookup } from "./samples";

interface Case {
  what: string;
  expression: unknown;
  sentence: string;
}

const shared: Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../tests/expressions/sentences.json"), "utf8"),
);

describe("an expression as a sentence", () => {
  it.each(shared)("is the one that Python writes: $what", ({ expression, sentence }) => {
    const [node] = readNodes(JSON.stringify(expression)) ?? [];
    expect(node && sentenceOf(node, lookup)).toBe(sentence);
  });

  it("marks what is incomplete", () => {
    expect(sentenceOf(leaf("n2", { datapoints: [] }), lookup)).toBe("Age is no answers chosen");
    expect(sentenceOf(group("n2", []), lookup)).toBe("empty group");
  });
});
