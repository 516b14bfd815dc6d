/** What this browser remembers of the side bar: the survey and the section that were open last. */

export const SECTIONS = ["catalogue", "saved", "panels"] as const;

export type Section = (typeof SECTIONS)[number];

export interface Remembered {
  connection: string;
  section: Section;
  /** The path of the panel in the server's folder that the survey is; else empty. */
  panel: string;
}

const KEY = "audiencelab.sidebar";

export function remembered(storage: Storage | undefined): Partial<Remembered> {
  try {
    const { connection, section, panel } = JSON.parse(storage?.getItem(KEY) ?? "{}");
    return {
      ...(typeof connection === "string" && { connection }),
      ...(SECTIONS.includes(section) && { section }),
      ...(typeof panel === "string" && { panel }),
    };
  } catch {
    return {};
  }
}

export function remember(storage: Storage | undefined, now: Remembered): void {
  try {
    storage?.setItem(KEY, JSON.stringify(now));
  } catch {
    // A browser that keeps nothing forgets this too.
  }
}
