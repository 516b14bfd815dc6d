import { beforeEach, expect, it } from "vitest";
import { hostTheme, pageTheme } from "../../src/ui/theme";

let body: HTMLElement;

beforeEach(() => {
  body = document.createElement("body");
});

it("is JupyterLab's, which sets whether it is light", () => {
  body.dataset.jpThemeLight = "false";
  expect(hostTheme(body)).toBe("dark");
  body.dataset.jpThemeLight = "true";
  expect(hostTheme(body)).toBe("light");
});

it.each([
  ["vscode-dark", "dark"],
  ["vscode-light", "light"],
  ["vscode-high-contrast", "dark"],
  // As VS Code does: the older class is beside the newer one.
  ["vscode-high-contrast-light vscode-high-contrast", "light"],
  ["dark-theme", "dark"],
  ["something else", "auto"],
])("is that of the classes %s: %s", (classes, theme) => {
  body.className = classes;
  expect(hostTheme(body)).toBe(theme);
});

it.each([
  ["rgb(33, 37, 41)", "", "dark"],
  ["rgb(33, 37, 41)", "rgb(255, 255, 255)", "light"],
  ["rgb(250, 250, 250)", "rgba(0, 0, 0, 0.05)", "light"],
])("is that of the ground where nothing is marked: %s under %s is %s", (page, box, theme) => {
  const inner = document.createElement("div");
  const outer = document.createElement("div");
  outer.append(inner);
  outer.style.backgroundColor = page;
  inner.style.backgroundColor = box;
  document.body.append(outer);
  expect(pageTheme(inner)).toBe(theme);
  outer.remove();
});
