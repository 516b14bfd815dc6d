// @vitest-environment node
import { describe, expect, it } from "vitest";
import { chartOptions } from "../../src/lab/charts/options";
import type { PluginSettings } from "../../src/lab/jupyter";
import { followPreferences, preferences } from "../../src/lab/preferences";
import schema from "../../src/lab/schema/plugin.json";

type Slot = Parameters<PluginSettings["changed"]["connect"]>[0];

/** A fake of JupyterLab's settings, changed by the test. */
function settingsOf(composite: Record<string, unknown>) {
  const slots: Slot[] = [];
  const settings = {
    composite,
    changed: { connect: (slot: Slot) => slots.push(slot) > 0, disconnect: () => true },
  };
  const change = (next: Record<string, unknown>) => {
    settings.composite = next;
    for (const slot of slots) slot(settings, undefined);
  };
  return { registry: { load: async () => settings }, change };
}

const inSchema = Object.fromEntries(
  Object.entries(schema.properties).map(([name, { default: value }]) => [name, value]),
);

describe("the user's settings", () => {
  it("have the schema's defaults", async () => {
    expect(preferences.value).toEqual(inSchema);
    await followPreferences(settingsOf(inSchema).registry, "audiencelab:plugin");
    expect(preferences.value).toEqual(inSchema);
  });

  it("apply as soon as they change, for charts too", async () => {
    const { registry, change } = settingsOf(inSchema);
    await followPreferences(registry, "audiencelab:plugin");
    change({ ...inSchema, insertAt: "end", chartRenderer: "canvas", chartMenu: false });
    expect(preferences.value.insertAt).toBe("end");
    expect(chartOptions({}, {})).toMatchObject({ renderer: "canvas", menu: false });
    // A chart's own options take precedence.
    const said = { embed_options: { renderer: "svg", actions: true } };
    expect(chartOptions({}, said)).toMatchObject({ renderer: "svg", menu: true });
    change(inSchema);
  });

  it("ignore invalid values", async () => {
    const wrong = { connection: 7, insertAt: "above", runInserted: "yes", chartRenderer: null };
    await followPreferences(settingsOf(wrong).registry, "audiencelab:plugin");
    expect(preferences.value).toEqual(inSchema);
  });
});
