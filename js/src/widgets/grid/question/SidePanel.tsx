/** What the rows or the columns are: heads and single lines, to be moved and taken away. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { IconButton } from "../../../shared/icons";
import { Popover } from "../../../shared/Popover";
import { failureOf } from "../../../shared/requests";
import { useKeptFocus } from "./keptFocus";
import type { Axis, Block } from "./protocol";
import type { PanelProps } from "./Sources";
import { words } from "./strings";

interface SidePanelProps extends PanelProps {
  axis: Axis;
  /** Opens what adds to this side. */
  onAdd(): void;
}

export function SidePanel({ desk, axis, anchor, onAdd, onClose }: SidePanelProps) {
  const listed = useSignal<{ blocks: Block[]; more: number } | null>(null);
  const told = desk.told.value;
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box);
  useEffect(() => {
    let latest = true;
    desk.blocks(axis).then(
      (found) => {
        if (latest) listed.value = found;
      },
      (error: unknown) => {
        desk.trouble.value = failureOf(error);
      },
    );
    return () => {
      latest = false;
    };
  }, [desk, axis, told]);
  const blocks = listed.value?.blocks ?? [];
  const more = listed.value?.more ?? 0;
  const remove = (block: Block) => desk.edit({ do: "remove", axis, places: placesOf(block) });
  const swap = (first: Block | undefined, second: Block | undefined) =>
    first && second && desk.edit({ do: "move", axis, places: placesOf(second), to: first.start });
  return (
    <Popover anchor={anchor} onClose={onClose} label={words.inSide(axis)}>
      <div ref={box} class="al-question-panel al-question-narrow">
        <div class="al-bar al-question-head">
          <strong>{words[axis]}</strong>
          <span class="al-spacer" />
          <button type="button" class="al-button" onClick={onAdd}>
            {words.add[axis]}
          </button>
        </div>
        {listed.value === null && <div class="al-skeleton" />}
        {listed.value && blocks.length === 0 && <div class="al-quiet">{words.emptySide(axis)}</div>}
        <ul class="al-question-list al-question-blocks">
          {blocks.map((block, at) => (
            <li key={block.start} class="al-question-block">
              <span class="al-clip" title={block.name}>
                {block.name}
              </span>
              <span class="al-quiet">
                {block.isHead && words.lines(axis, block.count)}
                {block.isNet && words.net}
              </span>
              <span class="al-spacer" />
              <IconButton
                icon="up"
                label={words.up(block.name)}
                aria-disabled={at === 0}
                onClick={() => swap(blocks[at - 1], block)}
              />
              <IconButton
                icon="down"
                label={words.down(block.name)}
                aria-disabled={at === blocks.length - 1}
                onClick={() => swap(block, blocks[at + 1])}
              />
              <IconButton
                icon="close"
                label={words.remove(block.name)}
                onClick={() => remove(block)}
              />
            </li>
          ))}
        </ul>
        {more > 0 && <div class="al-quiet">{words.moreBlocks(more)}</div>}
        {desk.trouble.value && <div class="al-error">{desk.trouble.value}</div>}
        {blocks.length > 1 && (
          <div class="al-bar al-question-end">
            <span class="al-spacer" />
            <button
              type="button"
              class="al-button"
              onClick={() => desk.edit({ do: "remove", axis, places: every(told?.[axis].count) })}
            >
              {words.removeAll}
            </button>
          </div>
        )}
      </div>
    </Popover>
  );
}

function placesOf({ start, count }: Block): number[] {
  return Array.from({ length: count }, (_, at) => start + at);
}

function every(count = 0): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
