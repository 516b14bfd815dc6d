/**
 * The questions that were picked last, newest first, stored by the browser for every notebook. Only
 * codes are stored; without storage, only this convenience is lost.
 */

/** Questions remembered. */
const KEPT = 8;

const KEY = "audiencelab.recent";

export interface Recent {
  codes(): string[];
  remember(code: string): void;
}

export type Store = Pick<Storage, "getItem" | "setItem">;

/** `open` is called each time, because access to the storage may throw. */
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
        // The storage is full or forbidden.
      }
    },
  };
}
