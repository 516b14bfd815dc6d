/**
 * Widgets in the pages of the documentation, with no kernel and no network: a classic script, since
 * a page that was opened from the disk may load no modules. The recordings are scripts of their own,
 * shared by all pages (`docs/extensions/live.py`).
 */
import style from "audiencelab:style";
import { bringToLife } from "./place";

declare global {
  interface Window {
    audiencelabRecordings?: Record<string, string>;
  }
}

for (const place of document.querySelectorAll<HTMLElement>("[data-audiencelab-live]")) {
  const packed = window.audiencelabRecordings?.[place.dataset.audiencelabLive ?? ""];
  if (packed) void bringToLife(place, packed, style);
}
