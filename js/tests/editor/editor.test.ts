// Long because each test drives the whole widget on one page.
import axe from "axe-core";
import { describe, expect, it, vi } from "vitest";
import {
  type EditorDocument,
  type EditorNode,
  EMPTY_DOCUMENT,
  toWire,
} from "../../src/editor/document";
import { open, Page, ready } from "./page";
import { documentOf, group, leaf, NESTED } from "./samples";

describe("the treegrid", () => {
  it("shows level, position and expansion of every node", async () => {
    const page = await ready(NESTED);
    const told = ["n1", "n2", "n3", "n4", "n5"].map((id) =>
      ["aria-level", "aria-posinset", "aria-setsize", "aria-expanded"].map((name) =>
        page.row(id).getAttribute(name),
      ),
    );
    expect(told).toEqual([
      ["1", "1", "1", "true"],
      ["2", "1", "2", null],
      ["2", "2", "2", "true"],
      ["3", "1", "2", null],
      ["3", "2", "2", null],
    ]);
  });

  it("has an accessible name for each row", async () => {
    const page = await ready(NESTED);
    expect(page.row("n1").getAttribute("aria-label")).toMatch(/^the audience: Age is Band 2, and /);
    expect(page.row("n2").getAttribute("aria-label")).toBe("Age is Band 2");
    expect(page.button("Add answers of Age", page.row("n2"))).toBeTruthy();
    expect(page.row("n3").getAttribute("aria-label")).toBe("and Age is Band 3, or Age is Band 4");
  });

  it("labels a condition of any answers by their number", async () => {
    const any = { datapoints: null, quantifier: "at_least", count: 3 } as const;
    const page = await ready(documentOf([leaf("n2", any)]));
    expect(page.row("n2").getAttribute("aria-label")).toBe("Age is at least 3 answers");
  });

  it("shows a range of numbers, and edits its two ends", async () => {
    const range = { datapoints: null, numbers: { min: 18, below: 35 } };
    const page = await ready(documentOf([leaf("n2", range)]));
    expect(page.row("n2").getAttribute("aria-label")).toBe("Age is 18 to below 35");
    const [low, high] = page.row("n2").querySelectorAll<HTMLInputElement>('input[type="number"]');
    if (!low || !high) throw new Error("A range has two ends.");
    expect(low.getAttribute("aria-label")).toBe("Lowest number of Age");
    expect(high.value).toBe("35");
    const type = (input: HTMLInputElement, text: string) => {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    type(low, "21.5");
    await page.until(() => page.row("n2").getAttribute("aria-label") === "Age is 21.5 to below 35");
    type(high, "");
    await page.until(() => page.row("n2").getAttribute("aria-label") === "Age is at least 21.5");
    const [made] = page.document.root.children;
    expect(made && toWire(made)).toEqual({ question: "core.q4", numbers: { min: 21.5 } });
  });

  it("has one tab stop, which follows the arrow keys", async () => {
    const page = await ready(NESTED);
    const stops = () => page.all('[role="row"][tabindex="0"]').map((row) => row.dataset.node);
    expect(stops()).toEqual(["n1"]);
    page.row("n1").focus();
    page.press(page.row("n1"), "ArrowDown");
    await page.until(() => page.focused === "n2");
    expect(stops()).toEqual(["n2"]);
    page.press(page.row("n2"), "End");
    await page.until(() => page.focused === "n5");
    page.press(page.row("n5"), "ArrowLeft");
    await page.until(() => page.focused === "n3");
  });

  it("moves into the controls of a row and back", async () => {
    const page = await ready(NESTED);
    page.row("n2").focus();
    page.press(page.row("n2"), "ArrowRight");
    expect(document.activeElement).toBe(page.button("Choose answers of Age", page.row("n2")));
    page.press(document.activeElement ?? page.element, "Escape");
    await page.until(() => document.activeElement === page.row("n2"));
  });

  it("selects rows with Shift and Space, and applies actions to all of them", async () => {
    const page = await ready(NESTED);
    const picked = () => page.all('[aria-selected="true"]').map((row) => row.dataset.node);
    page.row("n2").focus();
    page.press(page.row("n2"), " ");
    await page.until(() => picked().length === 1);
    page.row("n4").focus();
    page.press(page.row("n4"), " ");
    await page.until(() => picked().length === 2);
    expect(picked()).toEqual(["n2", "n4"]);
    page.press(page.row("n4"), "g", { ctrlKey: true });
    await page.until(() => page.all("[data-node]").length === 6);
    expect(page.document.root.children.map(({ id }) => id)).toEqual(["n6", "n3"]);
    page.press(page.row("n2"), "Escape");
    await page.until(() => picked().length === 0);
    page.row("n2").focus();
    page.press(page.row("n2"), "ArrowDown", { shiftKey: true });
    await page.until(() => picked().length === 2);
    page.press(page.row("n4"), "Delete");
    await page.until(() => page.text.includes("Removed: 2 conditions"));
  });

  it("does not count selected rows that an undo removed", async () => {
    const page = await ready(NESTED);
    for (const id of ["n2", "n4"]) {
      page.row(id).focus();
      page.press(page.row(id), " ");
    }
    page.press(page.row("n4"), "d", { ctrlKey: true });
    await page.until(() => page.text.includes("2 rows selected"));
    page.press(page.row("n1"), "z", { ctrlKey: true });
    await page.until(() => !page.text.includes("rows selected"));
    page.press(page.row("n1"), "y", { ctrlKey: true });
    await page.until(() => page.text.includes("2 rows selected"));
  });

  it("selects rows from the focused one to one clicked with Shift", async () => {
    const page = await ready(NESTED);
    const picked = () => page.all('[aria-selected="true"]').map((row) => row.dataset.node);
    const press = (id: string, shiftKey = false) => {
      const mouse = (type: string) =>
        new MouseEvent(type, { bubbles: true, cancelable: true, shiftKey });
      // A browser focuses what is pressed.
      if (page.row(id).dispatchEvent(mouse("mousedown"))) page.row(id).focus();
      page.row(id).dispatchEvent(mouse("click"));
    };
    press("n2");
    press("n4", true);
    await page.until(() => picked().length > 0);
    expect(picked()).toEqual(["n2", "n3", "n4"]);
    expect(page.focused).toBe("n4");
  });

  it("excludes muted nodes, and keeps them", async () => {
    const page = await ready(NESTED);
    page.press(page.row("n3"), "m");
    await page.until(() => page.row("n4").dataset.silent === "true");
    expect(page.figures("n4")).toEqual(["", "", ""]);
    expect(page.row("n4").getAttribute("aria-label")).toContain("not counted");
    await page.until(() => page.measured.flat().length > 5 || !page.isStale("n1"));
    page.press(page.row("n3"), "m");
    await page.until(() => page.row("n4").dataset.silent === "false");
  });

  it("copies conditions as JSON and pastes them, from Python code too", async () => {
    const page = await ready(NESTED);
    const clip = (type: string, id: string, text = "") => {
      const event = new Event(type, { bubbles: true, cancelable: true });
      let held = text;
      const clipboardData = {
        getData: () => held,
        setData: (_: string, written: string) => {
          held = written;
        },
      };
      Object.assign(event, { clipboardData });
      page.row(id).dispatchEvent(event);
      return held;
    };
    const copied = clip("copy", "n3");
    expect(JSON.parse(copied)).toEqual(toWire(NESTED.root.children[1] as EditorNode));
    clip("paste", "n2", copied);
    await page.until(() => page.all("[data-node]").length === 8);
    expect(page.document.root.children.map(({ id }) => id)).toEqual(["n2", "n6", "n3"]);
    clip("paste", "n2", "al.Q('q4').any('q4_4')");
    await page.until(() => page.all("[data-node]").length === 9);
    clip("paste", "n2", "nonsense");
    await page.until(() => page.text.includes("Nothing was pasted. Line 1"));
    const before = page.document;
    clip("cut", "n2");
    await page.until(() => page.all("[data-node]").length === 8);
    page.press(page.row("n6"), "z", { ctrlKey: true });
    await page.until(() => page.all("[data-node]").length === 9);
    expect(page.document.root).toEqual(before.root);
  });

  it("leaves a drag of selected text alone", async () => {
    const page = await ready(NESTED);
    const [text] = page.button("Choose answers of Age", page.row("n2")).childNodes;
    const data = new Map<string, string>();
    const dataTransfer = {
      setData: (type: string, held: string) => data.set(type, held),
      setDragImage: () => {},
    };
    const start = Object.assign(new Event("dragstart", { bubbles: true }), { dataTransfer });
    text?.dispatchEvent(start);
    expect([...data]).toEqual([]);
    page
      .all(".al-editor-grip")[0]
      ?.dispatchEvent(Object.assign(new Event("dragstart", { bubbles: true }), { dataTransfer }));
    expect([...data.keys()]).toHaveLength(2);
  });

  it("turns questions dragged from a picker into conditions", async () => {
    const page = await ready(NESTED);
    const type = "application/x-audiencelab-questions+json";
    const dropped = [{ question: "q2", datapoints: ["q2_1"], suffixes: [] }];
    const dataTransfer = { types: [type], getData: () => JSON.stringify(dropped) };
    for (const name of ["dragover", "drop"]) {
      const event = new Event(name, { bubbles: true, cancelable: true });
      page.row("n1").dispatchEvent(Object.assign(event, { dataTransfer, clientY: 0 }));
    }
    await page.until(() => page.document.root.children.length === 3);
    expect(page.document.root.children.at(-1)).toMatchObject({
      question: "q2",
      datapoints: ["q2_1"],
      quantifier: "any",
    });
  });

  it("shows its keyboard help", async () => {
    const page = await ready(NESTED);
    page.row("n2").focus();
    page.press(page.row("n2"), "?", { shiftKey: true });
    await page.until(() => page.text.includes("Go from row to row"));
    page.press(page.all(".al-keys")[0] as Element, "Escape");
    await page.until(() => page.all(".al-keys").length === 0);
    expect(page.focused).toBe("n2");
  });

  it("collapses a group to its sentence", async () => {
    const page = await ready(NESTED);
    page.press(page.row("n3"), "ArrowLeft");
    await page.until(() => page.all("[data-node]").length === 3);
    expect(page.row("n3").textContent).toContain("Age is Band 3, or Age is Band 4");
    page.press(page.row("n3"), "ArrowRight");
    await page.until(() => page.all("[data-node]").length === 5);
  });

  it("shows a label as text, whatever it contains", async () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const page = await open({ ...NESTED, name: hostile });
    const odd = leaf("n2", { question: hostile, datapoints: [hostile] });
    page.model.set("document", documentOf([odd]));
    await page.until(() => page.text.includes(hostile));
    expect(page.all("img")).toEqual([]);
  });
});

describe("editing", () => {
  it("switches AND and OR, and NOT", async () => {
    const page = await ready(NESTED);
    page.button("OR", page.row("n1")).click();
    page.button("not", page.row("n2")).click();
    expect(page.document.root.operator).toBe("or");
    expect(page.document.root.children[0]?.negated).toBe(true);
    await page.until(
      () => page.button("not", page.row("n2")).getAttribute("aria-pressed") === "true",
    );
  });

  it("undoes and redoes from anywhere inside, and announces it", async () => {
    const page = await ready(NESTED);
    page.button("OR", page.row("n1")).click();
    page.press(page.all("input")[0] ?? page.element, "z", { ctrlKey: true });
    expect(page.document).toEqual(NESTED);
    await page.until(() => page.text.includes("Undone: switch AND/OR"));
    page.press(page.row("n1"), "z", { metaKey: true, shiftKey: true });
    expect(page.document.root.operator).toBe("or");
  });

  it("moves with Alt and arrow keys, and keeps the focus on the moved row", async () => {
    const page = await ready(NESTED);
    page.row("n4").focus();
    page.press(page.row("n4"), "ArrowUp", { altKey: true });
    await page.until(() => page.row("n4").getAttribute("aria-level") === "2");
    expect(page.focused).toBe("n4");
    expect(page.text).toContain("Moved to position 2 of 3");
  });

  it("removes with Delete, and focuses a neighbour", async () => {
    const page = await ready(NESTED);
    page.row("n4").focus();
    page.press(page.row("n4"), "Delete");
    await page.until(() => page.focused === "n5");
    expect(page.text).toContain("Removed: Age is Band 3");
  });

  it("removes an answer by its chip", async () => {
    const page = await ready(documentOf([leaf("n2", { datapoints: ["q4_1", "q4_2"] })]));
    page.button("Remove the answer Band 1").click();
    expect(page.document.root.children[0]).toMatchObject({ datapoints: ["q4_2"] });
    await page.until(() => page.focused === "n2");
  });

  it("sets how many of several answers must apply", async () => {
    const page = await ready(documentOf([leaf("n2", { datapoints: ["q4_1", "q4_2", "q4_3"] })]));
    const select = page.all<HTMLSelectElement>("select")[0];
    if (!select) throw new Error("no select");
    select.value = "at_least";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    const count = await page.until(() => page.all<HTMLInputElement>("input[type=number]")[0]);
    expect(count.value).toBe("2");
    count.value = "3";
    count.dispatchEvent(new Event("input", { bubbles: true }));
    expect(page.document.root.children[0]).toMatchObject({ quantifier: "at_least", count: 3 });
  });

  it("merges typed letters of a name into one step", async () => {
    const page = await ready(NESTED);
    const name = page.all<HTMLInputElement>("input")[0];
    if (!name) throw new Error("no name field");
    for (const typed of ["Y", "Yo", "You"]) {
      name.value = typed;
      name.dispatchEvent(new Event("input", { bubbles: true }));
    }
    expect(page.document.name).toBe("You");
    await page.until(() => page.all('[aria-label="Undo: rename"]').length === 1);
    page.button("Undo: rename").click();
    expect(page.document).toEqual(NESTED);
    await page.until(() => page.all('[aria-label="Nothing to undo"]').length === 1);
  });

  it("sends the document only, and a name after a pause", async () => {
    const page = await ready(NESTED);
    const sent = page.model.saved.length;
    const name = page.all<HTMLInputElement>("input")[0];
    if (!name) throw new Error("no name field");
    for (const typed of ["Y", "Yo", "You"]) {
      name.value = typed;
      name.dispatchEvent(new Event("input", { bubbles: true }));
    }
    expect(page.model.saved).toHaveLength(sent);
    await page.until(() => page.model.saved.length > sent);
    expect(page.model.saved).toHaveLength(sent + 1);
    const last = JSON.parse(page.model.saved.at(-1) ?? "");
    expect(last.document).toEqual({ ...NESTED, name: "You" });
  });

  it("sends a typed name with the next edit, and when the field is left", async () => {
    const page = await ready(NESTED);
    const name = page.all<HTMLInputElement>("input")[0];
    if (!name) throw new Error("no name field");
    const sent = page.model.saved.length;
    name.value = "You";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    name.dispatchEvent(new Event("change", { bubbles: true }));
    expect(page.model.saved).toHaveLength(sent + 1);
  });

  it("makes a change from Python an undo step", async () => {
    const page = await ready(NESTED);
    const other = { ...documentOf([leaf("n9")]), name: "From Python" };
    page.model.set("document", other);
    const step = "set from Python";
    await page.until(() => page.all(`[aria-label="Undo: ${step}"]`).length === 1);
    page.button(`Undo: ${step}`).click();
    expect(page.document).toEqual(NESTED);
    await page.until(() => page.all(`[aria-label="Redo: ${step}"]`).length === 1);
    page.button(`Redo: ${step}`).click();
    expect(page.document).toEqual(other);
  });

  it("keeps its steps when its view is closed and reopened", async () => {
    const page = await ready(NESTED);
    page.button("OR", page.row("n1")).click();
    page.close();
    const again = await open(NESTED, page.model);
    again.button("Undo: switch AND/OR").click();
    expect(page.document).toEqual(NESTED);
  });

  it("is the same in a second view, undo included", async () => {
    const page = await ready(NESTED);
    const second = await open(NESTED, page.model);
    page.button("OR", page.row("n1")).click();
    await second.until(
      () => second.button("OR", second.row("n1")).getAttribute("aria-pressed") === "true",
    );
    second.button("Undo: switch AND/OR").click();
    expect(page.document).toEqual(NESTED);
  });
});

describe("sizes", () => {
  it("are those of the base while the tree is empty", async () => {
    const page = await open(EMPTY_DOCUMENT);
    expect(page.figures("n1")).toEqual(["10,000", "1,000", "100.0"]);
    expect(page.measured).toEqual([]);
  });

  it("are requested once for every meaning and shown in columns", async () => {
    const page = await ready(NESTED);
    expect(page.figures("n4")).toEqual(["5,000", "500", "50.0"]);
    expect(page.measured.map((each) => each.length)).toEqual([5]);
  });

  it("are outdated after an edit, and never those of an earlier request", async () => {
    const page = await ready(NESTED);
    page.holding = true;
    page.sample = (each) => (JSON.stringify(each).includes('"not":true') ? 111 : 222);
    page.button("not", page.row("n4")).click();
    await page.until(() => page.isStale("n4"));
    expect(page.figures("n4")[1]).toBe("500");
    expect(page.isStale("n2")).toBe(false);
    await page.until(() => page.held.length === 1);
    page.press(page.row("n4"), "Delete");
    await page.until(() => page.held.length === 2);
    for (const answer of page.held) answer();
    await page.until(() => !page.isStale("n3"));
    expect(page.figures("n3")[1]).toBe("222");
  });

  it("are known after an undo, without a request", async () => {
    const page = await ready(NESTED);
    page.button("OR", page.row("n1")).click();
    await page.until(() => page.measured.length === 2);
    await page.until(() => !page.isStale("n1"));
    page.press(page.row("n1"), "z", { ctrlKey: true });
    await page.until(
      () => page.button("AND", page.row("n1")).getAttribute("aria-pressed") === "true",
    );
    expect(page.isStale("n1")).toBe(false);
    expect(page.measured).toHaveLength(2);
  });

  it("have warnings beside the node", async () => {
    const page = new Page(NESTED);
    page.sample = (each) => {
      const text = JSON.stringify(each);
      if (!text.includes("and") && text.includes("q4_3")) return 12;
      return text.includes("q4_4") ? 0 : 64;
    };
    await page.until(() => page.row("n4").textContent?.includes("too few to report"));
    expect(page.row("n2").textContent).toContain("Low base: 64 respondents.");
    expect(page.row("n5").textContent).toContain("No respondents match.");
  });

  it("have no warning if a wave asked all respondents", async () => {
    const wave = leaf("n3", { question: "waves", datapoints: ["q4_2025"] });
    const page = new Page(documentOf([leaf("n2"), wave]));
    page.sample = () => 1_000;
    await page.until(() => page.row("n2").textContent?.includes("All respondents in the base"));
    expect(page.row("n3").textContent).toContain("Q4_2025");
    expect(page.row("n3").textContent).not.toContain("Everybody");
  });

  it("are requested again when the base changes", async () => {
    const page = await ready(NESTED);
    page.model.set("revision", 1);
    await page.until(() => page.measured.length === 2);
    expect(page.measured[1]).toHaveLength(5);
  });

  it("within the old base are not taken for those within the new one", async () => {
    const page = await ready(NESTED);
    page.holding = true;
    page.button("not", page.row("n2")).click();
    await page.until(() => page.held.length === 1);
    page.model.set("revision", 1);
    page.sample = () => 111;
    page.held[0]?.();
    page.sample = () => 222;
    await page.until(() => page.held.length === 2);
    page.held[1]?.();
    await page.until(() => !page.isStale("n2"));
    expect(page.figures("n2")[1]).toBe("222");
  });
});

describe("an incomplete tree", () => {
  const unfinished = documentOf([
    leaf("n2"),
    leaf("n3", { datapoints: [] }),
    group("n4", []),
    leaf("n5", { quantifier: "at_least", count: 9, datapoints: ["q4_1", "q4_2"] }),
  ]);

  it("shows what is missing beside each node, and counts only the rest", async () => {
    const page = await open(unfinished);
    await page.until(() => page.row("n3").textContent?.includes("Choose at least one answer."));
    expect(page.row("n4").textContent).toContain("This group is empty");
    expect(page.row("n5").textContent).toContain("can never hold");
    await page.until(() => page.figures("n2")[1] === "500");
    expect(page.measured).toEqual([[{ question: "core.q4", datapoints: ["q4_2"] }]]);
    expect(page.text).toContain("Incomplete");
  });

  it("has a hint in an empty group, and both buttons add a condition to it", async () => {
    const page = await open(documentOf([leaf("n2")]));
    page.button("Add group").click();
    const hint = await page.until(() => page.all(".al-editor-remark.note")[0]);
    expect(hint.textContent).toContain("This group is empty");
    expect(page.all(".al-editor-remark.al-error")).toHaveLength(0);
    const group = page.document.root.children[1]?.id ?? "";
    for (const button of [
      page.button("Add condition", hint),
      page.button("Add condition", page.all(".al-editor-footer")[0]),
    ]) {
      button.click();
      const dialog = await page.until(() => page.all('[role="dialog"]')[0]);
      expect(dialog.getAttribute("aria-label")).toBe("Add condition");
      page.press(dialog, "Escape");
      await page.until(() => page.all('[role="dialog"]').length === 0);
    }
    expect(page.all(`.al-editor-footer [data-opens="add ${group}"]`)).toHaveLength(1);
    page.row("n2").focus();
    await page.until(() => page.all('.al-editor-footer [data-opens="add n1"]').length === 1);
  });

  it("shows how a question can be answered before an answer is selected", async () => {
    const page = await open(documentOf([leaf("n2", { question: "core.q20", datapoints: null })]));
    await page.until(() => page.row("n2").textContent?.includes("any point of the scale"));
    expect(page.row("n2").textContent).not.toContain("Level 1");
  });

  it("is fixed by the button beside the error", async () => {
    const page = await open(unfinished);
    const fix = await page.until(() => page.button("Set to 2", page.row("n5")));
    fix.click();
    expect(page.document.root.children[3]).toMatchObject({ count: 2 });
  });
});

describe("the text below", () => {
  it("is Python's own and can be copied", async () => {
    const page = await ready(NESTED);
    await page.until(() => page.text.includes("In words."));
    expect(page.text).toContain("al.Audience(Test)");
    expect(page.button("Copy the code").disabled).toBe(false);
  });

  it("is that of the tree after an edit that is undone before Python answers", async () => {
    const page = await ready(NESTED);
    await page.until(() => page.text.includes("al.Audience(Test)"));
    page.holdingWords = true;
    const before = page.asked("words");
    const name = page.all<HTMLInputElement>("input")[0] as HTMLInputElement;
    name.value = "Other";
    name.dispatchEvent(new Event("input", { bubbles: true }));
    name.dispatchEvent(new Event("change", { bubbles: true }));
    await page.until(() => page.asked("words") > before);
    page.button(/^Undo: /).click();
    await page.until(() => page.document.name === "Test");
    for (const answer of page.held) answer();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(page.text).toContain("al.Audience(Test)");
    expect(page.all(".al-editor-output .al-stale")).toEqual([]);
  });

  it("reports where it could not be copied", async () => {
    const page = await ready(NESTED);
    await page.until(() => page.text.includes("In words."));
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("not allowed"));
    document.execCommand = () => false;
    page.button("Copy the code").click();
    const shown = await page.until(() => page.all(".al-editor-block .al-error")[0]);
    expect(shown.textContent).toBe("The browser did not allow copying.");
    vi.restoreAllMocks();
  });
});

describe("accessibility", () => {
  const faulty = documentOf([group("n2", []), leaf("n3", { datapoints: [] })]);
  // A key on the second node, and what must be visible before axe runs.
  const scenarios: [string, EditorDocument, string | null, string][] = [
    ["a finished tree", NESTED, null, ".al-editor-waves"],
    ["everyone", EMPTY_DOCUMENT, null, ".al-editor-waves"],
    ["faults", faulty, null, ".al-error"],
    ["the keys", NESTED, "?", ".al-keys"],
    ["rows selected", NESTED, " ", '[aria-selected="true"]'],
    ["a node left out", NESTED, "m", '[data-silent="true"]'],
    ["the menu", NESTED, "ContextMenu", '[role="menuitem"]'],
    ["choosing answers", NESTED, "Enter", '[role="option"]'],
    ["adding", NESTED, "+", '[role="treeitem"]'],
  ];

  it.each(scenarios)("axe finds no violations in: %s", async (_, document_, key, there) => {
    const page = await open(document_);
    if (key) {
      await page.until(() => page.text.includes("Age"));
      page.press(page.row("n2"), key);
    }
    await page.until(() => page.all(there).length > 0);
    // Colours need a real browser; the browser tests check them.
    const { violations } = await axe.run(page.element, {
      rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
  });
});
