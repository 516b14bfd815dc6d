/**
 * The user's settings of audiencelab in JupyterLab. The schema, with labels and defaults, is
 * `schema/plugin.json`; values are checked when read, because users edit their settings by hand.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { PluginSettings, SettingRegistry } from "./jupyter";

export interface Preferences {
  /** The name of the initial connection; empty for the server's default. */
  connection: string;
  openAtStart: boolean;
  insertAt: "below" | "end";
  /** Whether an inserted cell runs at once. */
  runInserted: boolean;
  chartRenderer: "svg" | "canvas";
  chartMenu: boolean;
}

const DEFAULTS: Preferences = {
  connection: "",
  openAtStart: false,
  insertAt: "below",
  runInserted: false,
  chartRenderer: "svg",
  chartMenu: true,
};

const now = signal(DEFAULTS);

export const preferences: ReadonlySignal<Preferences> = now;

/** Reads the settings, and again on every change; without a registry the defaults apply. */
export async function followPreferences(registry: SettingRegistry, plugin: string): Promise<void> {
  const settings = await registry.load(plugin);
  const read = () => {
    now.value = preferencesIn(settings);
  };
  read();
  settings.changed.connect(read);
}

function preferencesIn({ composite }: Pick<PluginSettings, "composite">): Preferences {
  const bool = (name: keyof Preferences) =>
    typeof composite[name] === "boolean" ? composite[name] : Boolean(DEFAULTS[name]);
  const { connection, insertAt, chartRenderer } = composite;
  return {
    connection: typeof connection === "string" ? connection.trim() : DEFAULTS.connection,
    openAtStart: bool("openAtStart"),
    insertAt: insertAt === "end" ? "end" : "below",
    runInserted: bool("runInserted"),
    chartRenderer: chartRenderer === "canvas" ? "canvas" : "svg",
    chartMenu: bool("chartMenu"),
  };
}
