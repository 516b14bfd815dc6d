import { describe, expect, it, vi } from "vitest";
import { HELLO } from "../../src/core/notebook";
import { freshPages, Page } from "./page";

freshPages();

/** Every observed element has a size. */
class Sized {
  constructor(private readonly report: (entries: object[]) => void) {}
  observe(): void {
    this.report([{ contentRect: { width: 600, height: 300 } }]);
  }
  disconnect(): void {}
}

describe("the tray", () => {
  const entry = (question: string) => ({ question, datapoints: [], suffixes: [] });
  const three = ["q2", "q4", "q20"].map(entry);
  const key = (chip: HTMLElement | undefined, name: string, altKey = false) =>
    chip?.dispatchEvent(new KeyboardEvent("keydown", { key: name, altKey, bubbles: true }));

  it("moves chips with Alt and the arrow keys, and the focus follows", async () => {
    const page = new Page(three);
    await page.load();
    page.chips()[0]?.focus();
    key(page.chips()[0], "ArrowRight", true);
    await page.drawn();
    expect(page.picked()).toEqual(["q4", "q2", "q20"]);
    expect(document.activeElement?.textContent).toContain("Gender");
    key(page.chips()[1], "ArrowDown", true);
    await page.drawn();
    key(page.chips()[2], "ArrowDown", true);
    await page.drawn();
    expect(page.picked()).toEqual(["q4", "q20", "q2"]);
    expect(page.el.textContent).toContain("Gender is now 3 of 3.");
  });

  it("keeps the focus where the last visible chip moves behind it", async () => {
    const page = new Page(Array.from({ length: 62 }, (_, at) => entry(`other${at}`)));
    await page.load();
    page.chips()[59]?.focus();
    key(page.chips()[59], "ArrowRight", true);
    await page.drawn();
    expect(page.picked().slice(58, 61)).toEqual(["other58", "other60", "other59"]);
    expect(document.activeElement).toBe(page.chips()[59]);
    expect(document.activeElement?.textContent).toContain("other60");
  });

  it("moves a dragged chip to its drop position", async () => {
    const page = new Page(three);
    await page.load();
    const items = page.chips().map((chip) => chip.closest("li"));
    const drag = (at: number, name: string) =>
      items[at]?.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
    drag(2, "dragstart");
    drag(0, "dragover");
    drag(0, "drop");
    drag(2, "dragend");
    await page.drawn();
    expect(page.picked()).toEqual(["q20", "q2", "q4"]);
    expect(page.el.querySelector('[data-dragged="true"]')).toBeNull();
  });

  it("removes with Delete, and the focus stays among the rest", async () => {
    const page = new Page(three);
    await page.load();
    page.chips()[2]?.focus();
    key(page.chips()[2], "Delete");
    await page.drawn();
    expect(page.picked()).toEqual(["q2", "q4"]);
    expect(document.activeElement?.textContent).toContain("Age");
  });

  it("focuses the search box when nothing is left", async () => {
    const page = new Page(three.slice(0, 1));
    await page.load();
    page.chips()[0]?.focus();
    key(page.chips()[0], "Delete");
    await page.drawn();
    expect(document.activeElement).toBe(page.box);
  });

  it("is cleared at once, and the search box gets the focus", async () => {
    const page = new Page(three);
    await page.load();
    const clear = page.el.querySelector<HTMLElement>(".al-picker-tray .al-link");
    clear?.focus();
    clear?.click();
    await page.drawn();
    expect(page.picked()).toEqual([]);
    expect(document.activeElement).toBe(page.box);
  });

  it("shows a question in the tree", async () => {
    const page = new Page(three);
    await page.load();
    await page.type("nothing like it");
    page.chips()[2]?.click();
    await page.drawn();
    expect(page.box.value).toBe("");
    const active = document.getElementById(page.box.getAttribute("aria-activedescendant") ?? "");
    expect(active?.textContent).toContain("Social platforms used");
  });

  it("copies the code that Python writes for it", async () => {
    const page = new Page(three);
    await page.load();
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    await page.click("Copy as Python code");
    const [request] = page.asked("code");
    expect(request?.args.selection).toEqual(three);
    page.answer(request, { code: "(al.Q('q2').any(),)" });
    await page.drawn();
    expect(write).toHaveBeenCalledWith("(al.Q('q2').any(),)");
    expect(page.el.querySelector('[aria-label="Copied"]')).not.toBeNull();
  });

  it("shows that the code could not be copied, until the selection changes", async () => {
    const page = new Page(three);
    await page.load();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("not allowed"));
    document.execCommand = () => false;
    const shown = () => page.el.querySelector(".al-picker-tray .al-error")?.textContent;
    await page.click("Copy as Python code");
    page.answer(page.asked("code")[0], { code: "(al.Q('q2').any(),)" });
    await page.drawn();
    expect(shown()).toBe("The browser did not allow copying.");
    key(page.chips()[0], "Delete");
    await page.drawn();
    expect(shown()).toBeUndefined();
  });

  it("shows that the notebook did not accept the code", async () => {
    vi.stubGlobal("ResizeObserver", Sized);
    const page = new Page(three);
    page.el.addEventListener(HELLO, (event) => event.preventDefault());
    await page.load();
    await page.click("Insert into a cell below (with Shift: run it)");
    page.answer(page.asked("code")[0], { code: "(al.Q('q2').any(),)" });
    await page.drawn();
    const shown = page.el.querySelector(".al-picker-tray .al-error")?.textContent;
    expect(shown).toBe("The notebook did not accept the code.");
    vi.unstubAllGlobals();
  });
});
