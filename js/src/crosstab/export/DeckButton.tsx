/** *Add to deck*, and the panel with the list: two clicks from a table to a file of slides. */
import { useMemo, useRef } from "preact/hooks";
import type { AddToDeck, GridWidget } from "../../protocol";
import type { WidgetHost } from "../../ui/host";
import { Icon } from "../../ui/icons";
import { Popover, usePopover } from "../../ui/Popover";
import { DeckPanel } from "./DeckPanel";
import { Delivered } from "./Delivered";
import { Deck } from "./deck";
import { words } from "./deckStrings";

interface Props {
  host: WidgetHost<GridWidget>;
  /** What is added. */
  shown(): Omit<AddToDeck, "do">;
}

export function DeckButton({ host, shown }: Props) {
  const deck = useMemo(() => new Deck(host), [host]);
  const { isOpen, opener, panel } = usePopover();
  const both = useRef<HTMLSpanElement>(null);
  const count = deck.entries().length;
  const add = async () => {
    await deck.add(shown());
    // Also where it failed: the panel says why.
    if (!isOpen) opener.onClick();
  };
  return (
    <span class="al-export al-deck" ref={both}>
      <button type="button" class="al-button" title={words.addHint} onClick={() => void add()}>
        <Icon name="deck" />
        {words.add}
      </button>
      <button
        type="button"
        class="al-button al-export-more"
        aria-label={words.deckOf(count)}
        title={words.deckOf(count)}
        {...opener}
      >
        {count > 0 && <span class="al-deck-count">{count}</span>}
        <Icon name="down" />
      </button>
      {isOpen ? (
        <Popover label={words.deck} {...panel} anchor={both} from={panel.anchor}>
          <DeckPanel deck={deck} />
        </Popover>
      ) : (
        <Delivered delivery={deck.delivery} />
      )}
    </span>
  );
}
