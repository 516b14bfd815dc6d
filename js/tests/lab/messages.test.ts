import { expect, it } from "vitest";
import { bodyIn, keepLast, say } from "../../src/lab/workbench/messages";

it("keeps the last table, in grey and out of reach, below a message until the next is drawn", () => {
  const node = document.createElement("div");
  document.body.append(node);
  keepLast(node);
  expect(node.childElementCount).toBe(0);
  bodyIn(node).innerHTML = "<button>43.0%</button>";
  keepLast(node);
  say(node, { sentence: "Opening the workbench …" });
  say(node, { sentence: "The kernel died." });
  const [message, last, ...more] = [...node.children] as HTMLElement[];
  expect([message?.textContent, last?.textContent, more]).toEqual([
    "The kernel died.",
    "43.0%",
    [],
  ]);
  expect([last?.inert, last?.className]).toEqual([
    true,
    "audiencelab-tab-body audiencelab-tab-last",
  ]);
  keepLast(node);
  expect(node.textContent).toContain("43.0%");
  bodyIn(node);
  expect(node.textContent).toBe("");
});
