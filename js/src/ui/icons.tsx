/** Inline icons: 16 × 16, one stroke width, in the colour of the surrounding text. */
import type { ButtonHTMLAttributes, JSX } from "preact";
import { keysFor } from "./keyboard";

const PATHS = {
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.4 10.4l3.1 3.1",
  close: "M4 4l8 8M12 4l-8 8",
  right: "M6 3.5 10.5 8 6 12.5",
  down: "M3.5 6 8 10.5 12.5 6",
  up: "M3.5 10 8 5.5 12.5 10",
  check: "M3.5 8.5l3 3 6-7",
  minus: "M4 8h8",
  plus: "M8 3.5v9M3.5 8h9",
  lock: "M5 7V5a3 3 0 0 1 6 0v2M3.75 7h8.5v6h-8.5z",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 7.2v3.6M8 5v.2",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  help: "M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.3v.2M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8",
  copy: "M5.5 5.5h7v8h-7zM3.5 10.5v-8h7",
  undo: "M6 3 3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H9",
  grip: "M6 4h.2M10 4h.2M6 8h.2M10 8h.2M6 12h.2M10 12h.2",
  more: "M3.5 8h.2M8 8h.2M12.5 8h.2",
  group: "M2.5 4v8M13.5 4v8M2.5 4H4M2.5 12H4M13.5 4H12M13.5 12H12M6 8h4",
  edit: "M3 13l.8-3.2L10.5 3 13 5.5 6.2 12.2z",
  open: "M2.5 12.5v-9h4l1.5 2h5.5v7zM2.5 7.5h11",
  overlap: "M6 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8",
  save: "M3 3h8l2 2v8H3zM5.5 3v3.5h5V3M5 13V9h6v4",
  expand: "M9.5 2.5h4v4M13.5 2.5 9 7M6.5 13.5h-4v-4M2.5 13.5 7 9",
  stop: "M4.5 4.5h7v7h-7z",
  swap: "M3 5.5h9M9.5 3 12 5.5 9.5 8M13 10.5H4M6.5 8 4 10.5 6.5 13",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 4.8V8l2.2 1.6",
  insert: "M2.5 2.5h11v4h-11zM8 8.5v5M5.5 11 8 13.5l2.5-2.5",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  refresh: "M13.2 8.5A5.3 5.3 0 1 1 11.9 4.5M13 2v3h-3",
  send: "M13.5 2.5 7 9M13.5 2.5 9.5 13.5 7 9 2.5 6.5z",
  slide: "M2 3h12M3 3v7.5h10V3M8 10.5v1.5M5.5 14 8 12l2.5 2M5.5 8.5v-2M8 8.5v-3M10.5 8.5V7",
  workbook: "M2.5 2.5h11v11h-11zM2.5 6h11M2.5 9.7h11M6.2 2.5v11",
  page: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M2.2 8h11.6M8 2.2c-3.5 3.6-3.5 8 0 11.6M8 2.2c3.5 3.6 3.5 8 0 11.6",
  image: "M2.5 3h11v10h-11zM2.5 11l3.5-3.5 2.5 2.5 2-2 3 3M10.5 5.8v.2",
  deck: "M2.5 6h8.5v7H2.5zM4.5 6V4h8.5v7h-2M6.5 4V2H14v7h-1",
  table: "M2.5 3h11v10h-11zM2.5 6h11M6.5 3v10",
  chart: "M2.5 2.5v11h11M5.5 11V8M8.5 11V4.5M11.5 11V6.5",
  dots: "M2.5 2.5v11h11M5.5 9.5h.2M8.5 5.5h.2M11.5 8h.2",
  warning: "M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.8v.2",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative by default; with a `label` it is an image of that name. */
export function Icon({ name, label }: { name: IconName; label?: string }): JSX.Element {
  const named = label ? { role: "img" as const, "aria-label": label } : { "aria-hidden": true };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label, or hidden as decoration
    <svg class={`al-icon al-icon-${name}`} viewBox="0 0 16 16" width="16" height="16" {...named}>
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}

/** A button with an icon only; the label is its accessible name and tooltip. */
export function IconButton({
  icon,
  label,
  class: extra = "",
  ...rest
}: { icon: IconName; label: string; class?: string } & Omit<
  ButtonHTMLAttributes<HTMLButtonElement>,
  "icon" | "label" | "class"
>) {
  return (
    <button
      type="button"
      class={`al-icon-button ${extra}`}
      aria-label={label}
      title={keysFor(label)}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
