import { beforeEach, expect, it } from "vitest";
import { addSheet, dress } from "../../src/ui/sheets";

const home = () => document.body.appendChild(document.createElement("div"));
const rules = (root: ParentNode) =>
  [...root.querySelectorAll("style[data-audiencelab]")].map((each) => each.textContent);

beforeEach(() => {
  document.body.replaceChildren();
  document.head.replaceChildren();
});

it("dresses each root once, in one order, and again when a module has brought a sheet", () => {
  addSheet(2, ".b{}");
  dress(home());
  dress(home());
  expect(rules(document.head)).toEqual([".b{}"]);
  addSheet(1, ".a{}");
  dress(home());
  expect(rules(document.head)).toEqual([".a{}.b{}"]);
  const el = document.createElement("div");
  const shadow = home().attachShadow({ mode: "open" });
  shadow.append(el);
  dress(el);
  expect(rules(shadow)).toEqual([".a{}.b{}"]);
});

it("dresses an element where it is moved to before it is seen", async () => {
  const el = document.createElement("div");
  dress(el);
  const shadow = home().attachShadow({ mode: "open" });
  shadow.append(el);
  await new Promise((done) => requestAnimationFrame(done));
  expect(rules(shadow)).toHaveLength(1);
});
