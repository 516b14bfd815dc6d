/**
 * The questions that were picked last, newest first, kept by the browser for every notebook.
 * Codes alone are kept; a browser that keeps nothing costs this one convenience and no more.
 */

/** Questions remembered. */
const KEPT = 8;

const KEY = "audiencelab.recent";

export interface Recent {
  codes(): string[];
  remember(code: string): void;
}

export type Store = Pick<Storage, "getItem" | "setItem">;

/** What `open` gives is asked anew each time: reaching for it may already be forbidden. */
export function recentQuestions(open: () => Store | undefined): Recent {
  const codes = () => {
    try {
      const kept: unknown = JSON.parse(open()?.getItem(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [];
    } catch {
      return [];
    }
  };
  return {
    codes,
    remember(code) {
      const kept = [code, ...codes().filter((each) => each !== code)].slice(0, KEPT);
      try {
        open()?.setItem(KEY, JSON.stringify(kept));
      } catch {
        // Full, or forbidden.
      }
    },
  };
}
