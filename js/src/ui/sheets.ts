/**
 * The style sheets of the components that the page has loaded: the build turns the import of a style
 * sheet into a call of `addSheet` (`modules.mjs`). Each root that holds a widget gets them as one.
 */

/** In one order for all of them, which does not depend on what is loaded first. */
const sheets: string[] = [];
const dressed = new WeakMap<Node, HTMLStyleElement>();

export function addSheet(at: number, css: string): void {
  sheets[at] = css;
}

/**
 * Adds the style sheets to an element's root, or brings them up to date. An element that is not in
 * the page yet may be moved into a shadow root, which styles outside do not reach.
 */
export function dress(el: HTMLElement): void {
  if (!el.isConnected) requestAnimationFrame(() => el.isConnected && dress(el));
  const root = el.getRootNode();
  const home = root instanceof ShadowRoot ? root : el.ownerDocument.head;
  const style = dressed.get(home) ?? el.ownerDocument.createElement("style");
  dressed.set(home, style);
  style.dataset.audiencelab = "";
  const css = sheets.join("");
  if (style.textContent !== css) style.textContent = css;
  if (!style.isConnected) home.append(style);
}
