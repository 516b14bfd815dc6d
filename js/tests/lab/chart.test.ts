import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createChart } from "../../src/lab/charts/chart";
import { until } from "../core/until";

/** Every rendering that was started: its lifetime, and a function that completes it. */
const begun = vi.hoisted(() => [] as { lifetime: AbortSignal; finish(): void }[]);

vi.mock("../../src/lab/charts/draw", () => ({
  draw: (_: HTMLElement, { lifetime }: { lifetime: AbortSignal }) =>
    new Promise((finish) => begun.push({ lifetime, finish: () => finish({}) })),
}));

let life: AbortController;
let place: HTMLElement;

beforeEach(() => {
  begun.length = 0;
  life = new AbortController();
  place = document.createElement("div");
  document.body.replaceChildren(place);
  const measured = [{ contentRect: { width: 300, height: 0 } }];
  class Observer {
    constructor(private readonly report: (entries: object[]) => void) {}
    observe() {
      this.report(measured);
    }
    disconnect() {}
  }
  vi.stubGlobal("ResizeObserver", Observer);
});

afterEach(() => {
  life.abort();
  vi.unstubAllGlobals();
});

const drawn = () => `${begun.length} begun: ${place.innerHTML}`;
const number = (many: number) => until(() => begun.length === many, drawn);
/** An invisible chart is hidden by an inline style. */
const seen = () => place.querySelector(".audiencelab-chart-plot:not([style])");

it("keeps only the visible chart, however quickly new ones follow", async () => {
  const chart = createChart(place, null, life.signal);
  const data = { kind: "vega", spec: {}, metadata: {}, trusted: true } as const;
  chart.show(data);
  await number(1);
  begun[0]?.finish();
  await until(seen, drawn);
  const first = seen();
  // The first of these two is overtaken before it is complete.
  chart.show(data);
  await number(2);
  chart.show(data);
  await number(3);
  begun[1]?.finish();
  begun[2]?.finish();
  await until(() => seen() !== first, drawn);
  expect(begun.map(({ lifetime }) => lifetime.aborted)).toEqual([true, true, false]);
  life.abort();
  expect(begun[2]?.lifetime.aborted).toBe(true);
});
