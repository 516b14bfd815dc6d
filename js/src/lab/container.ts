/**
 * The door of the extension. JupyterLab loads this file as a script and asks it, in the manner of
 * a module federation container, for the modules that `package.json` beside it names. Those are
 * ordinary ES modules: nothing is loaded before somebody asks for it.
 */
import { type ShareScope, taker } from "./sharing";

/** From what `package.json` says to the file; the build writes it. */
declare const MODULES: Record<string, string>;

interface Container {
  init(scope: ShareScope): void;
  get(name: string): Promise<() => object>;
}

declare global {
  interface Window {
    _JUPYTERLAB?: Record<string, Container>;
  }
}

// Only known while the script itself runs.
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
    const content = await make(taker(scope));
    // JupyterLab writes on what it gets, which a real module would not let it do.
    return () => ({ __esModule: true, default: content });
  },
};

window._JUPYTERLAB ??= {};
window._JUPYTERLAB.audiencelab = container;
