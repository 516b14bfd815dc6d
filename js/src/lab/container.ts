/**
 * The entry point of the extension. JupyterLab loads this file as a script and requests the modules
 * that `package.json` names, through the interface of a module federation container. The modules
 * are ES modules, loaded on request.
 */
import { pageShelf } from "../core/shelf";
import { type ShareScope, sharedModules } from "./sharing";

/** File names by module name, from `package.json`; set by the build. */
declare const MODULES: Record<string, string>;
/** The file names of the modules that draw widgets; set by the build. */
declare const KINDS: readonly string[];

interface Container {
  init(scope: ShareScope): void;
  get(name: string): Promise<() => object>;
}

declare global {
  interface Window {
    _JUPYTERLAB?: Record<string, Container>;
  }
}

// Defined only while the script itself runs.
const here = (document.currentScript as HTMLScriptElement).src;
let scope: ShareScope = {};

const container: Container = {
  init(shared) {
    scope = shared;
  },
  async get(name) {
    const file = MODULES[name];
    if (!file) throw new Error(`audiencelab has no ${name}`);
    const { default: make } = await import(new URL(file, here).href);
    const content = await make(sharedModules(scope));
    // A copy, because JupyterLab assigns properties to it and module objects are frozen.
    return () => ({ __esModule: true, default: content });
  },
};

// Widgets of this version need nothing from their kernel, except simulations (`extension.mjs`).
pageShelf().offer = (name) => (KINDS.includes(name) ? import(new URL(name, here).href) : undefined);

window._JUPYTERLAB ??= {};
window._JUPYTERLAB.audiencelab = container;
