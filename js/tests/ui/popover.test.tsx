import { expect, it, onTestFinished, vi } from "vitest";
import { CopyButton } from "../../src/ui/CopyButton";
import { mount, type WidgetComponent } from "../../src/ui/host";
import { Menu } from "../../src/ui/Menu";
import { Popover, usePopover } from "../../src/ui/Popover";
import { FakeModel } from "../core/fakes";
import { until } from "../core/until";

function draw(component: WidgetComponent) {
  const model = new FakeModel({ _channel: "c" }, new FakeModel({}));
  const el = document.createElement("div");
  document.body.append(el);
  const close = mount(component, { model: model.asModel, el, label: "Test" });
  onTestFinished(() => {
    close();
    el.remove();
  });
  const button = (name: string) =>
    [...el.querySelectorAll("button")].find(
      (each) => (each.getAttribute("aria-label") ?? each.textContent) === name,
    ) as HTMLButtonElement;
  return { el, button, panel: () => el.querySelector(".al-popover") };
}

const press = (target: EventTarget, key: string) =>
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

function Panel() {
  const { isOpen, opener, panel } = usePopover();
  return (
    <>
      <button type="button" {...opener}>
        Open
      </button>
      {isOpen && (
        <Popover label="Panel" {...panel}>
          <button type="button">Inside</button>
          <button type="button">Last</button>
        </Popover>
      )}
      <button type="button">After</button>
    </>
  );
}

async function opened() {
  const page = draw(Panel);
  page.button("Open").click();
  await until(page.panel, String);
  expect(document.activeElement).toBe(page.button("Inside"));
  return page;
}

it("a dialog closes when Tab leaves it, and not while Tab moves inside", async () => {
  const page = await opened();
  press(page.button("Inside"), "Tab");
  page.button("Last").focus();
  expect(page.panel()).not.toBeNull();
  press(page.button("Last"), "Tab");
  page.button("After").focus();
  await until(() => page.panel() === null, String);
  expect(document.activeElement).toBe(page.button("After"));
});

it("a dialog stays open when the focus leaves without Tab", async () => {
  const page = await opened();
  page.button("After").focus();
  await new Promise((done) => setTimeout(done, 50));
  expect(page.panel()).not.toBeNull();
});

it.each(["the opener", "the page"])("Escape closes a dialog while %s has the focus", async (at) => {
  const page = await opened();
  if (at === "the opener") page.button("Open").focus();
  else (document.activeElement as HTMLElement).blur();
  press(document.activeElement as HTMLElement, "Escape");
  await until(() => page.panel() === null, String);
  expect(document.activeElement).toBe(page.button("Open"));
});

it("a disabled menu item can be focused, shows why, and does nothing", async () => {
  const run = vi.fn();
  const reason = "Select two rows first";
  const { el } = draw(() => {
    const { isOpen, opener, panel } = usePopover("menu");
    return (
      <>
        <button type="button" {...opener}>
          Open
        </button>
        {isOpen && (
          <Menu
            label="Verbs"
            items={[
              { label: "Net", disabled: reason, run },
              { label: "Hide", keys: "H", run },
            ]}
            {...panel}
          />
        )}
      </>
    );
  });
  el.querySelector("button")?.click();
  const item = await until(() => el.querySelector<HTMLElement>("[role=menuitem]"), String);
  expect(document.activeElement).toBe(item);
  expect(item.title).toBe(reason);
  expect(item.getAttribute("aria-disabled")).toBe("true");
  item.click();
  expect(run).not.toHaveBeenCalled();
  expect(el.querySelector("[role=menu]")).not.toBeNull();
});

it("a copy button shows that it has copied", async () => {
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: async () => {} } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const page = draw(() => <CopyButton of="a" text={() => "a"} label="Copy" onFailed={() => {}} />);
  page.button("Copy").click();
  const done = await until(() => page.button("Copied"), String);
  expect(done.classList).toContain("al-copied");
});
