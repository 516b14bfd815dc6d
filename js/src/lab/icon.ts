/**
 * Icons for tabs, menus and launcher cards. The logo is a pie chart; an icon of a template has its
 * main element in the theme's accent colour.
 */
import type { UiPackage } from "./jupyter";

/** CSS classes for the theme's secondary text colour and its accent colour. */
const QUIET = `class="jp-icon3 jp-icon-selectable" fill="#616161"`;
const STRONG = `class="jp-icon-brand1 jp-icon-selectable" fill="#1976d2"`;

const MARK = `<g ${QUIET}>
  <path d="M12 3a9 9 0 1 0 9 9h-9z"/>
  <path d="M14.5 2.6v6.9h6.9a9.4 9.4 0 0 0-6.9-6.9z"/>
</g>`;

/** By the icon names of templates; `open` is of a file to choose. */
const PICTURES: Readonly<Record<string, string>> = {
  table: `<path ${QUIET} d="M3 4h5v4H3zM9.5 4H21v4H9.5zM3 9.5h5V20H3zM9.5 9.5h5v4.5h-5zM9.5 15.5h5V20h-5zM16 15.5h5V20h-5z"/>
    <path ${STRONG} d="M16 9.5h5v4.5h-5z"/>`,
  people: `<path ${QUIET} d="M6 7.4a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6zM18 7.4a2.3 2.3 0 1 1 0 4.6 2.3 2.3 0 0 1 0-4.6zM1.5 18v-1.7c0-1.9 2-3.3 4.5-3.3.5 0 1 .1 1.5.2a5 5 0 0 0-1.6 3.6V18zM22.5 18v-1.7c0-1.9-2-3.3-4.5-3.3-.5 0-1 .1-1.5.2a5 5 0 0 1 1.6 3.6V18z"/>
    <path ${STRONG} d="M12 4a3.2 3.2 0 1 1 0 6.4A3.2 3.2 0 0 1 12 4zM7.3 19v-2.2c0-2.5 2.1-4.6 4.7-4.6s4.7 2.1 4.7 4.6V19z"/>`,
  trend: `<path ${QUIET} d="M3 3.5h1.7v15.3H21v1.7H3z"/>
    <path ${STRONG} d="M6.3 14.7 10.4 9.9l3.7 2.9 5-6.7 1.5 1.1-6.2 8.2-3.7-2.9-3 3.5z"/>`,
  open: `<path ${QUIET} d="M2.5 5H9l2 2.3h8.5v3.2h-1.8V9.1H4.3v9.1h4.2V20h-6z"/>
    <path ${STRONG} d="M15.5 11.5 21 17h-3.6v4.5h-3.8V17H10z"/>`,
  start: `<path ${STRONG} d="M6 4v16l13-8z"/>`,
  file: `<path ${QUIET} d="M5 2.5h8.5L19.5 8.5v4H17.7V9.8H12.2V4.3H6.8v15.4H11v1.8H5z"/>
    <path ${STRONG} d="M12.5 14h9v1.8h-9zM12.5 17h9v1.8h-9zM12.5 20h5.5v1.8h-5.5z"/>`,
};

/** The logo, or the icon that a template names. */
export function iconsOf({ LabIcon }: UiPackage): { mark: object; of(name: string): object } {
  const made = (name: string, drawn: string) =>
    new LabIcon({
      name: `audiencelab:${name}`,
      svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">${drawn}</svg>`,
    });
  const mark = made("mark", MARK);
  const pictures = new Map(
    Object.entries(PICTURES).map(([name, drawn]) => [name, made(name, drawn)]),
  );
  return { mark, of: (name) => pictures.get(name) ?? mark };
}
