/** A view whose kernel is gone, in a cell of a notebook. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RERUN } from "../../src/core/notebook";
import type { WidgetShape } from "../../src/ui/host";
import { mount, type WidgetHost } from "../../src/ui/host";
import { FakeModel } from "../core/fakes";
import { until } from "../core/until";

interface Shape extends WidgetShape {
  traits: { picks: string[] };
}

const cell = document.createElement("div");
let channel: FakeModel;
const ends: (() => void)[] = [];

beforeEach(() => {
  cell.className = "jp-Cell";
  document.body.replaceChildren(cell);
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A view with a button that picks, and a field. */
function open(kind: string): HTMLElement {
  channel = new FakeModel({});
  const picks = { number: 1, value: ["a"] };
  const model = new FakeModel({ kind, picks, _channel: "c" }, channel);
  const el = document.createElement("div");
  cell.replaceChildren(el);
  function Widget({ host }: { host: WidgetHost<Shape> }) {
    const trait = host.trait("picks");
    return (
      <div>
        <button type="button" class="pick" onClick={() => trait.set([...trait.peek(), "b"])}>
          {trait.value.join()}
        </button>
        <button type="button" class="look" data-local onClick={() => host.announce("copied")} />
        <input type="text" />
      </div>
    );
  }
  ends.push(mount<Shape>(Widget, { model: model.asModel, el, label: "Picks" }));
  return el.querySelector<HTMLElement>(".audiencelab") as HTMLElement;
}

const press = (within: HTMLElement, what: string) =>
  within.querySelector<HTMLElement>(what)?.click();
const status = (root: HTMLElement) => root.querySelector(".al-status");

async function lose(root: HTMLElement): Promise<void> {
  await until(
    () => {
      channel.trigger("comm:close");
      return root.dataset.kernel === "gone";
    },
    () => root.outerHTML,
  );
}

describe("a view whose kernel is gone", () => {
  it("can be read, and changes no more", async () => {
    const root = open("reading");
    press(root, ".pick");
    const field = root.querySelector("input") as HTMLInputElement;
    field.value = "typed";
    await lose(root);
    press(root, ".pick");
    expect(root.querySelector(".pick")?.textContent).toBe("a,b");
    expect(root.querySelector(".pick")?.getAttribute("aria-disabled")).toBe("true");
    expect([field.value, field.readOnly]).toEqual(["typed", true]);
    const typed = new KeyboardEvent("keydown", { key: "Delete", bubbles: true, cancelable: true });
    field.dispatchEvent(typed);
    expect(typed.defaultPrevented).toBe(true);
    const read = new KeyboardEvent("keydown", { key: "Home", bubbles: true, cancelable: true });
    field.dispatchEvent(read);
    expect(read.defaultPrevented).toBe(false);
    press(root, ".look");
    await until(
      () => root.textContent?.includes("copied"),
      () => root.outerHTML,
    );
  });

  it("says what to do, and does it where the host can", async () => {
    const alone = open("alone");
    await lose(alone);
    await until(
      () => status(alone)?.textContent,
      () => alone.outerHTML,
    );
    expect(status(alone)?.textContent).toBe(
      "The kernel was restarted. Run the cell again to continue.",
    );
    const ran: boolean[] = [];
    const rerun = (event: Event) => {
      event.preventDefault();
      ran.push(!(event as CustomEvent<{ only: boolean }>).detail.only);
    };
    document.addEventListener(RERUN, rerun);
    const root = open("hosted");
    await lose(root);
    await until(
      () => status(root)?.querySelector("button"),
      () => root.outerHTML,
    );
    press(root, ".al-status button");
    document.removeEventListener(RERUN, rerun);
    expect(ran.at(-1)).toBe(true);
  });

  it("offers its edits to the view that takes its position", async () => {
    const before = open("offering");
    press(before, ".pick");
    await lose(before);
    const other = open("other");
    expect(status(other)?.textContent).toBe("");
    const after = open("offering");
    await until(
      () => status(after)?.textContent?.includes("before"),
      () => after.outerHTML,
    );
    expect(after.querySelector(".pick")?.textContent).toBe("a");
    press(after, ".al-status .al-link");
    await until(
      () => after.querySelector(".pick")?.textContent === "a,b",
      () => after.outerHTML,
    );
    expect(status(after)?.textContent).toBe("");
    const later = open("offering");
    expect(status(later)?.textContent).toBe("");
  });
});
