/**
 * Widgets in the pages of the documentation, without kernel and network: a classic script that
 * carries the modules of the widgets as texts, because a page opened from disk cannot load modules.
 * Recordings are separate scripts that pages share (`docs/extensions/live.py`).
 */
import texts from "audiencelab:modules";
import { bringToLife } from "./place";

declare global {
  interface Window {
    audiencelabRecordings?: Record<string, string>;
  }
}

for (const place of document.querySelectorAll<HTMLElement>("[data-audiencelab-live]")) {
  const packed = window.audiencelabRecordings?.[place.dataset.audiencelabLive ?? ""];
  if (packed) void bringToLife(place, packed, Object.entries(texts));
}
