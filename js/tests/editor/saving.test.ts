/** Saved audiences: opened into the tree, saved back, and compared with. */
import { describe, expect, it } from "vitest";
import { ready } from "./page";
import { documentOf, leaf, NESTED } from "./samples";

/** An editor whose audience, called First, has just been sent to be saved. */
async function savingFirst() {
  const page = await ready({ ...NESTED, name: "First", audience_id: "a-1" });
  page.model.set("saved", { id: "a-1", name: "First", expression: null, etag: '"1"' });
  const save = await page.until(() => page.all('[aria-label="Save changes of First"]')[0]);
  await page.until(() => save.getAttribute("aria-disabled") === "false");
  save.click();
  return page;
}

/** The same, of an audience that someone else saved in the meantime. */
async function conflicting({ shelf = true } = {}) {
  const page = await ready({ ...NESTED, name: "First", audience_id: "a-1" });
  page.shelf = shelf;
  page.model.set("revision", 1);
  page.conflicting = true;
  page.model.set("saved", { id: "a-1", name: "First", expression: null, etag: '"1"' });
  const save = await page.until(() => page.all('[aria-label="Save changes of First"]')[0]);
  await page.until(() => save.getAttribute("aria-disabled") === "false");
  save.click();
  await page.until(() => page.text.includes("Someone else saved this in the meantime."));
  return page;
}

describe("a saved audience", () => {
  it("is opened as a step, and changes are saved back", async () => {
    const page = await ready(NESTED);
    const kept = {
      id: "a-1",
      name: "Fours",
      expression: { question: "core.q4", datapoints: ["q4_4"] },
      etag: '"1"',
    };
    page.saved = [
      { ...kept, sentence: "Q4 is 4", code: "", updated: null },
      { id: "a-2", name: "Everyone", expression: null, etag: null },
    ];
    page.button("Saved audiences").click();
    const fours = await page.until(() =>
      page.all(".al-menu-item").find((each) => each.textContent === "Fours"),
    );
    fours.click();
    await page.until(() => page.all("[data-node]").length === 2);
    expect(page.document).toMatchObject({ name: "Fours", audience_id: "a-1" });
    expect(page.model.get("saved")).toEqual(kept);
    const save = () => page.button(/^Save (as|changes)/);
    expect(save().getAttribute("aria-disabled")).toBe("true");
    page.press(page.row("n1"), "n");
    await page.until(() => save().getAttribute("aria-disabled") === "false");
    page.conflicting = true;
    save().click();
    await page.until(() => page.text.includes("Someone else saved this in the meantime."));
    page.button("Save mine anyway").click();
    await page.until(() => save().getAttribute("aria-disabled") === "true");
    expect(page.saves).toMatchObject([
      { audience: { id: "a-1", name: "Fours" }, overwrite: false },
      { audience: { id: "a-1", name: "Fours" }, overwrite: true },
    ]);
    page.button("Undo: change NOT").click();
    const undo = await page.until(
      () => page.all<HTMLButtonElement>('[aria-label="Undo: open a saved audience"]')[0],
    );
    undo.click();
    await page.until(() => page.all("[data-node]").length === 5);
    expect(page.document).toEqual(NESTED);
    await page.until(() => page.all('[aria-label="Save as a new audience"]').length === 1);
  });

  it("is opened as someone else saved it", async () => {
    const page = await conflicting();
    page.saved = [{ id: "a-1", name: "Theirs", expression: null, etag: '"2"' }];
    page.button("Load theirs").click();
    await page.until(() => page.document.name === "Theirs");
    expect(page.text).not.toContain("in the meantime");
    expect(page.model.get("saved")).toMatchObject({ name: "Theirs", etag: '"2"' });
    page.button("Undo: open a saved audience").click();
    await page.until(() => page.document.name === "First");
  });

  it("is saved beside what someone else saved", async () => {
    const page = await conflicting();
    page.conflicting = false;
    page.button("Save as new").click();
    await page.until(() => page.document.audience_id === "new");
    expect(page.saves.at(-1)).toMatchObject({ audience: { id: null, name: "First" } });
    expect(page.text).not.toContain("in the meantime");
  });

  it("can only be written over where the service lists none", async () => {
    const page = await conflicting({ shelf: false });
    const labels = page.all(".al-editor-problem button").map((each) => each.textContent);
    expect(labels).toEqual(["Save mine anyway", "Dismiss"]);
  });

  it("keeps its identifier when what came before saving is undone", async () => {
    const page = await ready(NESTED);
    page.press(page.row("n2"), "n");
    const save = page.button("Save as a new audience");
    await page.until(() => save.getAttribute("aria-disabled") === "false");
    save.click();
    await page.until(() => page.document.audience_id === "new");
    page.button("Undo: change NOT").click();
    expect(page.document).toEqual({ ...NESTED, audience_id: "new" });
  });

  it("is not taken for another, opened while it is saved", async () => {
    const page = await savingFirst();
    const other = { ...documentOf([leaf("n2")]), name: "Second", audience_id: "a-2" };
    page.model.set("document", other);
    await page.until(() => page.text.includes("Saved: First"));
    expect(page.document).toEqual(other);
  });

  it("keeps the name that is written while it is saved", async () => {
    const page = await savingFirst();
    page.model.set("document", { ...page.document, name: "Firstly" });
    await page.until(() => page.text.includes("Saved: First"));
    expect(page.document.name).toBe("Firstly");
  });
});

describe("a comparison", () => {
  it("stands beside a saved audience, and follows edits", async () => {
    const page = await ready(NESTED);
    page.saved = [{ id: "a-1", name: "Fours", expression: null }];
    page.button("Saved audiences").click();
    const beside = await page.until(
      () => page.all<HTMLButtonElement>('[aria-label="Compare with Fours"]')[0],
    );
    beside.click();
    await page.until(() => page.text.includes("Only Fours"));
    expect(page.text).toContain("Test compared with Fours");
    expect(page.text).toContain("n = 300");
    page.press(page.row("n2"), "n");
    await page.until(() => page.asked("compare") === 2);
    page.model.set("revision", 1);
    await page.until(() => page.asked("compare") === 3);
    const isOld = () => page.all(".al-editor-comparison .al-stale").length > 0;
    await page.until(() => !isOld());
    page.button("Add group").click();
    await page.until(isOld);
    expect(page.asked("compare")).toBe(3);
    page.button("Close the comparison").click();
    await page.until(() => !page.text.includes("Only Fours"));
  });
});
