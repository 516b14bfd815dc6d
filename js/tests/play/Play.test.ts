import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Play } from "../../src/play/Play";
import type { Scene } from "../../src/protocol";
import { mount } from "../../src/ui/host";
import { FakeModel, settle } from "../core/fakes";

const CONTROLS = [
  { name: "n", label: "Asked", value: 500, least: 50, most: 4000, step: 50, unit: "", choices: [] },
  {
    name: "base",
    label: "Base",
    value: 0,
    least: 0,
    most: 0,
    step: 1,
    unit: "",
    choices: ["A", "B"],
  },
];
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 200" onload="alert(1)">
  <script>alert(1)</script><text x="1" onclick="alert(1)">37%</text>
  <foreignObject><a href="javascript:alert(1)">x</a></foreignObject><path class="dot" d="M1 2v-3"/>
</svg>`;

const scene = (change: Partial<Scene> = {}): Scene => ({
  ...{ title: "Ask again", controls: CONTROLS, buttons: ["Ask again"], svg: SVG },
  ...{ alt: "1 dot", words: "One survey.", figures: [{ label: "Surveys", text: "1" }] },
  ...change,
});

function opened() {
  const channel = new FakeModel({});
  const model = new FakeModel({ _channel: "c", kind: "play", scene: scene() }, channel);
  const el = document.body.appendChild(document.createElement("div"));
  mount(Play, { model: model.asModel, el, label: "Simulation" });
  const moves = () =>
    channel.sent
      .map(({ content }) => content as { id: number; op: string; args: object })
      .filter(({ op }) => op === "move");
  const answer = async (at: number) => {
    channel.trigger("msg:custom", { id: moves()[at]?.id, ok: true, data: null }, []);
    await settle();
  };
  const slide = async (value: number) => {
    const slider = el.querySelector("input") as HTMLInputElement;
    slider.value = String(value);
    slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await settle();
  };
  return { el, model, moves, answer, slide };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

describe("a simulation", () => {
  it("copies shapes and words of its image, and nothing that runs or loads", async () => {
    const { el } = opened();
    await settle();
    const image = el.querySelector("svg") as SVGElement;
    expect(image.getAttribute("aria-label")).toBe("1 dot");
    expect(image.innerHTML).toBe('<text x="1">37%</text><path class="dot" d="M1 2v-3"></path>');
  });

  it("sends each press", async () => {
    const { el, moves } = opened();
    await settle();
    const button = el.querySelector("button") as HTMLButtonElement;
    button.click();
    button.click();
    await settle();
    expect(moves().map(({ args }) => args)).toEqual([
      { button: "Ask again" },
      { button: "Ask again" },
    ]);
  });

  it("sends of a slider only the last position after the one that is on its way", async () => {
    const { el, model, moves, answer, slide } = opened();
    await settle();
    for (const value of [600, 700, 800]) await slide(value);
    expect(moves().map(({ args }) => args)).toEqual([{ name: "n", value: 600 }]);
    await answer(0);
    expect(
      moves()
        .map(({ args }) => args)
        .at(-1),
    ).toEqual({ name: "n", value: 800 });
    expect(el.querySelector("output")?.textContent).toBe("800");
    model.set("scene", scene({ controls: [{ ...CONTROLS[0], value: 750 } as never] }));
    await answer(1);
    expect(el.querySelector("output")?.textContent).toBe("750");
  });

  it("announces a result that has settled", async () => {
    const { el, model } = opened();
    const said = () => el.querySelector(".al-sr-only")?.textContent;
    await settle();
    model.set("scene", scene({ words: "Two surveys." }));
    await settle();
    expect(said()).toBe("");
    await vi.advanceTimersByTimeAsync(600);
    await settle();
    expect(said()).toBe("Two surveys.");
  });
});
