/** The list of a deck: tables and charts in order, with their headlines, and the file. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { BareSelect } from "../../ui/Field";
import { Icon, IconButton, type IconName } from "../../ui/icons";
import { isComposing } from "../../ui/keyboard";
import { Placed } from "./Delivered";
import type { Deck, DeckEntry } from "./deck";
import { words } from "./deckStrings";
import { words as exporting } from "./strings";

const ICONS: Record<DeckEntry["kind"], IconName> = {
  table: "table",
  chart: "chart",
  bar: "chart",
  dots: "dots",
  heatmap: "table",
};

/** A value that no file's name has. */
const OWN_FILE = "/";

export function DeckPanel({ deck }: { deck: Deck }) {
  const entries = deck.entries();
  const busy = deck.delivery.busy.value;
  const undo = deck.summary?.undo ?? null;
  const writing = deck.summary?.writing ?? null;
  const trouble = deck.trouble.value;
  useEffect(() => void deck.findTemplates(), [deck]);
  return (
    <div class="al-deck-panel">
      {entries.length === 0 ? (
        <div class="al-empty">{words.emptyDeck}</div>
      ) : (
        <Entries deck={deck} entries={entries} />
      )}
      <div class="al-bar al-deck-foot">
        <Template deck={deck} />
        <span class="al-spacer" />
        {undo !== null && (
          <IconButton
            icon="undo"
            label={words.undoDeck(undo)}
            onClick={() => void deck.edit({ do: "undo" })}
          />
        )}
        <button
          type="button"
          class="al-button al-button-primary"
          data-begin={entries.length > 0}
          disabled={entries.length === 0 || busy !== null}
          onClick={() => void deck.save()}
        >
          {words.saveDeck}
        </button>
      </div>
      {busy !== null && (
        <div class="al-bar al-deck-said">
          <span class="al-quiet">
            {writing === null ? busy : words.countingDeck(writing + 1, entries.length)}
          </span>
          <progress max={entries.length} value={writing ?? 0} aria-label={words.savingDeck} />
          <IconButton
            icon="stop"
            label={exporting.stopSaving}
            onClick={() => deck.delivery.stop()}
          />
        </div>
      )}
      {trouble && (
        <div class="al-error al-deck-said" role="alert">
          {trouble}
        </div>
      )}
      {busy === null && deck.delivery.placed.value && (
        <div class="al-bar al-deck-said">
          <Placed delivery={deck.delivery} />
        </div>
      )}
      {deck.skipped.value.map(({ name, why }) => (
        <div key={name} class="al-error al-deck-said">
          {words.skipped(name, why)}
        </div>
      ))}
    </div>
  );
}

function Entries({ deck, entries }: { deck: Deck; entries: readonly DeckEntry[] }) {
  /** The item that is dragged, and the position before which it would be put. */
  const dragged = useSignal<number | null>(null);
  const target = useSignal<number | null>(null);
  const drop = () => {
    const from = entries.findIndex(({ number }) => number === dragged.peek());
    const to = target.peek();
    if (from >= 0 && to !== null) move(deck, entries, from, to > from ? to - 1 : to);
    dragged.value = target.value = null;
  };
  return (
    <ol class="al-deck-list" aria-label={words.deck}>
      {entries.map((entry, place) => (
        <li
          key={entry.number}
          draggable
          data-drop={target.value === place ? "" : undefined}
          data-drop-after={
            target.value === entries.length && place === entries.length - 1 ? "" : undefined
          }
          onDragStart={(event) => {
            dragged.value = entry.number;
            event.dataTransfer?.setData("text/plain", entry.name);
          }}
          onDragOver={(event) => {
            if (dragged.peek() === null) return;
            event.preventDefault();
            const { top, height } = event.currentTarget.getBoundingClientRect();
            target.value = event.clientY < top + height / 2 ? place : place + 1;
          }}
          onDrop={(event) => {
            event.preventDefault();
            drop();
          }}
          onDragEnd={() => {
            dragged.value = target.value = null;
          }}
        >
          <Entry deck={deck} entries={entries} place={place} />
        </li>
      ))}
    </ol>
  );
}

function move(deck: Deck, entries: readonly DeckEntry[], from: number, to: number): void {
  const entry = entries[from];
  if (!entry || to === from || to < 0 || to >= entries.length) return;
  void deck.edit({ do: "move", number: entry.number, to });
}

interface EntryProps {
  deck: Deck;
  entries: readonly DeckEntry[];
  place: number;
}

function Entry({ deck, entries, place }: EntryProps) {
  const entry = entries[place] as DeckEntry;
  const { number, kind, name, headline } = entry;
  const renaming = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  /** A moved element loses the focus. */
  const held = useRef(false);
  useLayoutEffect(() => {
    if (held.current) button.current?.focus();
    held.current = false;
  }, [place]);
  const remove = () => void deck.edit({ do: "remove", number });
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by !== undefined && event.altKey) {
      held.current = true;
      move(deck, entries, place, place + by);
    } else if (event.key === "F2") renaming.value = true;
    else if (event.key === "Delete") remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (renaming.value)
    return (
      <Headline
        entry={entry}
        onDone={(words) => {
          renaming.value = false;
          if (words !== null) void deck.edit({ do: "rename", number, headline: words });
        }}
      />
    );
  return (
    <>
      <span class="al-deck-kind">
        <Icon name={ICONS[kind]} label={words.kinds[kind]} />
      </span>
      <button
        ref={button}
        type="button"
        class="al-menu-item al-deck-name"
        title={words.showAgain}
        onClick={() => void deck.edit({ do: "show", number })}
        onKeyDown={onKeyDown}
      >
        <span>
          <bdi>{headline || name}</bdi>
          {headline && (
            <span class="al-quiet">
              <bdi>{name}</bdi>
            </span>
          )}
        </span>
      </button>
      <IconButton
        icon="edit"
        label={words.rename(headline || name)}
        onClick={() => {
          renaming.value = true;
        }}
      />
      <IconButton icon="close" label={words.remove(headline || name)} onClick={remove} />
    </>
  );
}

/** The field of a headline: Enter takes it, Escape does not. */
function Headline({ entry, onDone }: { entry: DeckEntry; onDone(headline: string | null): void }) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  const end = (headline: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(headline);
  };
  useLayoutEffect(() => field.current?.select(), []);
  return (
    <input
      ref={field}
      class="al-input al-deck-headline"
      type="text"
      maxLength={300}
      aria-label={words.rename(entry.name)}
      placeholder={words.headlinePlaceholder}
      defaultValue={entry.headline}
      onBlur={({ currentTarget }) => end(currentTarget.value)}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === "Enter") end(event.currentTarget.value);
        else if (event.key === "Escape") end(null);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    />
  );
}

function Template({ deck }: { deck: Deck }) {
  const file = useRef<HTMLInputElement>(null);
  const chosen = deck.summary?.template ?? "";
  const names = new Set([...(chosen ? [chosen] : []), ...deck.templates.value]);
  return (
    <>
      <BareSelect
        label={words.template}
        class="al-deck-template"
        value={chosen}
        options={[
          ["", words.noTemplate],
          ...[...names].map((name) => [name, name] as const),
          [OWN_FILE, words.ownTemplate],
        ]}
        onChange={(name) => {
          if (name === OWN_FILE) file.current?.click();
          else void deck.edit({ do: "template", name });
        }}
      />
      <input
        ref={file}
        type="file"
        accept=".pptx"
        hidden
        aria-label={words.ownTemplate}
        onChange={({ currentTarget }) => {
          const given = currentTarget.files?.[0];
          if (given) void deck.upload(given);
          currentTarget.value = "";
        }}
      />
    </>
  );
}
