/** The sidebar as a JupyterLab widget: a tab on the left, rendered when it is first shown. */
import type { Lumino, OpenLuminoWidget } from "../jupyter";
import { strings } from "../strings";
import type { SidebarParts } from "./context";

export const SIDEBAR_ID = "audiencelab-sidebar";

export function createSidebarWidget(
  { Widget }: Lumino,
  icon: object,
  parts: SidebarParts,
): OpenLuminoWidget {
  class SidebarWidget extends Widget {
    readonly #lifetime = new AbortController();
    #drawn: Promise<void> | undefined;

    override onAfterAttach(message: object): void {
      super.onAfterAttach(message);
      if (this.isVisible) void this.#draw();
    }

    override onAfterShow(message: object): void {
      super.onAfterShow(message);
      void this.#draw();
    }

    /** Opened by a command, it focuses the search box. */
    override onActivateRequest(message: object): void {
      super.onActivateRequest(message);
      void this.#draw().then(() => focusSearch(this.node));
    }

    override dispose(): void {
      this.#lifetime.abort();
      super.dispose();
    }

    #draw(): Promise<void> {
      this.#drawn ??= import("./page").then(({ drawSidebar }) =>
        drawSidebar(this.node, parts, this.#lifetime.signal),
      );
      return this.#drawn;
    }
  }

  const widget = new SidebarWidget();
  widget.id = SIDEBAR_ID;
  widget.addClass(SIDEBAR_ID);
  widget.title.icon = icon;
  widget.title.caption = strings.audiences;
  return widget;
}

/** Focuses the search box once it exists, unless the focus has moved by then. */
function focusSearch(node: HTMLElement): void {
  const find = () =>
    [...node.querySelectorAll<HTMLElement>("input[role=combobox], input[type=search]")].find(
      (box) => box.offsetParent !== null,
    );
  const box = find();
  node.querySelector<HTMLElement>("button:not(:disabled)")?.focus({ preventScroll: true });
  if (box) {
    box.focus({ preventScroll: true });
    return;
  }
  const before = node.ownerDocument.activeElement;
  const watching = new MutationObserver(() => {
    const found = find();
    if (!found) return;
    watching.disconnect();
    if (node.ownerDocument.activeElement === before) found.focus({ preventScroll: true });
  });
  watching.observe(node, { childList: true, subtree: true });
  before?.addEventListener("focusout", () => watching.disconnect(), { once: true });
}
