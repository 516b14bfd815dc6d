/**
 * What of JupyterLab the extension touches, as types: JupyterLab brings the code itself while it
 * runs, and its packages, 300 MB of them, are not needed to build ours. Each name is JupyterLab's
 * own, and no more is declared than is used. Not for the widgets, which know of no host.
 */
export type * from "./application";
export type * from "./documents";
export type * from "./lumino";
export type * from "./mime";
export type * from "./notebook";
export type * from "./outputs";
export type * from "./services";
