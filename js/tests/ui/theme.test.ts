import { beforeEach, expect, it } from "vitest";
import { hostTheme } from "../../src/ui/theme";

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
