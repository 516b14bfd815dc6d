import { expect, it, onTestFinished, vi } from "vitest";
import { LinkedChart } from "../../src/crosstab/export/LinkedChart";
import { mount } from "../../src/ui/host";
import { FakeModel, type Message } from "../core/fakes";
import { until } from "../core/until";

it.each([true, false])("a chart is rendered for a dark system: %s", async (matches) => {
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
