/** Renders the sidebar into its element; loaded when it is first shown. */

import { stubModel } from "../../core/stubModel";
import { mount } from "../../ui/host";
import { strings } from "../strings";
import { addStyle } from "../styles";
import chooser from "./chooser.css";
import type { SidebarParts } from "./context";
import { SidebarView } from "./Sidebar";
import sidebar from "./sidebar.css";

/** Renders until the signal aborts. */
export function drawSidebar(el: HTMLElement, parts: SidebarParts, signal: AbortSignal): void {
  addStyle(el.ownerDocument, "audiencelab-sidebar-style", [sidebar, chooser]);
  // The sidebar itself has no model in a kernel; only its picker has one.
  const model = stubModel({ _channel: "channel" }, async (op) => {
    throw new Error(op);
  });
  mount(({ host }) => <SidebarView host={host} parts={parts} />, {
    model,
    el,
    label: strings.audiences,
    hostKeys: true,
    signal,
  });
}
