/** Whether the page is dark: by the root's theme attribute, else by the system's preference. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { onAbort } from "../../core/lifetime";
import type { WidgetHost } from "../../ui/host";

export function darkTheme({ root, lifetime }: WidgetHost): ReadonlySignal<boolean> {
  const system = root.ownerDocument.defaultView?.matchMedia("(prefers-color-scheme: dark)");
  const read = () =>
    root.dataset.theme === "dark" || (root.dataset.theme === "auto" && system?.matches === true);
  const dark = signal(read());
  const follow = () => {
    dark.value = read();
  };
  const observer = new MutationObserver(follow);
  observer.observe(root, { attributeFilter: ["data-theme"] });
  system?.addEventListener("change", follow, { signal: lifetime });
  onAbort(lifetime, () => observer.disconnect());
  return dark;
}
