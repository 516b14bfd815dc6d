/** A short list with a search field, and a suggestion where only similar words match. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Icon } from "./icons";
import { filterItems } from "./matching";
import { strings } from "./strings";

interface FilterListProps<T> {
  /** null while loading. */
  items: readonly T[] | null;
  /** The text that is searched: names and codes, in one string. */
  textOf(item: T): string;
  /** Accessible name and placeholder of the search field. */
  label: string;
  /** The field appears when there are more items than this. */
  few?: number;
  /** Shown in place of an empty list. */
  none?: ComponentChildren;
  children(shown: readonly T[]): ComponentChildren;
}

export function FilterList<T>(props: FilterListProps<T>) {
  const { items, textOf, label, few = 8, none, children } = props;
  const typed = useSignal("");
  if (!items) return <div class="al-skeleton" />;
  const hasField = items.length > few;
  const query = hasField ? typed.value.trim() : "";
  const { items: shown, meant } = filterItems(items, query, textOf);
  const nothing = query && shown.length === 0 ? strings.noMatch(query) : "";
  return (
    <>
      {hasField && (
        <div class="al-search">
          <Icon name="search" />
          <input
            class="al-input"
            type="search"
            aria-label={label}
            placeholder={label}
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || !typed.peek()) return;
              event.preventDefault();
              event.stopPropagation();
              typed.value = "";
            }}
          />
        </div>
      )}
      <div class="al-sr-only" role="status">
        {nothing || (meant && strings.didYouMean(meant))}
      </div>
      {meant && (
        <DidYouMean
          meant={meant}
          onTake={() => {
            typed.value = meant;
          }}
        />
      )}
      {nothing && (
        <div class="al-empty" aria-hidden="true">
          {nothing}
        </div>
      )}
      {items.length === 0 && none !== undefined && <div class="al-empty">{none}</div>}
      {shown.length > 0 && children(shown)}
    </>
  );
}

/** The query that was searched instead of one without matches; a click enters it. */
export function DidYouMean({ meant, onTake }: { meant: string; onTake(): void }) {
  return (
    <button type="button" class="al-link" onClick={onTake}>
      {strings.didYouMean(meant)}
    </button>
  );
}
