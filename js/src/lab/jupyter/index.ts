/**
 * Types of the JupyterLab API that the extension uses: JupyterLab provides the code at runtime, so
 * the build does not need its packages (300 MB). Names are JupyterLab's own; only members that are
 * used are declared. Widgets do not depend on it.
 */
export type * from "./application";
export type * from "./documents";
export type * from "./lumino";
export type * from "./mime";
export type * from "./notebook";
export type * from "./outputs";
export type * from "./services";
