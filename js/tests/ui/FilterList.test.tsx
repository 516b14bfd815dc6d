import axe from "axe-core";
import { render } from "preact";
import { afterEach, describe, expect, it } from "vitest";
import { FilterList } from "../../src/ui/FilterList";
import { settle } from "../core/fakes";

describe("a list with a search field", () => {
  const el = document.createElement("div");
  const names = () => [...el.querySelectorAll("li")].map(({ textContent }) => textContent);
  const field = () => el.querySelector<HTMLInputElement>("input[type=search]");
  const draw = async (items: readonly string[] | null, few = 2) => {
    document.body.append(el);
    render(
      <FilterList
        items={items}
        textOf={(each) => each}
        label="Find an audience"
        few={few}
        none="No audience yet."
      >
        {(shown) => (
          <ul>
            {shown.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </FilterList>,
      el,
    );
    await settle();
  };
  const type = async (text: string) => {
    const box = field();
    if (!box) throw new Error("There is no search field.");
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
  };
  afterEach(() => {
    render(null, el);
    el.remove();
  });

  it("shows a placeholder while it loads, and what to do when it is empty", async () => {
    await draw(null);
    expect(el.querySelector(".al-skeleton")).not.toBeNull();
    await draw([]);
    expect(el.textContent).toContain("No audience yet.");
    expect(field()).toBeNull();
  });

  it("has a search field only when it is longer than a few items", async () => {
    await draw(["Women", "Men"]);
    expect(field()).toBeNull();
    await draw(["Women", "Men", "Students"]);
    expect(field()?.placeholder).toBe("Find an audience");
  });

  it("keeps the items with every word, and reports when none has them", async () => {
    await draw(["Young women", "Women", "Men over 50"]);
    await type("women yo");
    expect(names()).toEqual(["Young women"]);
    await type("robots");
    expect(names()).toEqual([]);
    expect(el.querySelector("[role=status]")?.textContent).toBe("Nothing matches “robots”.");
    expect((await axe.run(el)).violations).toEqual([]);
  });

  it("shows what similar words match, and a click enters them", async () => {
    await draw(["Young women", "Women", "Men over 50"]);
    await type("yuong");
    expect(names()).toEqual(["Young women"]);
    const suggestion = [...el.querySelectorAll("button")].find(({ textContent }) =>
      textContent?.includes("Did you mean “young”?"),
    );
    suggestion?.click();
    await settle();
    expect(field()?.value).toBe("young");
    expect(el.querySelector("button")).toBeNull();
  });

  it("is cleared by Escape, which propagates only if it is empty", async () => {
    await draw(["Young women", "Women", "Men over 50"]);
    await type("robots");
    let heard = 0;
    el.addEventListener("keydown", () => heard++);
    const press = () =>
      field()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    press();
    await settle();
    expect(names()).toHaveLength(3);
    expect(heard).toBe(0);
    press();
    expect(heard).toBe(1);
  });
});
