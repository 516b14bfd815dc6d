/** Looking for something in a short list by its words, and saying so when nothing is found. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Icon } from "../../shared/icons";
import { folded } from "../../shared/text";
import { words } from "./strings";

export function useSearch() {
  const sought = useSignal("");
  return useMemo(() => {
    const Box = ({ label }: { label: string }) => (
      <div class="al-sidebar-search">
        <Icon name="search" />
        <input
          class="al-input"
          type="search"
          aria-label={label}
          placeholder={label}
          value={sought.value}
          onInput={(event) => {
            sought.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || !sought.peek()) return;
            event.preventDefault();
            event.stopPropagation();
            sought.value = "";
          }}
        />
      </div>
    );
    return {
      Box,
      sought,
      /** Those in which every word occurs, wherever. */
      among<T>(all: readonly T[], textOf: (each: T) => string): readonly T[] {
        const parts = folded(sought.value).split(/\s+/).filter(Boolean);
        if (parts.length === 0) return all;
        return all.filter((each) => {
          const text = folded(textOf(each));
          return parts.every((part) => text.includes(part));
        });
      },
    };
  }, [sought]);
}

interface FoundProps {
  search: ReturnType<typeof useSearch>;
  many: number;
  children: ComponentChildren;
}

/** The list, or that nothing in it matches. */
export function Found({ search, many, children }: FoundProps) {
  const text = search.sought.value.trim();
  return (
    <>
      <div class="al-sr-only" role="status">
        {text && many === 0 ? words.noneFound(text) : ""}
      </div>
      {text && many === 0 ? <div class="al-empty">{words.noneFound(text)}</div> : children}
    </>
  );
}
