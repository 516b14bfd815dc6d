/** The Jupyter server behind the page, and the settings that it stores. */
import type { LuminoSignal, Token } from "./lumino";

/** The server's URL, and how requests are authenticated. */
export interface ServerSettings {
  readonly baseUrl: string;
}

/** `@jupyterlab/services` */
export interface ServicesPackage {
  ServerConnection: {
    /** Like `fetch`, with the page's token and XSRF protection. */
    makeRequest(url: string, init: RequestInit, settings: ServerSettings): Promise<Response>;
  };
}

/** The settings of one plugin. */
export interface PluginSettings {
  /** The user's settings merged over the defaults. */
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

/** The files of the server. */
export interface Contents {
  get(
    path: string,
    options: { content: false },
  ): Promise<{ readonly path: string; readonly type: string }>;
}

/** The kernels of the server, by the paths that they were started for. */
export interface Sessions {
  /** Those known when the server was last asked. */
  running(): Iterable<{ readonly path: string }>;
  refreshRunning(): Promise<void>;
}
