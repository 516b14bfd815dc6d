/**
 * Tells the style sheet whether the host is light or dark. JupyterLab, VS Code and marimo each mark
 * the body of the page in their own way; without a mark, the system's preference applies.
 */
import { onAbort } from "../core/lifetime";

export type Theme = "light" | "dark" | "auto";

export function hostTheme(body: HTMLElement): Theme {
  const lab = body.dataset.jpThemeLight;
  if (lab !== undefined) return lab === "false" ? "dark" : "light";
  const words = [...body.classList, body.dataset.theme ?? ""];
  // VS Code also sets "vscode-high-contrast", for older extensions.
  if (words.includes("vscode-high-contrast-light")) return "light";
  if (words.some((word) => /^(vscode-)?(dark|high-contrast)(-theme)?$/.test(word))) return "dark";
  if (words.some((word) => /^(vscode-)?light(-theme)?$/.test(word))) return "light";
  return "auto";
}

/** Keeps `data-theme` on the root in sync with the host. */
export function followTheme(root: HTMLElement, lifetime: AbortSignal): void {
  const body = root.ownerDocument.body;
  const apply = () => {
    root.dataset.theme = hostTheme(body);
  };
  apply();
  const observer = new MutationObserver(apply);
  observer.observe(body, { attributeFilter: ["data-jp-theme-light", "data-theme", "class"] });
  onAbort(lifetime, () => observer.disconnect());
}
