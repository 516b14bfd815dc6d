/** The Jupyter server behind the page, and the settings that it keeps. */
import type { LuminoSignal, Token } from "./lumino";

/** Where the server is, and how a page says who asks. */
export interface ServerSettings {
  readonly baseUrl: string;
}

/** `@jupyterlab/services` */
export interface ServicesPackage {
  ServerConnection: {
    /** As `fetch`, with the page's own token and its protection against other sites. */
    makeRequest(url: string, init: RequestInit, settings: ServerSettings): Promise<Response>;
  };
}

/** The settings of one plugin. */
export interface PluginSettings {
  /** What the user has set over what is so by default. */
  readonly composite: Readonly<Record<string, unknown>>;
  readonly changed: LuminoSignal<PluginSettings, void>;
}

export interface SettingRegistry {
  load(plugin: string): Promise<PluginSettings>;
}

/** `@jupyterlab/settingregistry` */
export interface SettingsPackage {
  ISettingRegistry: Token;
}
