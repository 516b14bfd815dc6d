/** The sidebar's state in the browser's storage: the last open survey and section. */

export const SECTIONS = ["catalogue", "saved", "surveys"] as const;

export type Section = (typeof SECTIONS)[number];

export interface Remembered {
  connection: string;
  section: Section;
  /** The path of the open survey if it is in the server's folder; else empty. */
  survey: string;
}

const KEY = "audiencelab.sidebar";

export function remembered(storage: Storage | undefined): Partial<Remembered> {
  try {
    const { connection, section, survey } = JSON.parse(storage?.getItem(KEY) ?? "{}");
    return {
      ...(typeof connection === "string" && { connection }),
      ...(SECTIONS.includes(section) && { section }),
      ...(typeof survey === "string" && { survey }),
    };
  } catch {
    return {};
  }
}

export function remember(storage: Storage | undefined, now: Remembered): void {
  try {
    storage?.setItem(KEY, JSON.stringify(now));
  } catch {
    // Without storage, nothing is remembered.
  }
}
