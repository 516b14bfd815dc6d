/**
 * Tells the style sheet whether the host is light or dark. JupyterLab, VS Code and marimo each mark
 * the body of the page in their own way. Of other pages the ground decides, and the variables of
 * JupyterLab are left out: ipywidgets has them there, for light pages only.
 */
import { observeSize, onAbort } from "../core/lifetime";

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

/** That of a page without a mark: of what is painted below an element. */
export function pageTheme(element: Element): Theme {
  for (let each: Element | null = element; each; each = outside(each)) {
    const [, red, green, blue, alpha = 1] =
      /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?/.exec(getComputedStyle(each).backgroundColor) ??
      [];
    if (red === undefined || Number(alpha) < 0.5) continue;
    return 0.3 * Number(red) + 0.59 * Number(green) + 0.11 * Number(blue) < 128 ? "dark" : "light";
  }
  // Nothing is painted: white, unless the page follows the system.
  const { colorScheme } = getComputedStyle(element.ownerDocument.documentElement);
  return colorScheme === "normal" ? "light" : "auto";
}

function outside(element: Element): Element | null {
  return element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null;
}

/** Keeps `data-theme` and `data-own-colours` on the root in sync with the host. */
export function followTheme(root: HTMLElement, lifetime: AbortSignal): void {
  const { body, documentElement } = root.ownerDocument;
  const apply = () => {
    const marked = hostTheme(body);
    root.dataset.theme = marked === "auto" ? pageTheme(root) : marked;
    root.toggleAttribute("data-own-colours", marked === "auto");
  };
  apply();
  const observer = new MutationObserver(apply);
  const attributeFilter = ["data-jp-theme-light", "data-theme", "data-bs-theme", "class", "style"];
  for (const page of [body, documentElement]) observer.observe(page, { attributeFilter });
  // A host may put the widget into the page later.
  observeSize(root, lifetime, apply);
  onAbort(lifetime, () => observer.disconnect());
}
