/** The panels of the query bar, a module that is loaded when the first one opens. */
export { AddPanel } from "./AddPanel";
export { BasePanel } from "./BasePanel";
export { BinsPanel } from "./BinsPanel";
export { SidePanel } from "./SidePanel";
export { CodesPanel } from "./WavesPanel";
