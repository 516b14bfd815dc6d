/** The content of a workbench tab, which is loaded with the first of them. */
import type { DocumentContext, Lumino, OpenLuminoWidget } from "../jupyter";

type View = typeof import("./view");

/** A widget that `show` draws into until it is disposed of. */
export function tabContent(
  { Widget }: Lumino,
  show: (view: View, node: HTMLElement, lifetime: AbortSignal) => void,
): OpenLuminoWidget {
  class Content extends Widget {
    readonly #lifetime = new AbortController();

    override dispose(): void {
      this.#lifetime.abort();
      super.dispose();
    }

    /** The keyboard is in the tab, so that its shortcuts work before anything is clicked. */
    override onActivateRequest(message: object): void {
      super.onActivateRequest(message);
      if (!this.node.contains(this.node.ownerDocument.activeElement)) this.node.focus();
    }

    async draw(): Promise<void> {
      const view = await import("./view");
      if (!this.isDisposed) show(view, this.node, this.#lifetime.signal);
    }
  }
  const content = new Content();
  content.addClass("audiencelab-tab");
  content.node.tabIndex = -1;
  void content.draw();
  return content;
}

/** Has a kernel start with the tab, in the folder of its file. */
export function startKernel({ sessionContext }: DocumentContext): void {
  sessionContext.kernelPreference = {
    ...sessionContext.kernelPreference,
    language: "python",
    shouldStart: true,
    canStart: true,
    autoStartDefault: true,
  };
}
