import { expect, it, onTestFinished, vi } from "vitest";
import { mount } from "../../src/shared/host";
import { LinkedChart } from "../../src/widgets/grid/taking/LinkedChart";
import { FakeModel, type Message } from "../shared/fakes";
import { until } from "../shared/until";

it.each([true, false])("a chart is drawn for a system that is dark: %s", async (matches) => {
  const spy = vi.spyOn(window, "matchMedia");
  spy.mockReturnValue({ matches, addEventListener: () => {} } as unknown as MediaQueryList);
  const channel = new FakeModel({});
  const model = new FakeModel({ _channel: "c", _version: 1 }, channel);
  const el = document.createElement("div");
  document.body.append(el);
  const close = mount(LinkedChart, { model: model.asModel, el, label: "Chart" });
  onTestFinished(() => {
    close();
    el.remove();
    spy.mockRestore();
  });
  const asked = await until(
    () => channel.sent.map(({ content }) => content as Message).find(({ op }) => op === "chart"),
    String,
  );
  expect(asked.args).toEqual({ dark: matches });
});
