/** Saves a chart as an image: a small menu in its corner, for pointer and keyboard. */
import type { View } from "vega";
import { strings } from "../strings";

const DOTS = "M3.5 8h.2M8 8h.2M12.5 8h.2";

export function createMenu(page: Document, view: View, name: string, scale: number): HTMLElement {
  const menu = page.createElement("details");
  menu.className = "audiencelab-chart-menu";
  const opener = menu.appendChild(page.createElement("summary"));
  opener.ariaLabel = strings.saveChart;
  opener.title = strings.saveChart;
  opener.append(icon(page));
  const list = menu.appendChild(page.createElement("div"));
  for (const format of ["svg", "png"] as const) {
    const button = list.appendChild(page.createElement("button"));
    button.type = "button";
    button.textContent = strings.saveAs(format);
    button.addEventListener("click", async () => {
      const link = page.createElement("a");
      link.href = await view.toImageURL(format, format === "png" ? scale : 1);
      link.download = `${fileName(name)}.${format}`;
      link.click();
      menu.open = false;
      opener.focus();
    });
  }
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.stopPropagation();
    menu.open = false;
    opener.focus();
  });
  menu.addEventListener("focusout", ({ relatedTarget }) => {
    if (!menu.contains(relatedTarget as Node | null)) menu.open = false;
  });
  return menu;
}

/** A file name from the chart's name, with characters that every file system allows. */
export function fileName(name: string): string {
  const plain = name
    .slice(0, 60)
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return plain || strings.chartFile;
}

function icon(page: Document): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = page.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = svg.appendChild(page.createElementNS(space, "path"));
  path.setAttribute("d", DOTS);
  return svg;
}
